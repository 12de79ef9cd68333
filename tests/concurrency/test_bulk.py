"""One act on many questions sent twice at the same moment changes them once and is in the log once."""

import pytest

from prepapp.bank.actions.bulk import pack_questions, tag_questions
from prepapp.bank.models import CurationEvent
from tests.concurrency.racing import ROUNDS, race
from tests.factories.bank import PackFactory, QuestionFactory, TagFactory
from tests.factories.curation import EDITED_AT, curator

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


def test_a_tag_given_twice_at_once_is_given_once() -> None:
    by, questions = curator(), [QuestionFactory() for _ in range(ROUNDS)]
    TagFactory(name="there")

    def tag(number: int) -> int:
        ids = [questions[number].pk]
        return len(tag_questions(question_ids=ids, name="there", is_on=True, by=by, now=EDITED_AT))

    assert [sorted(pair) for pair in race(tag, tag)] == [[0, 1]] * ROUNDS
    assert CurationEvent.objects.count() == ROUNDS


def test_a_question_put_into_a_pack_twice_at_once_is_put_once() -> None:
    by, pack, questions = curator(), PackFactory(), [QuestionFactory() for _ in range(ROUNDS)]

    def put(number: int) -> int:
        ids = [questions[number].pk]
        return len(pack_questions(question_ids=ids, pack=pack, is_on=True, by=by, now=EDITED_AT))

    assert [sorted(pair) for pair in race(put, put)] == [[0, 1]] * ROUNDS
    assert CurationEvent.objects.count() == ROUNDS
