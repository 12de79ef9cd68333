"""Sample answers over HTTP: who sees what before and after marking, refusals, what is offered, query counts."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.accounts.models import User
from prepapp.bank.choices import Change, MarkValue, Status
from prepapp.bank.models import Question, SampleAnswer
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, SampleGrading
from tests.factories.bank import TopicFactory, TrackFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.factories.samples import add_samples, mark_sample
from tests.interviews.sitting import statements

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=20)
HTMX = {"HX-Request": "true"}
LIST = "/samples/"
KEYS = ("r1", "r2", "r3")


@pytest.fixture(autouse=True)
def at_twenty_past() -> Iterator[Any]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def cleo() -> User:
    person: User = CandidateFactory()
    return person


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


@pytest.fixture
def question() -> Question:
    """In the track `gpu`, whose title is 'Track gpu'."""
    return create_questions(1, topic=TopicFactory(code="gpu.memory"))[0]


@pytest.fixture
def samples(question: Question) -> list[SampleAnswer]:
    return add_samples(question)


def address(sample: SampleAnswer, part: str = "") -> str:
    return f"/samples/{sample.pk}/{part}"


def marks(*values: int | None, key: UUID | None = None) -> dict[str, Any]:
    """The form with these marks in order; None is left out."""
    given = {f"mark-{point}": value for point, value in zip(KEYS, values, strict=True) if value is not None}
    return {"grade_key": key or uuid4(), **given}


def body(reply: Any) -> str:
    return re.sub(r"\s+", " ", reply.content.decode())


def hidden(sample: SampleAnswer) -> list[str]:
    """Texts that only a marked sample shows."""
    texts = [f"Why {key} of {sample.content_hash}" for key in KEYS]
    return [*texts, *(f"{what} of {sample.question.slug}" for what in ("Model answer", "Pitfall", "Source"))]


# --- who may enter --------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "part"), [("get", ""), ("post", "grade")])
def test_a_sample_that_is_not_there(
    site: Client, samples: list[SampleAnswer], method: str, part: str
) -> None:
    SampleAnswer.objects.filter(pk=samples[0].pk).update(is_current=False)
    for number in (samples[0].pk, samples[-1].pk + 1, 10**17):
        assert getattr(site, method)(f"/samples/{number}/{part}").status_code == 404
    for number in (0, "one", 10**18):
        assert getattr(site, method)(f"/samples/{number}/{part}").status_code == 404


def test_nobody_is_sent_to_sign_in(client: Client, samples: list[SampleAnswer]) -> None:
    for path in (LIST, address(samples[0])):
        assert client.get(path)["Location"].startswith("/account/sign-in/")
        assert client.get(path, headers=HTMX).status_code == 401
    assert client.post(address(samples[0], "grade"), marks(2, 2, 2)).status_code == 302
    assert SampleGrading.objects.count() == 0


def test_a_guest_marks_a_sample(client: Client, samples: list[SampleAnswer]) -> None:
    guest = CandidateFactory(guest=True)
    session = client.session
    session[GUEST_SESSION_KEY] = str(guest.pk)
    session.save()
    assert client.post(address(samples[0], "grade"), marks(2, 1, 0)).status_code == 302
    grading = SampleGrading.objects.get()
    assert (grading.user, grading.sample, grading.graded_at) == (guest, samples[0], NOW)
    assert grading.marks == {"r1": 2, "r2": 1, "r3": 0}


def test_another_persons_marks_open_nothing(site: Client, samples: list[SampleAnswer]) -> None:
    mark_sample(CandidateFactory(), samples[0])
    page = body(site.get(address(samples[0])))
    assert "Compare with the reference" in page
    assert [text for text in hidden(samples[0]) if text in page] == []


# --- before and after -----------------------------------------------------------------------------


def test_before_the_marks_the_answer_and_its_rubric(site: Client, samples: list[SampleAnswer]) -> None:
    sample = samples[1]
    page = body(site.get(address(sample)))
    slug = sample.question.slug
    assert f"Answer: words of r1, words of r2, words of r3 and &lt;b&gt;more&lt;/b&gt; of {slug}, 2." in page
    assert f"Prompt of {slug}" in page
    assert page.count('type="radio"') == 9
    assert f"Criterion r2 of Title of {slug}" in page
    assert [text for text in hidden(sample) if text in page] == []
    assert not re.search(r"\b(strong|middling|weak)\b", page, re.IGNORECASE)


def test_before_the_marks_the_page_does_not_even_have_what_it_hides(
    site: Client, cleo: User, question: Question, samples: list[SampleAnswer]
) -> None:
    """A template that shows too much has nothing to show: not before, and not while it is closed."""
    mark_sample(cleo, samples[1])
    assert "model_answer" in site.get(address(samples[1])).context["version"].rendered
    for path in (address(samples[0]), f"{address(samples[1])}?again=1"):
        version = site.get(path).context["version"]
        assert set(version.rendered) == {"prompt", "context", "data"}
        assert {"model_answer", "pitfalls", "references"} <= version.get_deferred_fields()
    AttemptFactory(user=cleo, state=State.GRADING, responses__questions=[question])
    closed = site.get(address(samples[1])).context
    assert set(closed["version"].rendered) == {"prompt", "context", "data"}
    assert (closed.get("points"), closed.get("compared")) == (None, None)


@pytest.mark.parametrize("htmx", [False, True])
def test_after_the_marks_the_reference_what_differs_first(
    site: Client, samples: list[SampleAnswer], htmx: bool
) -> None:
    """Weights 4, 3, 3; the reference has a half of each: 5. Own marks 1, 2, 0 come to 5 too, so 2, 2, 1 here."""
    sample = samples[1]
    reply = site.post(address(sample, "grade"), marks(1, 2, 2), headers=HTMX if htmx else {})
    if htmx:
        assert reply.status_code == 200
        assert "<html" not in body(reply)
    else:
        assert reply["Location"] == f"{address(sample)}#compared"
        reply = site.get(address(sample))
    page = body(reply)
    assert "You gave 8.0, the reference is 5.0: 3.0 points too generous" in page
    assert "This was the middling answer of three. 1 of 3 points are marked the same." in page
    assert "Nothing to say yet about how you mark in Track gpu: 1 of 5 samples." in page
    assert re.findall(r'id="criterion-(r\d)"', page) == ["r2", "r3", "r1"]
    assert page.count("Reference:") == 2
    assert page.count("marked the same</span>") == 1
    assert [text for text in hidden(sample) if text not in page] == []
    assert '<mark data-points="0">words of r2</mark>' in page
    assert '<mark data-points="2">words of r1</mark>' in page
    assert 'type="radio"' not in page


@pytest.mark.parametrize(
    ("level", "given", "words"),
    [
        (0, (2, 2, 2), "You gave 10.0, as the reference does"),
        (0, (2, 2, 0), "You gave 7.0, the reference is 10.0: 3.0 points too harsh"),
        (2, (0, 1, 0), "You gave 1.5, the reference is 0.0: 1.5 points too generous"),
    ],
)
def test_the_verdict(
    site: Client, samples: list[SampleAnswer], level: int, given: tuple[int, ...], words: str
) -> None:
    assert words in body(site.post(address(samples[level], "grade"), marks(*given), headers=HTMX))


def test_the_same_press_twice_is_one_grading(site: Client, cleo: User, samples: list[SampleAnswer]) -> None:
    key = uuid4()
    for given in ((2, 2, 2), (0, 0, 0)):
        assert site.post(address(samples[0], "grade"), marks(*given, key=key)).status_code == 302
    assert SampleGrading.objects.get(user=cleo).marks == {"r1": 2, "r2": 2, "r3": 2}


def test_marked_again_it_is_shown_but_does_not_count(
    site: Client, cleo: User, samples: list[SampleAnswer]
) -> None:
    mark_sample(cleo, samples[2], value=MarkValue.MET, at=STARTED_AT)
    assert "does not count" not in body(site.get(address(samples[2])))
    form = body(site.get(f"{address(samples[2])}?again=1"))
    assert "Compare with the reference" in form
    assert [text for text in hidden(samples[2]) if text in form] == []
    page = body(site.post(address(samples[2], "grade"), marks(0, 0, 0), headers=HTMX))
    assert "You gave 0.0, as the reference does" in page
    assert "so this time does not count" in page
    assert SampleGrading.objects.filter(user=cleo).count() == 2


def test_a_sample_that_was_withdrawn_stays_readable_to_who_marked_it(
    site: Client, cleo: User, samples: list[SampleAnswer]
) -> None:
    mark_sample(cleo, samples[0])
    SampleAnswer.objects.update(is_current=False)
    assert "as the reference does" in body(site.get(address(samples[0])))
    assert site.get(address(samples[1])).status_code == 404


def test_marks_given_for_other_points_stand_beside_the_reference_of_those(
    site: Client, cleo: User, samples: list[SampleAnswer]
) -> None:
    """A reviewer may call a change of the rubric a minor one; the same answer then comes again with other
    points."""
    mark_sample(cleo, samples[0])
    SampleAnswer.objects.update(is_current=False)
    add_version(samples[0].question, points=[(5, True), (5, False)], meaning=1, change=Change.MINOR)
    again = add_samples(samples[0].question)
    page = body(site.get(address(again[0])))
    assert "3 of 3 points are marked the same" in page
    assert "so this time does not count" not in page
    reply = site.post(address(again[0], "grade"), marks(2, 2, None), headers=HTMX)
    assert "2 of 2 points are marked the same" in body(reply)


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("htmx", [False, True])
def test_unmarked_points_are_named_and_the_others_kept(
    site: Client, samples: list[SampleAnswer], htmx: bool
) -> None:
    reply = site.post(address(samples[0], "grade"), marks(2, None, 9), headers=HTMX if htmx else {})
    page = body(reply)
    assert reply.status_code == 422
    assert ("<html" in page) is not htmx
    assert "2 points are not marked yet. Your other marks are kept" in page
    assert re.findall(r'id="problem-(r\d)"', page) == ["r2", "r3"]
    assert page.count("data-focus") == 1
    assert re.findall(r'name="mark-(r\d)" value="(\d)" checked', page) == [("r1", "2")]
    assert SampleGrading.objects.count() == 0
    assert [text for text in hidden(samples[0]) if text in page] == []


@pytest.mark.parametrize("key", ["", "one", "0"])
def test_a_form_without_its_key_says_so_and_keeps_the_marks(
    site: Client, samples: list[SampleAnswer], key: str
) -> None:
    reply = site.post(address(samples[0], "grade"), {**marks(2, 1, 0), "grade_key": key}, headers=HTMX)
    assert reply.status_code == 422
    assert "This form was incomplete. Press the button again." in body(reply)
    assert body(reply).count(" checked") == 3


def test_a_key_of_another_sample_is_a_conflict(site: Client, samples: list[SampleAnswer]) -> None:
    key = uuid4()
    site.post(address(samples[0], "grade"), marks(2, 2, 2, key=key))
    reply = site.post(address(samples[1], "grade"), marks(2, 1, 0, key=key), headers=HTMX)
    assert reply.status_code == 409
    assert "This form is not that of the sample any more. Load the page again." in body(reply)
    assert SampleGrading.objects.count() == 1


# --- closed ---------------------------------------------------------------------------------------

CLOSED = [
    ("running mock", {"state": State.RUNNING, "started_at": NOW - timedelta(minutes=1)}),
    ("to be marked", {"state": State.GRADING}),
]
OPEN = [
    ("practice", {"mode": Mode.PRACTICE}),
    ("graded", {"state": State.GRADED}),
    ("somebody else's", {"user": None, "started_at": NOW}),
]


@pytest.mark.parametrize(("name", "fields"), CLOSED)
def test_a_question_under_way_keeps_its_samples_closed(
    site: Client,
    cleo: User,
    question: Question,
    samples: list[SampleAnswer],
    name: str,
    fields: dict[str, Any],
) -> None:
    mark_sample(cleo, samples[0])
    AttemptFactory(user=cleo, responses__questions=[question], **fields)
    for sample in samples[:2]:
        for path in (address(sample), f"{address(sample)}?again=1"):
            page = body(site.get(path))
            assert "Closed for now" in page
            shown = [*hidden(sample), "words of r1", "Criterion"]
            assert [text for text in shown if text in page] == []
        reply = site.post(address(sample, "grade"), marks(2, 2, 2), headers=HTMX)
        assert reply.status_code == 409
        assert "Criterion" not in body(reply)
    assert SampleGrading.objects.count() == 1
    listed = body(site.get(LIST))
    assert "closed: in an interview that is running or to be marked" in listed
    assert "Nothing is left to mark at the moment." in listed
    assert address(samples[1]) not in listed


@pytest.mark.parametrize(("name", "fields"), OPEN)
def test_what_is_no_mock_of_theirs_closes_nothing(
    site: Client,
    cleo: User,
    question: Question,
    samples: list[SampleAnswer],
    name: str,
    fields: dict[str, Any],
) -> None:
    AttemptFactory(
        **{"user": cleo, **fields} | ({"user": CandidateFactory()} if "user" in fields else {}),
        responses__questions=[question],
    )
    assert "Compare with the reference" in body(site.get(address(samples[0])))


@pytest.mark.parametrize("what", ["meaning", "retired"])
def test_what_is_not_offered(
    site: Client, question: Question, samples: list[SampleAnswer], what: str
) -> None:
    if what == "meaning":
        add_version(question)
    else:
        Question.objects.update(status=Status.RETIRED)
    assert site.get(address(samples[0])).status_code == 404
    assert "There are no sample answers here yet." in body(site.get(LIST))


def test_better_words_keep_them_offered(
    site: Client, question: Question, samples: list[SampleAnswer]
) -> None:
    add_version(question, change=Change.MINOR, meaning=1)
    assert address(samples[0]) in body(site.get(LIST))


# --- the list -------------------------------------------------------------------------------------


def test_the_list_goes_by_track_and_offers_the_next(
    site: Client, cleo: User, samples: list[SampleAnswer]
) -> None:
    TrackFactory(code="empty")
    other = add_samples(*create_questions(1, topic=TopicFactory(code="sre.slo")))
    mark_sample(cleo, samples[0])
    page = body(site.get(LIST))
    assert re.findall(r'<h2 id="track-(\w+)">', page) == ["gpu", "sre"]
    links = re.findall(r'href="/samples/(\d+)/"', page)
    assert links[0] == str(other[0].pk)
    assert links[1:] == [str(pk) for pk in (samples[1].pk, *(each.pk for each in samples))] + [
        str(pk) for pk in (other[0].pk, *(each.pk for each in other))
    ]
    assert page.count("Marked: ") == 1
    assert "Nothing to say yet about how you mark here: 1 of 5 samples." in page
    assert page.count("about how you mark here") == 1
    assert not re.search(r"\b(strong|middling|weak)\b", page, re.IGNORECASE)


def test_the_next_is_of_another_question(site: Client, cleo: User) -> None:
    questions = create_questions(2, topic=TopicFactory(code="gpu.memory"))
    samples = add_samples(*questions)
    page = body(site.post(address(samples[0], "grade"), marks(2, 2, 2), headers=HTMX))
    assert f'id="grade-next" href="{address(samples[3])}"' in page
    for sample in samples[1:]:
        mark_sample(cleo, sample)
    page = body(site.get(address(samples[0])))
    assert f'id="grade-next" href="{LIST}"' in page


@pytest.fixture
def six(question: Question) -> list[SampleAnswer]:
    """Six samples of one track: two strong, two middling, two weak."""
    other = create_questions(1, topic=question.topic)[0]
    return add_samples(question, other)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([2] * 6, "You mark here <strong>5.0 points too generously</strong>, from 6 samples"),
        ([0] * 6, "You mark here <strong>5.0 points too harshly</strong>, from 6 samples"),
        ([2, 1, 0] * 2, "You mark here as the reference does on average, from 6 samples"),
        (
            [2, 1, 1, 2, 1, 0],
            "You mark here 0.8 points more generously than the reference, from 6 samples, which may be chance",
        ),
        ([2, 1, 0, 2], "Nothing to say yet about how you mark here: 4 of 5 samples."),
    ],
)
def test_how_one_marks(
    site: Client, cleo: User, six: list[SampleAnswer], values: list[int], words: str
) -> None:
    for sample, value in zip(six, values, strict=False):
        mark_sample(cleo, sample, value=value)
    assert words in body(site.get(LIST))


def test_only_the_first_marks_of_a_sample_say_how_one_marks(
    site: Client, cleo: User, six: list[SampleAnswer]
) -> None:
    for sample in six:
        mark_sample(cleo, sample, value=MarkValue.MET)
        mark_sample(cleo, sample, value=MarkValue.MISSED, at=STARTED_AT + timedelta(minutes=1))
    mark_sample(CandidateFactory(), six[0], value=MarkValue.MISSED)
    page = body(site.get(LIST))
    assert "<strong>5.0 points too generously</strong>, from 6 samples" in page
    assert "6 of 18 points marked the same, 33 %; agreement beyond chance (weighted kappa) 0.00." in page


# --- before one grades oneself ----------------------------------------------------------------------


@pytest.fixture
def attempt(cleo: User, samples: list[SampleAnswer]) -> Attempt:
    """To be graded, in the track of the samples; it asks something else."""
    track = TrackFactory(code="gpu")
    made: Attempt = AttemptFactory(user=cleo, state=State.GRADING, track=track, responses=2)
    return made


def offered(site: Client, attempt: Attempt, position: int = 1) -> list[str]:
    page = body(site.get(reverse("interviews:grade-answer", args=[attempt.pk, position])))
    return re.findall(r'href="(/samples/[^"]+)">Grade a sample first, 2 minutes', page)


def test_a_sample_is_offered_before_the_first_word(
    site: Client, cleo: User, attempt: Attempt, samples: list[SampleAnswer]
) -> None:
    assert offered(site, attempt) == [f"/samples/{samples[0].pk}/?attempt={attempt.pk}"]
    mark_sample(cleo, samples[0])
    assert offered(site, attempt) == [f"/samples/{samples[1].pk}/?attempt={attempt.pk}"]
    assert len(offered(site, attempt, 2)) == 1
    confidence = reverse("interviews:confidence", args=[attempt.pk, 1])
    assert site.post(confidence, {"confidence": "hire"}).status_code == 302
    assert [offered(site, attempt, position) for position in (1, 2)] == [[], []]


def test_whoever_has_marked_three_is_not_asked_again(
    site: Client, cleo: User, attempt: Attempt, samples: list[SampleAnswer]
) -> None:
    add_samples(*create_questions(1, topic=samples[0].question.topic))
    for sample in samples[:2]:
        mark_sample(cleo, sample)
    assert len(offered(site, attempt)) == 1
    mark_sample(cleo, samples[2])
    assert offered(site, attempt) == []


@pytest.mark.parametrize("why", ["another track", "no track", "its question", "all of it"])
def test_nothing_is_offered_where_there_is_nothing(
    site: Client, cleo: User, question: Question, samples: list[SampleAnswer], why: str
) -> None:
    fields: dict[str, Any] = {"track": TrackFactory(code="gpu")}
    if why == "another track":
        fields["track"] = TrackFactory(code="sre")
    elif why == "no track":
        fields["track"] = None
    elif why == "its question":
        fields["responses__questions"] = [question]
    else:
        SampleAnswer.objects.update(is_current=False)
    assert offered(site, AttemptFactory(user=cleo, state=State.GRADING, **fields)) == []


def test_the_way_back_is_kept_through_marking(
    site: Client, attempt: Attempt, samples: list[SampleAnswer]
) -> None:
    query = f"?attempt={attempt.pk}"
    hidden_field = f'<input type="hidden" name="attempt" value="{attempt.pk}">'
    assert hidden_field in body(site.get(address(samples[0]) + query))
    form = {**marks(2, None, 2), "attempt": attempt.pk}
    assert hidden_field in body(site.post(address(samples[0], "grade"), form))
    form = {**marks(2, 2, 2), "attempt": attempt.pk}
    reply = site.post(address(samples[0], "grade"), form)
    assert reply["Location"] == f"{address(samples[0])}{query}#compared"
    link = f'id="grade-next" href="{reverse("interviews:grade", args=[attempt.pk])}"'
    for page in (
        body(site.get(address(samples[0]) + query)),
        body(site.post(address(samples[1], "grade"), form | {"grade_key": uuid4()}, headers=HTMX)),
    ):
        assert link in page
        assert page.count('id="grade-next"') == 1
        assert f'/{query}">Next sample' in page
    assert link not in body(site.get(f"{address(samples[0])}?attempt=nonsense"))


# --- cost -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
def test_query_counts(site: Client, cleo: User, count: int) -> None:
    """Session and person come first; then the list: tracks, samples, gradings with their reference."""
    topic = TopicFactory(code="gpu.memory")
    points = [(2, False)] * count + [(10 - 2 * count, True)]
    samples = add_samples(*create_questions(count, topic=topic, points=points))
    for sample in samples[1:]:
        mark_sample(cleo, sample)
    keys = [f"mark-r{number}" for number in range(1, count + 2)]

    def sent(act: Any) -> int:
        with statements() as found:
            assert act().status_code == 200
        return len(found)

    assert sent(lambda: site.get(LIST)) == 6
    assert sent(lambda: site.get(address(samples[0]))) == 7
    form = {"grade_key": uuid4(), **dict.fromkeys(keys, 2)}
    assert sent(lambda: site.post(address(samples[0], "grade"), form, headers=HTMX)) == 17
    assert sent(lambda: site.get(address(samples[0]))) == 11
