"""The select of the time zones says what the framework's own says, at a fraction of its price."""

from typing import Any

import pytest
from django.forms import Select
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertHTMLEqual

from prepapp.accounts.choices import Level
from prepapp.accounts.forms import fields
from prepapp.accounts.forms.fields import LongSelect
from prepapp.accounts.zones import zone_choices
from tests.factories.accounts import UserFactory

STRANGE = [("", "None"), ("a&b", "<b>"), ('Gr"oup', [("c", "C"), ("", "nothing")])]


@pytest.mark.parametrize(
    ("choices", "value"),
    [
        (zone_choices("UTC"), "UTC"),
        (zone_choices("UTC"), "Europe/Paris"),
        (zone_choices("UTC"), "Europe/Vienna"),
        (zone_choices("Etc/GMT+5"), "Etc/GMT+5"),
        (zone_choices("UTC"), "No/Where"),
        (zone_choices("UTC"), None),
        (STRANGE, "a&b"),
        (STRANGE, "c"),
        ([("1", "One")], 1),
    ],
)
def test_it_says_what_a_select_says(choices: list[Any], value: Any) -> None:
    attrs = {"id": "id_zone", "aria-describedby": "help", "autofocus": True, "disabled": False}
    own = {"data-guess-time-zone": True}
    written = LongSelect(own, choices).render("zone", value, attrs)
    assertHTMLEqual(written, Select(own, choices).render("zone", value, attrs))
    assert written == LongSelect(own, choices).render("zone", value, attrs)


def test_what_is_not_offered_is_not_kept() -> None:
    """Anybody may ask for a page with any value."""
    LongSelect({}, STRANGE).render("zone", "nothing of it")
    kept = fields._options.cache_info().currsize
    for value in ("No/Where", "x" * 1000, 'Gr"oup'):
        LongSelect({}, STRANGE).render("zone", value)
    assert fields._options.cache_info().currsize == kept


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["accounts:preferences", "accounts:about-you"])
def test_no_template_is_rendered_for_each_zone(client: Client, name: str) -> None:
    client.force_login(UserFactory())
    page = client.get(reverse(name))
    templates = [template.name for template in page.templates]
    # "Not decided yet" and the levels.
    assert templates.count("django/forms/widgets/select_option.html") == 1 + len(Level)
    assert page.text.count('<option value="Europe/') > 30
