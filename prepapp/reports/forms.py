"""Text from the desk becomes typed values, or a sentence that says why not."""

from typing import Any
from urllib.parse import urlencode

from django import forms

from prepapp.bank.queries import FilterChoices
from prepapp.reports.choices import StatisticsList
from prepapp.reports.queries.item_lists import ItemFilter


class StatisticsForm(forms.Form):
    """Which list of items, and what narrows it. A value that is not on offer is named and left out."""

    list = forms.ChoiceField(label="List", required=False, choices=StatisticsList.choices)
    track = forms.ChoiceField(label="Track", required=False)
    topic = forms.ChoiceField(label="Topic", required=False)

    def __init__(self, *args: Any, choices: FilterChoices, **options: Any) -> None:
        options.setdefault("label_suffix", "")
        super().__init__(*args, **options)
        offered: dict[str, Any] = {
            "track": [("", "Any track"), *choices.tracks],
            "topic": [("", "Any topic"), *choices.topics],
        }
        for name, field in self.fields.items():
            assert isinstance(field, forms.ChoiceField)
            if name in offered:
                field.choices = offered[name]
            field.error_messages["invalid_choice"] = "“%(value)s” is not one of the choices; it was left out."

    def wanted(self) -> ItemFilter:
        """The values that are on offer; the first list if none is named."""
        self.is_valid()
        found = self.cleaned_data
        return ItemFilter(
            name=StatisticsList(found.get("list") or StatisticsList.EASY),
            track=found.get("track", ""),
            topic=found.get("topic", ""),
        )

    def query(self) -> str:
        """The same as a query string for links; '' if nothing is chosen."""
        self.is_valid()
        return urlencode({name: value for name, value in self.cleaned_data.items() if value})

    def narrowing(self) -> str:
        """What narrows, without the list."""
        self.is_valid()
        return urlencode(
            {name: value for name, value in self.cleaned_data.items() if value and name != "list"}
        )
