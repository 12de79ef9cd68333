"""Text from outside becomes typed values here, or a sentence that says why not."""

from typing import Any

from django import forms

from prepapp.accounts.choices import TimeAllowance
from prepapp.bank.choices import Level, Status
from prepapp.bank.models import Topic, Track
from prepapp.interviews.choices import Mode
from prepapp.interviews.models import Blueprint


class ChooseForm(forms.Form):
    """The start page's own choice: what is being prepared for."""

    track = forms.ModelChoiceField(Track.objects.all(), required=False)
    level = forms.ChoiceField(choices=Level.choices, required=False)
    mode = forms.ChoiceField(choices=Mode.choices, required=False)


class StartForm(forms.Form):
    """One press of a start button. `start_key` was made with the page, so a repeat is recognised."""

    blueprint = forms.ModelChoiceField(Blueprint.objects.filter(is_active=True), to_field_name="slug")
    track = forms.ModelChoiceField(Track.objects.all())
    level = forms.ChoiceField(choices=Level.choices)
    mode = forms.ChoiceField(choices=Mode.choices)
    start_key = forms.UUIDField()


class CustomForm(forms.Form):
    """An interview put together by hand."""

    track = forms.ModelChoiceField(Track.objects.all(), empty_label=None)
    topics = forms.ModelMultipleChoiceField(
        Topic.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: any topic of the track.",
    )
    level = forms.ChoiceField(choices=Level.choices, initial=Level.INTERMEDIATE)
    count = forms.IntegerField(label="Questions", min_value=1, max_value=20, initial=3)
    minutes = forms.IntegerField(label="Minutes", min_value=4, max_value=240, initial=20)
    mode = forms.ChoiceField(choices=Mode.choices, initial=Mode.MOCK, widget=forms.RadioSelect)
    start_key = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, track: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        topics = self.fields["topics"]
        assert isinstance(topics, forms.ModelMultipleChoiceField)
        topics.queryset = Topic.objects.filter(
            tracks=track, questions__status=Status.PUBLISHED
        ).distinct()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        count, minutes = values.get("count"), values.get("minutes")
        if count and minutes and minutes // count < 4:
            self.add_error(
                "minutes", f"{count} questions need at least {count * 4} minutes: the shortest takes 4."
            )
        return values


class AllowanceForm(forms.Form):
    """How much more time the person needs."""

    time_allowance = forms.ChoiceField(choices=TimeAllowance.choices)


class SaveForm(forms.Form):
    """One autosave. `spent` is the seconds the question was on screen since the last one."""

    text = forms.CharField(required=False, strip=False)
    revision = forms.IntegerField(min_value=0, max_value=2_000_000_000)
    spent = forms.IntegerField(min_value=0, max_value=86_400, required=False)

    def clean_spent(self) -> int:
        return self.cleaned_data["spent"] or 0


class GoForm(SaveForm):
    """Save and move on. `go` is next, previous, skip, finish or a position."""

    go = forms.RegexField(r"^(next|previous|skip|finish|stay|[1-9][0-9]{0,2})$")
