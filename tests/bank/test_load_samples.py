"""Sample answers into the bank with their questions: new, changed, unchanged, withdrawn, left out, refused."""

from collections.abc import Callable

import pytest

from prepapp.bank.choices import Change, Status, VersionSource
from prepapp.bank.models import Question, QuestionVersion, SampleAnswer, SampleMark
from tests.bank.conftest import Folder
from tests.bank.test_load_bank import edit_in_app, load, refusal
from tests.factories.bank import add_version

pytestmark = pytest.mark.django_db
NONE = "1 files of sample answers: 0 new, 0 changed, 0 unchanged, 0 withdrawn, 0 left out"


def line(**counts: int) -> str:
    text = NONE
    for name, count in counts.items():
        text = text.replace(f"0 {name}", f"{count} {name}")
    return text


def levels(*, is_current: bool = True) -> list[str]:
    found = SampleAnswer.objects.filter(is_current=is_current)
    return sorted(found.values_list("level", flat=True))


def offered() -> int:
    return SampleAnswer.objects.offered().count()


@pytest.fixture
def loaded(folder: Folder) -> Folder:
    folder.write_samples("first", "gpu.memory-001")
    assert load(folder.path) == [
        line(new=1),
        "2 files: 2 new, 0 changed, 0 refiled, 0 unchanged, 0 kept",
    ]
    return folder


def test_a_new_file_becomes_three_answers_with_their_marks(loaded: Folder) -> None:
    version = Question.objects.with_current().get(ref="gpu.memory-001").current_version
    assert set(SampleAnswer.objects.values_list("question", "version", "is_current")) == {
        (version.question_id, version.pk, True)
    }
    strong = SampleAnswer.objects.get(level="strong")
    assert strong.answer == "One of them, and then two more."
    assert list(
        strong.marks.order_by("point__position").values_list("point__key", "value", "quote", "why")
    ) == [
        ("r1", 2, "One of them", "It states one."),
        ("r2", 2, "two more", "It names two."),
    ]
    assert set(SampleMark.objects.values_list("point__version", "point__follow_up")) == {(version.pk, None)}
    assert levels() == ["middling", "strong", "weak"]
    assert offered() == 3


def test_the_places_follow_from_the_content_and_not_from_the_level(loaded: Folder) -> None:
    found = SampleAnswer.objects.order_by("pk").values_list("position", "content_hash")
    assert [position for position, _ in found] == [1, 2, 3]
    assert [hashed for _, hashed in found] == sorted(hashed for _, hashed in found)


def test_a_second_run_writes_nothing(loaded: Folder, writes: Callable) -> None:
    with writes() as found:
        assert load(loaded.path)[0] == line(unchanged=1)
    assert found == []


def test_changed_answers_replace_the_old_ones_which_stay(loaded: Folder) -> None:
    old = set(SampleAnswer.objects.values_list("pk", flat=True))
    loaded.write_samples("first", "gpu.memory-001", "Neither of two.", "Not one of the two.")
    assert load(loaded.path)[0] == line(changed=1)
    assert set(SampleAnswer.objects.filter(is_current=False).values_list("pk", flat=True)) == old
    assert levels() == ["middling", "strong", "weak"]
    assert (offered(), SampleMark.objects.count()) == (3, 12)
    assert load(loaded.path)[0] == line(unchanged=1)


def test_a_file_that_is_gone_is_withdrawn_with_its_question_still_there(loaded: Folder) -> None:
    (loaded.path / "first.samples.yaml").unlink()
    gone = "0 files of sample answers: 0 new, 0 changed, 0 unchanged, 1 withdrawn, 0 left out"
    assert load(loaded.path)[0] == gone
    assert (levels(), len(levels(is_current=False)), offered()) == ([], 3, 0)
    assert load(loaded.path) == ["2 files: 0 new, 0 changed, 0 refiled, 2 unchanged, 0 kept"]


def test_samples_of_a_question_outside_of_the_folder_stay(loaded: Folder) -> None:
    for name in ("first.samples.yaml", "first.yaml"):
        (loaded.path / name).unlink()
    load(loaded.path)
    assert offered() == 3


def test_better_words_keep_the_samples(loaded: Folder) -> None:
    loaded.write("first", "gpu.memory-001", level="senior")
    assert load(loaded.path)[0] == line(unchanged=1)
    current = Question.objects.with_current().get(ref="gpu.memory-001").current_version
    assert (current.number, current.change, offered()) == (2, Change.MINOR, 3)


def test_another_meaning_in_the_file_is_what_the_file_beside_it_was_marked_for(loaded: Folder) -> None:
    loaded.write("first", "gpu.memory-001", prompt="Explain it better.")
    assert load(loaded.path)[0] == line(changed=1)
    current = Question.objects.with_current().get(ref="gpu.memory-001").current_version
    assert set(SampleAnswer.objects.filter(is_current=True).values_list("version", flat=True)) == {current.pk}
    assert offered() == 3


def test_another_meaning_given_in_the_app_takes_the_samples_off_offer(
    loaded: Folder, writes: Callable
) -> None:
    edit_in_app("gpu.memory-001")
    assert (levels(), offered()) == (["middling", "strong", "weak"], 0)
    with writes() as found:
        assert load(loaded.path)[1] == line(unchanged=1)
    assert found == []


def test_better_words_given_in_the_app_keep_the_samples(loaded: Folder) -> None:
    question = Question.objects.get(ref="gpu.memory-001")
    add_version(question, source=VersionSource.APP, change=Change.MINOR, meaning=1)
    assert offered() == 3


def test_samples_for_a_text_that_is_not_here_are_left_out(loaded: Folder) -> None:
    edit_in_app("gpu.memory-001")
    loaded.write("first", "gpu.memory-001", prompt="Explain it better.")
    assert load(loaded.path)[1] == f"{line(left=1)} (gpu.memory-001)"
    assert SampleAnswer.objects.count() == 3


def test_a_moved_question_keeps_its_samples(loaded: Folder) -> None:
    Question.objects.filter(ref="gpu.memory-001").update(
        ref="gpu.occupancy-009", topic="gpu.occupancy", former_refs=["gpu.memory-001"]
    )
    assert load(loaded.path)[-2] == f"{line(left=1)} (gpu.memory-001)"
    assert offered() == 3


def test_a_retired_question_offers_no_samples(loaded: Folder) -> None:
    Question.objects.update(status=Status.RETIRED)
    assert offered() == 0


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("schema: 1", "schema: 2", "first.samples.yaml:1: schema: 2 is not supported; write 1"),
        (
            "point: r1, mark: met",
            "point: r7, mark: met",
            "first.samples.yaml:6: samples[0].marks: the points marked are r7, r2; mark those of gpu.memory-001: r1, r2",
        ),
    ],
)
def test_broken_samples_keep_everything_out(folder: Folder, old: str, new: str, problem: str) -> None:
    folder.write_samples("first", "gpu.memory-001", old, new)
    assert refusal(folder.path) == ([problem], "1 problem found; nothing was written.")
    assert (Question.objects.count(), QuestionVersion.objects.count(), SampleAnswer.objects.count()) == (
        0,
        0,
        0,
    )
