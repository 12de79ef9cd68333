"""The automated accessibility check."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_axe = Axe()


def accessibility_faults(page: Page) -> list[str]:
    """What axe finds on the page as it is now, one line a fault; empty is what is wanted."""
    results = _axe.run(page)
    return [
        f"{violation['id']}: {', '.join(' '.join(node['target']) for node in violation['nodes'])}"
        for violation in results.response["violations"]
    ]


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
