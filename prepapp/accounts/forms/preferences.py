"""What a person says about themselves and how they want the site."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms

from prepapp.accounts.choices import Level, Theme
from prepapp.accounts.forms.fields import FocusedField, LongSelect, weekly_mail_field
from prepapp.accounts.models import User
from prepapp.accounts.zones import zone_choices, zone_names

# Further away nobody has an interview; it is a slip of the keyboard.
FURTHEST_DATE = timedelta(days=5 * 365)


class AboutYouForm(forms.Form):
    """The choices that make the first suggestions fit. `tracks` are (code, title) pairs; `guess` is the
    zone the browser reported, offered until the person has confirmed one."""

    bound_field_class = FocusedField

    track = forms.ChoiceField(label="What you prepare for", required=False)
    level = forms.ChoiceField(label="Level of the questions", choices=Level.choices)
    interview_date = forms.DateField(
        label="Date of your interview",
        required=False,
        help_text="Leave it empty while there is none.",
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={"invalid": "Enter a date as year-month-day, for example 2027-03-09."},
    )
    time_zone = forms.ChoiceField(
        label="Time zone",
        help_text="Every time on the site is shown in it. Type a city to find it.",
        widget=LongSelect,
    )

    def __init__(
        self,
        data: Any = None,
        *,
        person: User,
        tracks: Sequence[tuple[str, str]],
        now: datetime,
        guess: str = "",
    ) -> None:
        self.now = now
        zone = person.time_zone
        if not person.is_time_zone_confirmed and guess in zone_names():
            zone = guess
        today = now.astimezone(ZoneInfo(zone)).date()
        planned = person.interview_date
        initial = {
            "track": person.track,
            "level": person.level,
            "interview_date": planned if planned and planned >= today else None,
            "time_zone": zone,
            "theme": person.theme,
        }
        super().__init__(data, initial=initial)
        self._offer("track", [("", "Not decided yet"), *tracks])
        self._offer("time_zone", zone_choices(zone))
        self.fields["interview_date"].widget.attrs["min"] = today.isoformat()
        if not person.is_time_zone_confirmed and not self.is_bound:
            self.fields["time_zone"].widget.attrs["data-guess-time-zone"] = True

    def _offer(self, name: str, choices: Sequence[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        field.error_messages["invalid_choice"] = "Choose one from the list."

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        day, zone = values.get("interview_date"), values.get("time_zone")
        if day and zone:
            today = self.now.astimezone(ZoneInfo(zone)).date()
            if refusal := _date_refusal(day, today):
                self.add_error("interview_date", refusal)
        return values


class PreferencesForm(AboutYouForm):
    """All preferences except the time allowance, which has a form of its own since it reaches into
    running interviews."""

    theme = forms.ChoiceField(choices=Theme.choices, widget=forms.RadioSelect)
    wants_weekly_mail = weekly_mail_field()

    def __init__(self, data: Any = None, *, person: User, **surroundings: Any) -> None:
        super().__init__(data, person=person, **surroundings)
        self.initial["wants_weekly_mail"] = person.wants_weekly_mail
        if person.is_guest:
            # There is no address to send it to.
            del self.fields["wants_weekly_mail"]


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=Theme.choices)
    next = forms.CharField(required=False)


def _date_refusal(day: date, today: date) -> str:
    if day < today:
        return f"{day:%-d %b %Y} is in the past. Choose today or a later day, or leave it empty."
    if day > today + FURTHEST_DATE:
        return "That is more than five years away. Check the year."
    return ""
