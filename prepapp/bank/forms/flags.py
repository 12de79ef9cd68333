"""What a candidate says about a question, what a curator answers, and what the queue is narrowed by."""

import re
from typing import Any
from urllib.parse import urlencode

from django import forms

from prepapp.bank.choices import FlagOutcome, FlagPlace, FlagReason
from prepapp.bank.queries import FilterChoices
from prepapp.bank.queries.flags import FlagFilter

MAX_WORDS = 2_000
MAX_ANSWER = 4_000
_SEEN = re.compile(r"([0-9]{1,18}):([0-9]{1,6})")
_BROKEN = "This form is broken. Reload the page and write the answer again."
_NUL = "The text holds a character that cannot be stored (NUL). Remove it and send it again."


class _Words(forms.CharField):
    """Text in a box. Browsers send two characters for a line break that the box counted as one."""

    def __init__(self, *, most: int, rows: int, **options: Any) -> None:
        self.most = most
        widget = forms.Textarea(attrs={"rows": rows, "maxlength": most})
        super().__init__(widget=widget, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n")

    def clean(self, value: Any) -> str:
        if "\0" in str(value or ""):
            raise forms.ValidationError(_NUL)
        text: str = super().clean(value)
        if len(text) > self.most:
            raise forms.ValidationError(
                f"This has {len(text):,} characters; {self.most:,} is the most. It is still in the box: "
                "shorten it and send it again."
            )
        return text


class FlagForm(forms.Form):
    """What is wrong with a question, in a candidate's words. Its ids carry the number of the version, since
    a page may hold several."""

    reason = forms.ChoiceField(
        label="What is it?",
        choices=FlagReason.choices,
        error_messages={
            "required": "Choose what it is.",
            "invalid_choice": "Choose one of the reasons on the list.",
        },
    )
    text = _Words(
        label="In your words",
        required=False,
        most=MAX_WORDS,
        rows=3,
        help_text="Where it is, and what it should say. A curator reads it and answers you here.",
    )
    place = forms.ChoiceField(choices=FlagPlace.choices, widget=forms.HiddenInput)

    def __init__(self, *args: Any, version_id: int, **options: Any) -> None:
        options |= {"auto_id": f"flag-{version_id}-%s", "label_suffix": ""}
        super().__init__(*args, **options)

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("reason") == FlagReason.OTHER and self.cleaned_data.get("text") == "":
            self.add_error("text", "Say in a few words what it is, so that it can be mended.")
        return self.cleaned_data


class SettleForm(forms.Form):
    """The answer to all open flags of one question and reason, with what the curator had before them."""

    seen = forms.Field(widget=forms.MultipleHiddenInput, error_messages={"required": _BROKEN})
    answer = _Words(
        label="Your answer",
        most=MAX_ANSWER,
        rows=4,
        help_text="Everybody who flagged this reads it.",
        error_messages={"required": "Write an answer: the people who flagged this read it."},
    )
    outcome = forms.ChoiceField(
        label="What comes of it",
        widget=forms.RadioSelect,
        error_messages={
            "required": "Choose what comes of it.",
            "invalid_choice": "Choose one of these. Only a reviewer may retire a question.",
        },
    )

    def __init__(self, *args: Any, reason: str, may_retire: bool, **options: Any) -> None:
        options |= {"auto_id": f"settle-{reason}-%s", "label_suffix": ""}
        super().__init__(*args, **options)
        field = self.fields["outcome"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (value, label)
            for value, label in FlagOutcome.choices
            if may_retire or value != FlagOutcome.RETIRED
        ]

    def clean_seen(self) -> dict[int, int]:
        """The length of each flag's text by its number, as the page said them."""
        found = [_SEEN.fullmatch(str(value)) for value in self.cleaned_data["seen"]]
        if not all(found):
            raise forms.ValidationError(_BROKEN)
        return {int(match[1]): int(match[2]) for match in found if match}


class FlagFilterForm(forms.Form):
    """What narrows the queue. A value that is not on offer is left out."""

    reason = forms.ChoiceField(
        label="Reason", required=False, choices=[("", "Any reason"), *FlagReason.choices]
    )
    track = forms.ChoiceField(label="Track", required=False)
    topic = forms.ChoiceField(label="Topic", required=False)
    state = forms.ChoiceField(label="State", required=False, choices=[("", "Open"), ("settled", "Answered")])

    def __init__(self, *args: Any, choices: FilterChoices, **options: Any) -> None:
        options.setdefault("label_suffix", "")
        super().__init__(*args, **options)
        offered: dict[str, list[Any]] = {
            "track": [("", "Any track"), *choices.tracks],
            "topic": [("", "Any topic"), *choices.topics],
        }
        for name, values in offered.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = values

    def wanted(self) -> FlagFilter:
        self.is_valid()
        found = self.cleaned_data
        return FlagFilter(
            reason=found.get("reason", ""),
            track=found.get("track", ""),
            topic=found.get("topic", ""),
            is_settled=found.get("state") == "settled",
        )

    def query(self) -> str:
        """What narrows, as a query string for links; '' if nothing does."""
        self.is_valid()
        return urlencode({name: value for name, value in self.cleaned_data.items() if value})


def read_flag_ids(values: list[str]) -> list[int]:
    """The numbers of flags that a page sent back; what is no number is left out."""
    return [int(value) for value in values if value.isascii() and value.isdigit() and len(value) <= 18]
