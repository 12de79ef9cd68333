"""The automated accessibility check."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_axe = Axe()


def accessibility_faults(page: Page) -> list[str]:
    """What axe finds on the page as it stands once nothing moves any more, one line a fault; empty is what is wanted."""
    # A part that is still fading in has not its own colours yet.
    page.evaluate("Promise.allSettled(document.getAnimations().map((animation) => animation.finished))")
    results = _axe.run(page)
    return [
        f"{violation['id']}: {', '.join(' '.join(node['target']) for node in violation['nodes'])}"
        for violation in results.response["violations"]
    ]


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
