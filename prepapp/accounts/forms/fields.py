"""How the fields of these forms show on a page."""

from typing import Any

from django.forms import BooleanField, BoundField, Form, Widget


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


def weekly_mail_field() -> BooleanField:
    """The choice to get the weekly report by mail, never made for the person."""
    return BooleanField(
        label="Send me my weekly report by e-mail",
        required=False,
        help_text="On Mondays: what moved, where you are weak, what to practise. A link in it stops it.",
    )
