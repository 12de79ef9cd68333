"""Storing formats: all or none, unchanged files change nothing, running interviews stay as they are."""

from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import DataError, IntegrityError, transaction

from prepapp.interviews.actions.blueprints import load_blueprints
from prepapp.interviews.actions.start import blueprint_plan, start_attempt
from prepapp.interviews.choices import Mode
from prepapp.interviews.models import Blueprint
from prepapp.interviews.recipes import BlueprintFile
from tests.factories.interviews import STARTED_AT, CandidateFactory
from tests.interviews.sitting import make_bank, rows, sit, track_of

pytestmark = pytest.mark.django_db

FORMAT = BlueprintFile(
    slug="screen",
    title="Phone screen",
    summary="Two concepts.",
    minutes=15,
    position=2,
    recipe={"slots": [{"minutes": 5}]},
)


def test_new_formats_are_stored_and_repeating_changes_nothing() -> None:
    other = replace(FORMAT, slug="drill", position=1)
    assert load_blueprints(blueprints=[FORMAT, other]) == 2
    stored = Blueprint.objects.values_list("slug", "title", "summary", "minutes", "position", "recipe")
    assert list(stored) == [
        ("drill", "Phone screen", "Two concepts.", 15, 1, {"slots": [{"minutes": 5}]}),
        ("screen", "Phone screen", "Two concepts.", 15, 2, {"slots": [{"minutes": 5}]}),
    ]
    before = rows(Blueprint)
    assert load_blueprints(blueprints=[FORMAT, other]) == 0
    assert rows(Blueprint) == before


def test_a_changed_format_keeps_its_row_and_only_it_is_written() -> None:
    load_blueprints(blueprints=[FORMAT, replace(FORMAT, slug="drill")])
    first = Blueprint.objects.get(slug="screen")
    assert load_blueprints(blueprints=[replace(FORMAT, minutes=20), replace(FORMAT, slug="drill")]) == 1
    again = Blueprint.objects.get(slug="screen")
    assert (again.pk, again.minutes) == (first.pk, 20)
    assert again.content_hash != first.content_hash


def test_one_that_cannot_be_stored_takes_all_back() -> None:
    load_blueprints(blueprints=[FORMAT])
    before = rows(Blueprint)
    good, bad = replace(FORMAT, minutes=20), replace(FORMAT, slug="bad", minutes=0)
    with pytest.raises((IntegrityError, DataError)), transaction.atomic():
        load_blueprints(blueprints=[good, bad])
    assert rows(Blueprint) == before


def test_tim_09_a_changed_format_moves_no_running_interview() -> None:
    """TIM-09: the one who started keeps ten minutes, whoever starts afterwards has three."""
    topic = make_bank(3)
    ten = replace(FORMAT, minutes=10, recipe={"track": track_of(topic), "slots": [{"minutes": 5}] * 2})
    load_blueprints(blueprints=[ten])
    blueprint = Blueprint.objects.get()
    cleo = start_attempt(
        user=CandidateFactory(),
        plan=blueprint_plan(blueprint, "", "intermediate"),
        mode=Mode.MOCK,
        start_key=uuid4(),
        seed=1,
        now=STARTED_AT,
    )
    before = rows()
    three = replace(ten, minutes=3, recipe={**ten.recipe, "slots": [{"minutes": 5}]})
    load_blueprints(blueprints=[three])
    assert rows() == before
    cleo.refresh_from_db()
    assert (cleo.minutes, cleo.deadline_at) == (10, STARTED_AT + timedelta(minutes=10))

    now = STARTED_AT + timedelta(minutes=2)
    dev = start_attempt(
        user=CandidateFactory(),
        plan=blueprint_plan(Blueprint.objects.get(), "", "intermediate"),
        mode=Mode.MOCK,
        start_key=uuid4(),
        seed=1,
        now=now,
    )
    assert (dev.minutes, dev.deadline_at) == (3, now + timedelta(minutes=3))
    assert (cleo.responses.count(), dev.responses.count()) == (2, 1)


def test_deleting_a_format_keeps_its_interviews() -> None:
    load_blueprints(blueprints=[FORMAT])
    attempt = sit(CandidateFactory(), blueprint=Blueprint.objects.get())
    Blueprint.objects.get().delete()
    attempt.refresh_from_db()
    assert (attempt.blueprint, attempt.title, attempt.responses.count()) == (None, "Phone screen", 6)


# --- the command ----------------------------------------------------------------------------------

YAML_TEXT = """\
slug: screen
title: Phone screen
summary: Two concepts.
minutes: 15
position: 2
recipe:
  slots:
    - {minutes: 5}
"""


def load(path: Path | None = None) -> str:
    out = StringIO()
    call_command("load_blueprints", *([str(path)] if path else []), stdout=out)
    return out.getvalue()


def test_the_shipped_formats_load_and_load_again_without_a_change() -> None:
    assert load() == "blueprints: 10 files, 10 new or changed\n"
    before = rows(Blueprint)
    assert load() == "blueprints: 10 files, 0 new or changed\n"
    assert rows(Blueprint) == before


def test_a_folder_of_files_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "screen.yaml").write_text(YAML_TEXT, encoding="utf-8")
    assert load(tmp_path) == "blueprints: 1 files, 1 new or changed\n"
    assert Blueprint.objects.get().content_hash == FORMAT.content_hash


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (YAML_TEXT.replace("minutes: 15", "minutes: 4"), "its questions take 5 minutes, the format has 4"),
        (YAML_TEXT.replace("title", "titel"), "missing title"),
        ("slug: [screen", "while parsing a flow sequence"),
        ("", "the file must be a mapping of slug, title, summary, minutes, position, recipe"),
        (YAML_TEXT.replace("slots:", "slots_by_level: {senior: 7}\n  slots:"), "must name at least one"),
    ],
)
def test_a_bad_file_is_named_and_none_is_stored(tmp_path: Path, text: str, refusal: str) -> None:
    (tmp_path / "a.yaml").write_text(YAML_TEXT, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=refusal) as refused:
        load(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / 'b.yaml'}: ")
    assert Blueprint.objects.count() == 0


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^no \.yaml file in "):
        load(tmp_path)
