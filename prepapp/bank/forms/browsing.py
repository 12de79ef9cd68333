"""Text from a reader becomes typed values, or a sentence that says why not."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings

from prepapp.bank.choices import Kind, Level
from prepapp.bank.queries import FilterChoices, QuestionFilter

ANY = ""


class QuestionFilterForm(forms.Form):
    """What narrows the list of questions. A value that is not on offer is named and left out."""

    q = forms.CharField(
        label="Search", required=False, max_length=100, widget=forms.TextInput(attrs={"type": "search"})
    )
    track = forms.ChoiceField(label="Track", required=False)
    topic = forms.ChoiceField(label="Topic", required=False)
    level = forms.ChoiceField(label="Level", required=False, choices=[(ANY, "Any level"), *Level.choices])
    kind = forms.ChoiceField(label="Kind", required=False, choices=[(ANY, "Any kind"), *Kind.choices])
    pack = forms.ChoiceField(label="Pack", required=False)
    tag = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def __init__(self, *args: Any, choices: FilterChoices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered: dict[str, list[Any]] = {
            "track": [(ANY, "Any track"), *choices.tracks],
            "topic": [(ANY, "Any topic"), *choices.topics],
            "pack": [(ANY, "Any pack"), *choices.packs],
        }
        for name, values in offered.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = values
        for field in self.fields.values():
            if isinstance(field, forms.ChoiceField):
                field.error_messages["invalid_choice"] = (
                    "“%(value)s” is not one of the choices; it was left out."
                )

    def wanted(self) -> QuestionFilter:
        """The values that are on offer."""
        self.is_valid()
        return QuestionFilter(**self.cleaned_data)

    def query(self) -> str:
        """The same as a query string for links, without what does not narrow; '' if nothing does."""
        self.is_valid()
        return urlencode({name: value for name, value in self.cleaned_data.items() if value})


class AnswerForm(forms.Form):
    """What the reader wrote before looking. It is shown back and not stored, and may be empty."""

    text = forms.CharField(
        label="Your answer",
        required=False,
        strip=False,
        help_text="It is not saved and only you see it. You can also answer aloud and leave it empty.",
        widget=forms.Textarea(attrs={"rows": 10, "maxlength": settings.ANSWER_MAX_CHARACTERS}),
    )

    def clean_text(self) -> str:
        # Browsers send two characters for a line break that the page counted as one.
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        if len(text) > settings.ANSWER_MAX_CHARACTERS:
            raise forms.ValidationError(
                f"Your answer has {len(text):,} characters; {settings.ANSWER_MAX_CHARACTERS:,} is the most. "
                "It is still in the box: shorten it and try again."
            )
        return text.strip("\n")
