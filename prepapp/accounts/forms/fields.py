"""How the fields of these forms show on a page."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.forms import BooleanField, BoundField, Form, Select, Widget
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


class FocusedField(BoundField):
    """Takes the focus when it is the first bad field of its form, so that nobody has to look for it and
    a screen reader says its label and error first. Works without script."""

    form: Form

    def build_widget_attrs(self, attrs: dict[str, Any], widget: Widget | None = None) -> dict[str, Any]:
        built = super().build_widget_attrs(attrs, widget)
        if self.form.errors and self.name == next(iter(self._bad_fields()), None):
            built["autofocus"] = True
        return built

    def _bad_fields(self) -> list[str]:
        """In the order of the page. None while the form as a whole has an error, which comes first."""
        if self.form.non_field_errors():
            return []
        return [name for name in self.form.fields if name in self.form.errors]


class LongSelect(Select):
    """A select of hundreds of options. A template for each costs more than the rest of its page, so they
    are written in one go and kept per list and choice."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        about = {"name": name, **self.build_attrs(self.attrs, attrs)}
        offered = _frozen(self.choices)
        wanted = "" if value is None else str(value)
        # What a request asks for may be anything; only what is offered can be chosen, and is kept.
        chosen = wanted if _has(offered, wanted) else None
        return format_html("<select{}>{}</select>", flatatt(about), _options(offered, chosen))


def _frozen(choices: Any) -> tuple[Any, ...]:
    """Choices as a key of the store."""
    return tuple(
        (value, label if isinstance(label, str) else tuple(map(tuple, label))) for value, label in choices
    )


def _has(choices: Sequence[Any], wanted: str) -> bool:
    return any(
        wanted == value if isinstance(label, str) else wanted in dict(label) for value, label in choices
    )


@lru_cache(maxsize=512)
def _options(choices: Sequence[Any], chosen: str | None) -> SafeString:
    return format_html_join("", "{}", ((_option(value, label, chosen),) for value, label in choices))


def _option(value: str, label: Any, chosen: str | None) -> SafeString:
    """One option, or a group of them under its label. The groups without the chosen one are all the same."""
    if not isinstance(label, str):
        inside = chosen if chosen in dict(label) else None
        return format_html('<optgroup label="{}">{}</optgroup>', value, _options(label, inside))
    if value == chosen:
        return format_html('<option value="{}" selected>{}</option>', value, label)
    return format_html('<option value="{}">{}</option>', value, label)


def weekly_mail_field() -> BooleanField:
    """The choice to get the weekly report by mail, never made for the person."""
    return BooleanField(
        label="Send me my weekly report by e-mail",
        required=False,
        help_text="On Mondays: what moved, where you are weak, what to practise. A link in it stops it.",
    )
