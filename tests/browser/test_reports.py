"""The weekly reports in the browser: sound on every screen, and the report read by keyboard alone."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from prepapp.accounts.models import User
from prepapp.reports.tokens import unsubscribe_token
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.reports import WeeklyReportFactory

SCREENS = (
    "/reports/",
    "/reports/2026-W45/",
    "/reports/runs/",
    "/reports/preview/",
    "/reports/mail/{token}/",
    "/account/",
)


@pytest.fixture
def operator(candidate: User) -> User:
    """Somebody with two reports who may see the runs, too."""
    candidate.is_staff = candidate.is_superuser = True
    candidate.save()
    for label in ("2026-W44", "2026-W45"):
        WeeklyReportFactory(user=candidate, label=label)
    return candidate


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
)
def test_every_screen_is_sound(
    page: Page, operator: User, sign_in: Any, live_server: Any, width: int, scheme: Any
) -> None:
    sign_in(operator)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    faults = []
    for screen in SCREENS:
        reply = page.goto(live_server.url + screen.format(token=unsubscribe_token(operator.pk)))
        assert reply and reply.status == 200, screen
        faults += [f"{screen}: {fault}" for fault in accessibility_faults(page)]
        if scrolls_sideways(page):
            faults.append(f"{screen}: scrolls sideways")
    assert faults == []


def test_the_mail_is_stopped_by_keyboard_alone(
    page: Page, operator: User, sign_in: Any, live_server: Any
) -> None:
    User.objects.filter(pk=operator.pk).update(wants_weekly_mail=True)
    page.goto(f"{live_server.url}/reports/mail/{unsubscribe_token(operator.pk)}/")
    page.locator("#main").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The weekly mail is stopped")
    assert User.objects.get(pk=operator.pk).wants_weekly_mail is False
