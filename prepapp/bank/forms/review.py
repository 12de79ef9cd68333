"""What is decided about a draft or a question: handed in, published, returned, retired, owned."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms

from prepapp.accounts.models import User
from prepapp.bank.choices import Change


class RevisionForm(forms.Form):
    """Which revision of the draft was read."""

    revision = forms.IntegerField(min_value=0, max_value=2_000_000_000, widget=forms.HiddenInput)


class HandInForm(RevisionForm):
    """The reason counts where the draft is much like another question."""

    reason = forms.CharField(
        label="Why both are needed",
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Only where it nearly repeats another question. It is kept in the history.",
    )


class PublishForm(RevisionForm):
    """What the new version does to its question."""

    change = forms.ChoiceField(
        label="Did the meaning change?",
        choices=[
            (Change.MINOR.value, "No: same meaning, better words"),
            (Change.MAJOR.value, "Yes: an answer or a mark to the old text may not hold"),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Say whether the meaning changed."},
        help_text="After a change of meaning those who were asked the old text are told, and its statistics "
        "start anew.",
    )
    note = forms.CharField(
        label="Note to readers",
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What changed, in a sentence. Shown beside answers to the old text.",
    )

    def __init__(self, *args: Any, is_first: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_first:
            del self.fields["change"]

    @property
    def decided(self) -> Change:
        """What was chosen; the first version always gives the question its meaning."""
        return Change(self.cleaned_data.get("change", Change.MAJOR))


class ReturnForm(forms.Form):
    """Nobody gets work back without a word."""

    note = forms.CharField(
        label="What is to be mended",
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Say what is to be mended; the writers read it."},
    )


class NoteForm(forms.Form):
    """A line for the history."""

    note = forms.CharField(label="Why", required=False, max_length=500)


class OwnerForm(forms.Form):
    """Who looks after a question."""

    owner = forms.TypedChoiceField(label="Owner", required=False, coerce=UUID, empty_value=None)

    def __init__(self, *args: Any, people: Sequence[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._people = {person.pk: person for person in people}
        field = self.fields["owner"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [("", "Nobody"), *((str(person.pk), str(person)) for person in people)]

    @property
    def person(self) -> User | None:
        return self._people.get(self.cleaned_data["owner"])
