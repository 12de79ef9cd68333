"""Text from outside becomes typed values here, or a sentence that says why not."""

from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar
from uuid import UUID, uuid5

from django import forms
from django.db import models
from django.forms.utils import flatatt
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.forms.fields import LongSelect
from prepapp.bank.choices import Level, Status
from prepapp.bank.models import Topic, Track
from prepapp.common.statements import Kept
from prepapp.interviews.choices import Band, MarkValue, Mode, State
from prepapp.interviews.logbook.listing import HistoryChoices, HistoryFilter
from prepapp.interviews.models import Blueprint
from prepapp.interviews.recipes import read_recipe


class ChooseForm(forms.Form):
    """The start page's own choice: what is being prepared for."""

    track = forms.ModelChoiceField(Track.objects.all(), required=False)
    level = forms.ChoiceField(choices=Level.choices, required=False)
    mode = forms.ChoiceField(choices=Mode.choices, required=False)


class KeptChoiceField(forms.CharField):
    """A choice that is looked up by a kept statement with the placeholder `value`; for a form that is never
    drawn."""

    default_error_messages: ClassVar = {"invalid_choice": "That choice is not offered."}

    def __init__(self, kept: Kept[Any], **options: Any) -> None:
        super().__init__(**options)
        self.kept = kept

    def clean(self, value: Any) -> Any:
        found = self.kept.first(value=super().clean(value))
        if found is None:
            raise forms.ValidationError(self.error_messages["invalid_choice"], code="invalid_choice")
        return found


_FORMAT = Kept(lambda value: Blueprint.objects.filter(is_active=True, slug=value), value=models.CharField())
_TRACK = Kept(lambda value: Track.objects.filter(code=value), value=models.CharField())


class StartForm(forms.Form):
    """One press of a start button. `start_key` was made with the page, so a repeat is recognised."""

    blueprint = KeptChoiceField(_FORMAT)
    track = KeptChoiceField(_TRACK)
    level = forms.ChoiceField(choices=Level.choices)
    mode = forms.ChoiceField(choices=Mode.choices)
    start_key = forms.UUIDField()

    def clean_blueprint(self) -> Blueprint:
        blueprint: Blueprint = self.cleaned_data["blueprint"]
        if read_recipe(blueprint.recipe).is_drill:
            raise forms.ValidationError("A drill is started for a topic.")
        return blueprint


class DrillForm(forms.Form):
    """One press of a drill button. The page has one key for all its topics; with the topic it is the key of
    one start, so that a press on one topic never finds what another made."""

    topic = forms.ModelChoiceField(Topic.objects.all())
    start_key = forms.UUIDField()

    def key(self) -> UUID:
        return uuid5(self.cleaned_data["start_key"], self.cleaned_data["topic"].pk)


class CustomForm(forms.Form):
    """An interview put together by hand."""

    track = forms.ModelChoiceField(
        Track.objects.all(),
        empty_label=None,
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), "That track is not offered any more. Choose another one."
        ),
    )
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
    start_key = forms.UUIDField(
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("required", "invalid"), "This form was too old. Press start again."),
    )

    def __init__(self, *args: Any, track: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        topics = self.fields["topics"]
        assert isinstance(topics, forms.ModelMultipleChoiceField)
        topics.queryset = Topic.objects.filter(tracks=track, questions__status=Status.PUBLISHED).distinct()

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

    def clean_text(self) -> str:
        # An empty text empties the answer; a request that lost it on the way must not.
        if "text" not in self.data:
            raise forms.ValidationError("The text is missing.")
        return str(self.cleaned_data["text"])

    def clean_spent(self) -> int:
        return self.cleaned_data["spent"] or 0


class GoForm(SaveForm):
    """Save and move on. `go` is next, previous, skip, finish or a position. With `unchanged` the page says
    that nothing was typed since the last save, so there is nothing to save."""

    unchanged = forms.BooleanField(required=False)
    go = forms.RegexField(r"^(next|previous|skip|finish|stay|[1-9][0-9]{0,2})$")


class ConfidenceForm(forms.Form):
    """The answer to 'how well did I do?', before anything is revealed."""

    confidence = forms.ChoiceField(
        choices=Band.choices,
        error_messages={"required": "Choose one of the four.", "invalid_choice": "Choose one of the four."},
    )


class MarkForm(forms.Form):
    """One rubric point, marked. `quote` are the words of the answer that earn it; `shown` says that the
    page has the model answer already."""

    point = forms.IntegerField(min_value=1)
    value = forms.TypedChoiceField(
        choices=MarkValue.choices,
        coerce=int,
        error_messages={
            "required": "Choose missed, partly or met.",
            "invalid_choice": "Choose missed, partly or met.",
        },
    )
    quote = forms.CharField(
        required=False,
        max_length=1000,
        error_messages={"max_length": "Quote at most 1,000 characters: the words that earn the mark."},
    )
    shown = forms.BooleanField(required=False)


class LessonForm(forms.Form):
    """The line 'fix next time', and where to go after it."""

    fix_next = forms.CharField(
        required=False,
        max_length=300,
        error_messages={"max_length": "Keep it to 300 characters: one thing to do differently."},
    )
    go = forms.ChoiceField(choices=[("stay", ""), ("next", ""), ("result", "")], required=False)


class GradingChoiceForm(forms.Form):
    """Which grading of an attempt to read; empty: the newest."""

    grading = forms.IntegerField(min_value=1, max_value=32_767, required=False)


class DayInput(forms.DateInput):
    """A day, written without a template."""

    input_type = "date"

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        typed = self.format_value(value)
        about = {"type": self.input_type, "name": name, **({} if typed is None else {"value": typed})}
        return format_html("<input{}>", flatatt(self.build_attrs(self.attrs, {**about, **(attrs or {})})))


# What a date input sends; further days would overflow in some zone.
DAY_FORMATS = ["%Y-%m-%d"]
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2100, 12, 31)


