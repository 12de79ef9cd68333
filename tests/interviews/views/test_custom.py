"""The custom interview: what a link fills in, what is refused, what is started."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.interviews.models import Attempt, Response
from tests.factories.bank import TopicFactory, create_questions

pytestmark = pytest.mark.django_db
CUSTOM = reverse("interviews:custom")


def test_a_link_to_a_topic_fills_in_a_session_that_the_bank_can_give(client: Client) -> None:
    topic = TopicFactory()
    create_questions(2, topic=topic, minutes=lambda i: [6, 9][i])
    track = topic.code.partition(".")[0]
    form = client.get(CUSTOM, {"track": track, "topics": topic.code}).context["form"]
    assert (form["topics"].value(), form["count"].value(), form["minutes"].value()) == ([topic.code], 2, 18)
    choice = {name: form[name].value() for name in ("topics", "count", "minutes", "level", "mode")}
    reply = client.post(CUSTOM, choice | {"track": track, "start_key": str(uuid4())})
    attempt = Attempt.objects.get()
    assert reply.headers["Location"] == reverse("interviews:room", args=[attempt.pk, 1])
    assert (attempt.title, attempt.minutes, Response.objects.count()) == ("Custom interview", 18, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": "6", "minutes": "20"}, "6 questions need at least 24 minutes: the shortest takes 4."),
        ({"count": "0"}, "Ensure this value is greater than or equal to 1."),
        ({"minutes": "241"}, "Ensure this value is less than or equal to 240."),
        (
            {"topics": ["nowhere.none"]},
            "Select a valid choice. nowhere.none is not one of the available choices.",
        ),
        (
            {"count": "5", "minutes": "50"},
            "The bank can fill 2 of 5 places: it has too few fitting questions of at most 10 minutes here. "
            "Choose another track, level or length.",
        ),
    ],
)
def test_what_cannot_be_started_is_said_beside_what_was_typed(
    client: Client, changes: dict[str, object], message: str
) -> None:
    topic = TopicFactory()
    create_questions(2, topic=topic)
    track = topic.code.partition(".")[0]
    data = {"track": track, "level": "intermediate", "count": "2", "minutes": "20", "mode": "mock"}
    reply = client.post(CUSTOM, data | {"start_key": str(uuid4())} | changes)
    form = reply.context["form"]
    assert reply.status_code == 422
    assert [text for errors in form.errors.values() for text in errors] == [message]
    assert form["count"].value() == changes.get("count", "2")
    assert Attempt.objects.count() == 0
