"""How the admin looks and where its menu leads: the value of `UNFOLD`. Part of what puts the project
together, since the menu names rooms of several apps."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

# The tones of the site's own accent, from light to dark.
_PRIMARY = {
    "50": "oklch(0.975 0.012 205)",
    "100": "oklch(0.95 0.022 205)",
    "200": "oklch(0.9 0.04 203)",
    "300": "oklch(0.84 0.065 201)",
    "400": "oklch(0.76 0.085 200)",
    "500": "oklch(0.62 0.09 202)",
    "600": "oklch(0.45 0.085 205)",
    "700": "oklch(0.38 0.08 205)",
    "800": "oklch(0.33 0.06 206)",
    "900": "oklch(0.29 0.045 208)",
    "950": "oklch(0.2 0.03 210)",
}


def _link(title: str, icon: str, route: str, permission: str) -> dict[str, Any]:
    """An entry of the menu, for whoever may open what it leads to."""

    def may(request: HttpRequest) -> bool:
        return request.user.has_perm(permission)

    return {"title": title, "icon": icon, "link": reverse_lazy(route), "permission": may}


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "prepapp desk",
    "SITE_HEADER": "prepapp desk",
    "SITE_URL": "/desk/",
    "SITE_SYMBOL": "fact_check",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda _: static("img/icon.svg")}],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "COLORS": {"primary": _PRIMARY},
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [
            {
                "title": "Desk",
                "items": [
                    _link("Your desk", "home", "desk:home", "bank.curate_question"),
                    _link("Flags", "flag", "flags:flag-queue", "bank.settle_flag"),
                    _link("Import", "upload", "imports:import-list", "bank.import_questions"),
                    _link("Export", "download", "exports:export-new", "bank.import_questions"),
                    _link(
                        "Item statistics",
                        "query_stats",
                        "reports:item-statistics",
                        "reports.view_itemstatistic",
                    ),
                ],
            },
            {
                "title": "Lists",
                "separator": True,
                "items": [
                    _link("Questions", "quiz", "admin:bank_question_changelist", "bank.view_question"),
                    _link("Topics", "topic", "admin:bank_topic_changelist", "bank.view_topic"),
                    _link("Tracks", "route", "admin:bank_track_changelist", "bank.view_track"),
                    _link("Packs", "inventory_2", "admin:bank_pack_changelist", "bank.view_pack"),
                    _link(
                        "Blueprints",
                        "architecture",
                        "admin:interviews_blueprint_changelist",
                        "interviews.view_blueprint",
                    ),
                    _link("Log", "history", "admin:bank_curationevent_changelist", "bank.view_curationevent"),
                    _link("People", "group", "admin:accounts_user_changelist", "accounts.view_user"),
                ],
            },
        ],
    },
}
