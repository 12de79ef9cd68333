"""The marks of a sample answer as a form sends them: one choice for each point, all of them at once."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django import forms

from prepapp.interviews.choices import MarkValue

_UNMARKED = "Mark this point: missed, partly or met."


class SampleForm(forms.Form):
    """One press of 'compare'. `grade_key` was made with the page, so a repeat is recognised."""

    grade_key = forms.UUIDField(
        error_messages=dict.fromkeys(
            ("required", "invalid"), "This form was incomplete. Press the button again."
        ),
    )

    def __init__(self, *args: Any, points: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.points = tuple(points)
        for key in self.points:
            self.fields[self.field_name(key)] = forms.TypedChoiceField(
                choices=MarkValue.choices,
                coerce=int,
                error_messages=dict.fromkeys(("required", "invalid_choice"), _UNMARKED),
            )

    @staticmethod
    def field_name(key: str) -> str:
        """The name of a point's choice in the form."""
        return f"mark-{key}"

    def marks(self) -> dict[str, int]:
        """The valid form as a mark by the key of each point."""
        return {key: self.cleaned_data[self.field_name(key)] for key in self.points}

    def chosen(self, key: str) -> str:
        """What was chosen for a point, as it was sent; '' for nothing that is a mark."""
        value = str(self.data.get(self.field_name(key), ""))
        return value if value in {str(mark) for mark in MarkValue.values} else ""

    def unmarked(self) -> list[str]:
        """The points whose choice is missing, of a form that was sent."""
        return [key for key in self.points if self.field_name(key) in self.errors]


def way_back(sent: Mapping[str, Any]) -> UUID | None:
    """The interview whose grading sent somebody here; None for what is no id. Whose it is, is asked there."""
    try:
        found: UUID | None = forms.UUIDField(required=False).clean(sent.get("attempt", ""))
    except forms.ValidationError:
        return None
    return found
