"""Blueprints in the admin: what the bank can fill, a recipe that does not add up, and edits that stay."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from prepapp.bank.choices import Event
from prepapp.bank.models import CurationEvent
from prepapp.interviews.bank_use import Fill, TrackFill, blueprint_fill
from prepapp.interviews.models import Blueprint
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.curation import curator, reviewer
from tests.factories.interviews import BlueprintFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(client):
    client.force_login(reviewer())
    return client


def form_of(blueprint: Blueprint, **changes: object) -> dict[str, object]:
    names = ("title", "summary", "minutes", "position")
    stated = {name: getattr(blueprint, name) for name in names}
    return {**stated, "recipe": json.dumps(blueprint.recipe), "is_active": "on", **changes}


def change(client, blueprint: Blueprint, **changes: object):
    address = reverse("admin:interviews_blueprint_change", args=[blueprint.pk])
    return client.post(address, form_of(blueprint, **changes))


def test_what_the_bank_can_fill_is_said_for_each_track_and_level(django_assert_num_queries):
    full, thin = TrackFactory(code="full", title="Full"), TrackFactory(code="thin", title="Thin")
    create_questions(2, topic=TopicFactory(track=full))
    create_questions(1, topic=TopicFactory(track=thin))
    blueprint = BlueprintFactory(recipe={"slots": [{"minutes": 5}, {"minutes": 5}]})

    with django_assert_num_queries(3):
        rows = blueprint_fill(blueprint)

    assert rows == [TrackFill("Full", (Fill(2, 2),) * 4), TrackFill("Thin", (Fill(1, 2),) * 4)]
    assert [fill.is_complete for fill in (Fill(2, 2), Fill(1, 2))] == [True, False]


def test_a_drill_is_filled_from_its_topic():
    assert blueprint_fill(BlueprintFactory(recipe={"drill": True})) == []


def test_a_recipe_that_does_not_add_up_is_refused_with_what_was_typed(desk):
    blueprint = BlueprintFactory(minutes=10, recipe={"slots": [{"minutes": 5}]})
    reply = change(desk, blueprint, recipe='{"slots": [{"minutes": 50}]}')
    errors = reply.context["adminform"].form.errors
    assert errors == {"recipe": ["recipe: its questions take 50 minutes, the format has 10"]}
    assert '"minutes": 50' in reply.content.decode().replace("&quot;", '"')
    assert Blueprint.objects.get().recipe == {"slots": [{"minutes": 5}]}


def test_an_edited_blueprint_stays_as_edited_when_the_files_are_loaded_again(desk):
    call_command("load_blueprints", verbosity=0)
    blueprint = Blueprint.objects.get(slug="screen")
    assert change(desk, blueprint, title="Our screen").status_code == 302

    call_command("load_blueprints", verbosity=0)

    kept = Blueprint.objects.get(slug="screen")
    assert (kept.title, kept.is_edited) == ("Our screen", True)
    line = CurationEvent.objects.get()
    assert (line.event, line.label, line.about["changed"]) == (Event.LISTED, "blueprint screen", ["title"])


def test_a_curator_reads_blueprints_and_does_not_change_them(client):
    client.force_login(curator())
    blueprint = BlueprintFactory(recipe={"slots": [{"minutes": 5}]})
    assert client.get(reverse("admin:interviews_blueprint_change", args=[blueprint.pk])).status_code == 200
    assert change(client, blueprint, title="Mine").status_code == 403
