"""Marking a sample answer: each way it ends, what becomes of it with its person, and how the sums are read."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from prepapp.accounts.models import User
from prepapp.bank.choices import MarkValue
from prepapp.bank.models import SampleAnswer
from prepapp.interviews.actions.samples import grade_sample
from prepapp.interviews.bias import Bias
from prepapp.interviews.choices import State
from prepapp.interviews.gradebook.samples import biases, newest_grading, next_sample, sample_rows
from prepapp.interviews.models import SampleGrading
from prepapp.interviews.refusals import GuestClaimed, HeldBack, SampleChanged
from tests.factories.bank import TopicFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.factories.samples import add_samples, mark_sample
from tests.interviews.sitting import rows, statements

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=20)
MARKS = {"r1": 2, "r2": 1, "r3": 0}


@pytest.fixture
def cleo() -> User:
    person: User = CandidateFactory()
    return person


@pytest.fixture
def samples() -> list[SampleAnswer]:
    return add_samples(create_questions(1, topic=TopicFactory(code="gpu.memory"))[0])


def grade(user: User, sample: SampleAnswer, key: UUID | None = None, **marks: int) -> SampleGrading:
    given = marks or MARKS
    return grade_sample(user=user, sample=sample, marks=given, grade_key=key or uuid4(), now=NOW)


def test_marks_are_kept_as_given(cleo: User, samples: list[SampleAnswer]) -> None:
    made = grade(cleo, samples[0])
    assert SampleGrading.objects.values("user", "sample", "marks", "graded_at").get() == {
        "user": cleo.pk,
        "sample": samples[0].pk,
        "marks": MARKS,
        "graded_at": NOW,
    }
    assert made == SampleGrading.objects.get()


def test_a_repeated_press_changes_nothing(cleo: User, samples: list[SampleAnswer]) -> None:
    key = uuid4()
    first = grade(cleo, samples[0], key)
    before = rows(SampleGrading)
    assert grade(cleo, samples[0], key, r1=0, r2=0, r3=0) == first
    assert rows(SampleGrading) == before


def test_one_key_of_two_people_makes_two_gradings(cleo: User, samples: list[SampleAnswer]) -> None:
    key = uuid4()
    assert grade(cleo, samples[0], key) != grade(CandidateFactory(), samples[0], key)


@pytest.mark.parametrize(
    "marks", [{"r1": 2, "r2": 1}, {"r1": 2, "r2": 1, "r9": 0}, {"r1": 2, "r2": 1, "r3": 0, "f1a": 2}]
)
def test_marks_of_another_rubric_are_refused(
    cleo: User, samples: list[SampleAnswer], marks: dict[str, int]
) -> None:
    with pytest.raises(SampleChanged):
        grade(cleo, samples[0], **marks)
    assert SampleGrading.objects.count() == 0


def test_a_key_of_another_sample_is_refused(cleo: User, samples: list[SampleAnswer]) -> None:
    key = uuid4()
    grade(cleo, samples[0], key)
    with pytest.raises(SampleChanged):
        grade(cleo, samples[1], key)
    assert SampleGrading.objects.get().sample == samples[0]


@pytest.mark.parametrize("state", [State.RUNNING, State.GRADING])
def test_a_question_under_way_is_held_back(cleo: User, samples: list[SampleAnswer], state: str) -> None:
    AttemptFactory(user=cleo, state=state, started_at=NOW, responses__questions=[samples[0].question])
    with pytest.raises(HeldBack):
        grade(cleo, samples[0])
    assert SampleGrading.objects.count() == 0


def test_a_guest_who_is_gone_marks_nothing(samples: list[SampleAnswer]) -> None:
    guest = CandidateFactory(guest=True)
    User.objects.filter(pk=guest.pk).delete()
    with pytest.raises(GuestClaimed):
        grade(guest, samples[0])
    assert SampleGrading.objects.count() == 0


def test_it_goes_with_the_account_and_leaves_the_sample(cleo: User, samples: list[SampleAnswer]) -> None:
    grade(cleo, samples[0])
    cleo.delete()
    assert (SampleGrading.objects.count(), SampleAnswer.objects.count()) == (0, 3)


def test_which_grading_counts(cleo: User, samples: list[SampleAnswer]) -> None:
    """The earliest, whatever came into the table first: a claim brings rows of another person along."""
    late = mark_sample(cleo, samples[0], at=NOW)
    found: Any = newest_grading(cleo, samples[0])
    assert (found, found.is_first) == (late, True)
    mark_sample(cleo, samples[0], at=STARTED_AT)
    found = newest_grading(cleo, samples[0])
    assert (found, found.is_first) == (late, False)
    assert newest_grading(CandidateFactory(), samples[0]) is None


def test_the_earliest_marks_are_summed_by_home_track(cleo: User, samples: list[SampleAnswer]) -> None:
    others = add_samples(*create_questions(2, topic=TopicFactory(code="gpu.comm")))
    foreign = add_samples(*create_questions(1, topic=TopicFactory(code="sre.slo")))
    for sample in (*samples, *others):
        mark_sample(cleo, sample, value=MarkValue.MISSED, at=NOW)
        mark_sample(cleo, sample, value=MarkValue.MET, at=STARTED_AT)
    mark_sample(cleo, foreign[2], value=MarkValue.MISSED)
    with statements() as sent:
        found = biases(cleo)
    assert len(sent) == 2, sent
    assert set(found.by_track) == {"gpu", "sre"}
    assert (found.of("gpu").answers, found.of("gpu").mean) == (9, pytest.approx(5))
    assert found.of("sre") == Bias(1)
    assert found.of("mle") == Bias(0)
    assert (found.overall.answers, found.overall.mean) == (10, pytest.approx(4.5))


def test_nothing_marked_is_one_query(cleo: User, samples: list[SampleAnswer]) -> None:
    with statements() as sent:
        assert biases(cleo).overall == Bias(0)
    assert len(sent) == 1, sent


def test_the_next_is_the_first_place_of_every_question_first(cleo: User, samples: list[SampleAnswer]) -> None:
    others = add_samples(*create_questions(1, topic=samples[0].question.topic))
    order = []
    while found := next_sample(sample_rows(cleo.pk, NOW, "gpu")):
        order.append(found.id)
        mark_sample(cleo, SampleAnswer.objects.get(pk=found.id))
    assert order == [row.pk for pair in zip(samples, others, strict=True) for row in pair]
    assert sample_rows(cleo.pk, NOW, "gp") == []


def test_the_same_answer_loaded_anew_is_the_same_sample(cleo: User, samples: list[SampleAnswer]) -> None:
    mark_sample(cleo, samples[0], value=MarkValue.PARTLY, at=STARTED_AT)
    SampleAnswer.objects.update(is_current=False)
    again = add_samples(samples[0].question)
    assert [row.is_graded for row in sample_rows(cleo.pk, NOW)] == [True, False, False]
    assert newest_grading(cleo, again[0]) is not None
    mark_sample(cleo, again[0], value=MarkValue.MISSED, at=NOW)
    assert biases(cleo).overall == Bias(1)


@pytest.mark.parametrize("what", ["another text", "another meaning"])
def test_another_answer_is_another_sample(cleo: User, samples: list[SampleAnswer], what: str) -> None:
    mark_sample(cleo, samples[0], at=STARTED_AT)
    SampleAnswer.objects.update(is_current=False)
    question = samples[0].question
    if what == "another meaning":
        add_version(question)
    again = add_samples(question)
    if what == "another text":
        SampleAnswer.objects.filter(pk=again[0].pk).update(answer="Something else.")
        again[0].answer = "Something else."
    assert sample_rows(cleo.pk, NOW)[0].is_graded is False
    assert newest_grading(cleo, again[0]) is None
    mark_sample(cleo, again[0], at=NOW)
    assert biases(cleo).overall == Bias(2)


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_is_one_query(cleo: User, count: int) -> None:
    add_samples(*create_questions(count))
    with statements() as sent:
        assert len(sample_rows(cleo.pk, NOW)) == 3 * count
    assert len(sent) == 1, sent
