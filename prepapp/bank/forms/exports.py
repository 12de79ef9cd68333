"""Which questions go into a file, and in which format."""

from typing import Any

from django import forms

from prepapp.bank.choices import Status
from prepapp.bank.queries.exporting import ExportChoices, ExportFilter
from prepapp.bank.transfer.writers import WRITTEN

_STATUSES = (
    ("", "Any status"),
    (Status.PUBLISHED, "Published"),
    (Status.RETIRED, "Retired"),
    (Status.DRAFT, "Never published"),
)


class ExportForm(forms.Form):
    """What an address asks to be written. A value that is not on offer is an error, since a file that holds
    something else than was meant is found out late."""

    format = forms.ChoiceField(
        label="Format",
        choices=[(found.name, f"{found.name}: {found.description}") for found in WRITTEN],
        error_messages={"invalid_choice": "“%(value)s” is not a format that can be written."},
    )
    track = forms.ChoiceField(label="Track", required=False)
    topic = forms.ChoiceField(label="Topic", required=False)
    status = forms.ChoiceField(label="Status", required=False, choices=_STATUSES)

    def __init__(self, *args: Any, choices: ExportChoices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for name, values in (
            ("track", [("", "Any track"), *choices.tracks]),
            ("topic", [("", "Any topic"), *choices.topics]),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = values

    def wanted(self) -> ExportFilter:
        """The filter of a valid form."""
        return ExportFilter(**{name: self.cleaned_data[name] for name in ("track", "topic", "status")})
