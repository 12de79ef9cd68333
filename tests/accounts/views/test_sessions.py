import pytest
from django.test import Client
from django.urls import reverse

from prepapp.accounts.devices import describe_device
from tests.accounts.steps import person_of, sign_in
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db

LIST = "/account/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.0 Mobile/15E148 Safari/604.1"
)


def test_the_list_names_the_devices_and_ends_the_others(client):
    user, phone, other = UserFactory(), Client(HTTP_USER_AGENT=IPHONE), Client()
    client.defaults["HTTP_USER_AGENT"] = FIREFOX
    stranger = Client()
    sign_in(stranger, UserFactory().email)
    for browser in (client, phone, other):
        sign_in(browser, user.email)
    page = client.get(LIST)
    assert [session.user_agent for session in page.context["sessions"]] == [FIREFOX, IPHONE, ""]
    text = page.content.decode()
    assert [text.count(name) for name in ("Firefox on Linux", "Safari on iPhone", "Unknown browser")] == [
        1
    ] * 3
    assert text.count("This device") == 1
    assert client.post(LIST).url == LIST
    assert [person_of(browser) for browser in (client, phone, other)] == [user, None, None]
    assert phone.get(LIST).url == f"/account/sign-in/?next={LIST}"
    assert person_of(stranger) is not None
    assert client.get(LIST).context["session_count"] == 1


def test_the_list_is_for_the_signed_in(client):
    assert client.get(LIST).url == f"/account/sign-in/?next={LIST}"
    assert client.post(LIST).url == f"/account/sign-in/?next={LIST}"


def test_signing_out_removes_the_device_from_the_list(client):
    user, other = UserFactory(), Client()
    sign_in(client, user.email)
    sign_in(other, user.email)
    other.post(reverse("account_logout"))
    assert client.get(LIST).context["session_count"] == 1


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (IPHONE, "Safari on iPhone"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15", "Safari on Mac"),
        ("curl/8.0", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_describe_device(agent, words):
    assert describe_device(agent) == words
