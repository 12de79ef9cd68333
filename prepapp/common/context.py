"""Values every page template needs."""

import json

from django.http import HttpRequest

# Indicator styles and eval are blocked by the content policy; a timeout and no history cache keep a
# stalled network visible and a signed-out browser empty. 422 is how a form says what is wrong, 409
# how a save reports a conflict.
HTMX_CONFIG = json.dumps(
    {
        "includeIndicatorStyles": False,
        "allowEval": False,
        "allowScriptTags": False,
        "selfRequestsOnly": True,
        "historyCacheSize": 0,
        "refreshOnHistoryMiss": True,
        "timeout": 10000,
        "scrollIntoViewOnBoost": False,
        "responseHandling": [
            {"code": "204", "swap": False},
            {"code": "[23]..", "swap": True},
            {"code": "(409|422)", "swap": True},
            {"code": "[45]..", "swap": False, "error": True},
        ],
    },
    separators=(",", ":"),
)


def page(request: HttpRequest) -> dict[str, object]:
    return {"htmx_config": HTMX_CONFIG}
