"""Two curators, one question (CUR-01): one save wins, the other is told and gets both texts; what is handed in
is what was read."""

from collections.abc import Callable

import pytest
from django.db import transaction

from prepapp.accounts.models import User
from prepapp.bank.actions import create_question, save_draft, submit_draft
from prepapp.bank.actions.drafts import lock_question, write_draft
from prepapp.bank.choices import DraftState
from prepapp.bank.models import Draft, DraftRevision, Question
from prepapp.bank.refusals import DraftChanged, InReview
from prepapp.bank.transfer.document import Document
from tests.concurrency.racing import ROUNDS, race, tell
from tests.factories.curation import EDITED_AT, curator, draft

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

Save = Callable[[int], Draft]


@pytest.fixture
def drafts() -> list[Draft]:
    """One finished draft for each round."""
    writer = curator()
    return [draft(by=writer, slug=f"question-{number}") for number in range(ROUNDS)]


def text(made: Draft, who: str) -> Document:
    return {**made.document, "title": f"{who} {made.question_id}"}


def saver(drafts: list[Draft], who: str, person: User) -> Save:
    def save(number: int) -> Draft:
        made = drafts[number]
        return save_draft(
            question_id=made.question_id, document=text(made, who), revision=1, by=person, now=EDITED_AT
        )

    return save


def stored(drafts: list[Draft]) -> list[str]:
    found = dict(Draft.objects.values_list("question", "title"))
    return [found[made.question_id] for made in drafts]


def test_of_two_curators_exactly_one_saves_and_the_other_sees_their_text(drafts: list[Draft]) -> None:
    outcomes = race(saver(drafts, "ada", curator()), saver(drafts, "bo", curator()))
    titles = stored(drafts)
    winners = overwritten = untold = 0
    for number, pair in enumerate(outcomes):
        saved = [outcome.title for outcome in pair if isinstance(outcome, Draft)]
        told = [
            (outcome.revision, outcome.stored["title"])
            for outcome in pair
            if isinstance(outcome, DraftChanged)
        ]
        winners += len(saved) == 1
        overwritten += any(title != titles[number] for title in saved)
        untold += told != [(2, titles[number])]
    tell(one_winner=winners, silent_overwrites=overwritten)
    assert (winners, overwritten, untold) == (ROUNDS, 0, 0)
    assert DraftRevision.objects.filter(revision=2).count() == ROUNDS
    assert not DraftRevision.objects.filter(revision__gt=2).exists()


def test_control_without_compare_and_set_one_overwrites_the_other(drafts: list[Draft]) -> None:
    """The same lock and the same writing, but nobody looks which revision was read: both are told that they
    are saved."""

    def careless(who: str, person: User) -> Save:
        def save(number: int) -> Draft:
            made = drafts[number]
            with transaction.atomic():
                question, found = lock_question(made.question_id)
                return write_draft(question, found, text(made, who), by=person, now=EDITED_AT)

        return save

    outcomes = race(careless("ada", curator()), careless("bo", curator()))
    titles = stored(drafts)
    overwritten = sum(
        isinstance(outcome, Draft) and outcome.title != titles[number]
        for number, pair in enumerate(outcomes)
        for outcome in pair
    )
    tell(silent_overwrites=overwritten)
    assert overwritten > 0


def test_what_is_handed_in_is_what_was_read(drafts: list[Draft]) -> None:
    writer, other = curator(), curator()

    def hand_in(number: int) -> Draft:
        return submit_draft(question_id=drafts[number].question_id, revision=1, by=writer, now=EDITED_AT)

    outcomes = race(saver(drafts, "bo", other), hand_in)
    # The save came first and the other is told, or it came too late.
    ends = {(type(save), type(handed)) for save, handed in outcomes}
    assert ends <= {(Draft, DraftChanged), (InReview, Draft)}
    in_review = Draft.objects.filter(state=DraftState.IN_REVIEW)
    assert set(in_review.values_list("revision", flat=True)) <= {1}
    assert in_review.count() == sum(isinstance(handed, Draft) for _, handed in outcomes)


def test_of_two_questions_that_are_given_one_slug_at_once_the_second_is_told() -> None:
    writer = curator()
    pairs = [[draft(by=writer, slug=f"{side}-{n}") for side in ("left", "right")] for n in range(ROUNDS)]

    def renamer(side: int, by: User) -> Save:
        def save(number: int) -> Draft:
            made = pairs[number][side]
            document = {**made.document, "slug": f"wanted-{number}"}
            return save_draft(
                question_id=made.question_id, document=document, revision=1, by=by, now=EDITED_AT
            )

        return save

    outcomes = race(renamer(0, curator()), renamer(1, curator()))
    ends = [sorted(type(end).__name__ for end in pair) for pair in outcomes]
    assert ends == [["Draft", "SlugTaken"]] * ROUNDS


def test_a_new_question_that_is_sent_twice_at_once_is_made_once() -> None:
    writer = curator()

    def create(number: int) -> int:
        key = f"{number:032x}"[::-1]
        made = create_question(document={"title": f"Why {number} waits"}, by=writer, now=EDITED_AT, key=key)
        return made.pk

    outcomes = race(create, create)
    assert [first == second for first, second in outcomes] == [True] * ROUNDS
    assert Question.objects.count() == ROUNDS
