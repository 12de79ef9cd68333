"""What pages of any app may carry: the form to flag a question, and word that a flag was answered."""

from typing import Any

from django import template
from django.template.context import Context

from prepapp.accounts.models import User
from prepapp.bank.choices import FlagPlace
from prepapp.bank.forms.flags import FlagForm
from prepapp.bank.queries.flags import unread_answers

register = template.Library()


@register.inclusion_tag("bank/flag_form.html", takes_context=True)
def flag_form(context: Context, version_id: int, place: str) -> dict[str, Any]:
    """The form for the question of this version; nothing for a visitor, who could not be answered."""
    if not context.get("candidate"):
        return {}
    form = FlagForm(version_id=version_id, initial={"place": FlagPlace(place)})
    return {"version_id": version_id, "form": form}


@register.inclusion_tag("bank/flag_news.html", takes_context=True)
def flag_news(context: Context) -> dict[str, Any]:
    """Which flags of the person were answered, on every page but the one that tells the answers. One query,
    and none for who has nothing to read: their row says so."""
    candidate = context.get("candidate")
    if isinstance(candidate, User) and getattr(candidate, "has_unread_flag_answers", False):
        return {} if context.get("section") == "flags" else {"titles": unread_answers(candidate)}
    return {}