class HistoryForm(forms.Form):
    """The filters of the history. Codes that name nothing find nothing; days are in the person's own zone.

    `choices` fills the selects; a reply without the form needs none.
    """

    track = forms.CharField(required=False, max_length=20, widget=LongSelect)
    topic = forms.CharField(required=False, max_length=40, widget=LongSelect)
    blueprint = forms.CharField(label="Interview", required=False, max_length=60, widget=LongSelect)
    mode = forms.ChoiceField(required=False, choices=[("", "Both modes"), *Mode.choices], widget=LongSelect)
    state = forms.ChoiceField(required=False, choices=[("", "Any state"), *State.choices], widget=LongSelect)
    since = forms.DateField(label="From", required=False, widget=DayInput, input_formats=DAY_FORMATS)
    until = forms.DateField(label="To", required=False, widget=DayInput, input_formats=DAY_FORMATS)
    sort = forms.ChoiceField(
        required=False,
        choices=[("", "Newest first"), ("score", "Best score first")],
        widget=LongSelect,
    )

    def __init__(self, *args: Any, choices: HistoryChoices | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        if choices:
            for name, offered in (
                ("track", [("", "All tracks"), *choices.tracks]),
                ("topic", [("", "All topics"), *choices.topics]),
                ("blueprint", [("", "All interviews"), *choices.blueprints]),
            ):
                widget = self.fields[name].widget
                assert isinstance(widget, forms.Select)
                widget.choices = offered

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        for name in ("since", "until"):
            day = values.get(name)
            if day and not FIRST_DAY <= day <= LAST_DAY:
                self.add_error(name, f"Choose a day from {FIRST_DAY.year} to {LAST_DAY.year}.")
        since, until = values.get("since"), values.get("until")
        if since and until and until < since:
            self.add_error("until", "This day is before the first one.")
        return values

    def wanted(self) -> HistoryFilter:
        """The valid form as a filter."""
        values = self.cleaned_data
        until = values["until"]
        return HistoryFilter(
            track=values["track"],
            topic=values["topic"],
            blueprint=values["blueprint"],
            mode=values["mode"],
            state=values["state"],
            since=_day_start(values["since"]),
            until=_day_start(until + timedelta(days=1) if until else None),
            by_score=values["sort"] == "score",
        )


class RetakeForm(forms.Form):
    """One press of 'take it again'; `start_key` as in StartForm."""

    start_key = forms.UUIDField()


class CompareForm(forms.Form):
    """Two attempts and the reference of a question both have asked."""

    a = forms.UUIDField()
    b = forms.UUIDField()
    question = forms.CharField(max_length=60)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("a") == values.get("b"):
            raise forms.ValidationError("An attempt cannot be compared with itself.")
        return values


def _day_start(day: date | None) -> datetime | None:
    """The instant the day begins in the zone of this request."""
    return datetime.combine(day, time.min, tzinfo=timezone.get_current_timezone()) if day else None
