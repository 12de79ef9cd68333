"""`{% url %}` says what Django's own says, however often it is asked, and remembers nothing it should not."""

from typing import Any
from uuid import UUID

import pytest
from django.template import Context, Template
from django.urls import NoReverseMatch, clear_script_prefix, path, reverse, set_script_prefix

ATTEMPT = UUID("01a22b91-ee64-7197-b016-65f9e4eeae6c")
OTHER = UUID("01a22b91-ee64-7197-b016-65f9e4eeae6d")

urlpatterns = [path("elsewhere/", lambda request: None, name="account_login")]


def render(tag: str, **values: Any) -> str:
    return Template(tag).render(Context(values))


def test_addresses_with_and_without_arguments() -> None:
    for _ in range(2):
        assert render("{% url 'interviews:front' %}") == "/"
        for attempt in (ATTEMPT, OTHER):
            found = render("{% url 'interviews:mark' attempt place %}", attempt=attempt, place=3)
            assert (
                found == reverse("interviews:mark", args=[attempt, 3]) == f"/attempts/{attempt}/grade/3/mark"
            )
    assert render("{% url name slug %}", name="bank:question-detail", slug="a-b") == "/questions/a-b/"
    assert render("{% url 'bank:question-detail' slug='a-b' %}") == "/questions/a-b/"
    assert render("{% url 'interviews:front' as home %}[{{ home }}]") == "[/]"
    assert render("{% url 'interviews:nowhere' as gone %}[{{ gone }}]") == "[]"


def test_equal_arguments_of_other_types_have_addresses_of_their_own() -> None:
    assert render("{% url 'bank:question-detail' slug %}", slug=1) == "/questions/1/"
    assert render("{% url 'bank:question-detail' slug %}", slug=True) == "/questions/True/"


def test_what_leads_nowhere_is_an_error_every_time() -> None:
    for _ in range(2):
        with pytest.raises(NoReverseMatch):
            render("{% url 'interviews:mark' %}")


def test_the_place_of_the_site_and_other_addresses_are_heeded(settings: Any) -> None:
    login = "{% url 'account_login' %}"
    usual = render(login)
    assert usual == reverse("account_login") != "/elsewhere/"
    set_script_prefix("/prep/")
    try:
        assert render(login) == f"/prep{usual}"
    finally:
        clear_script_prefix()
    settings.ROOT_URLCONF = __name__
    assert render(login) == "/elsewhere/"
