"""What the page of a pack sends: the level it is shown for, and a press of one of its start buttons."""

from typing import Any

from django import forms

from prepapp.bank.choices import Level
from prepapp.bank.models import Pack
from prepapp.interviews.forms import StartForm
from prepapp.interviews.models import Blueprint


class PackLevelForm(forms.Form):
    """For whom the formats are shown; without one, for the candidate's own level."""

    level = forms.ChoiceField(choices=Level.choices, required=False)


class PackStartForm(StartForm):
    """One press of a start button of a pack, which asks for no track."""

    track = None  # type: ignore[assignment]

    def __init__(self, *args: Any, pack: Pack, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pack = pack

    def clean_blueprint(self) -> Blueprint:
        blueprint = super().clean_blueprint()
        if blueprint.slug not in self.pack.blueprints:
            raise forms.ValidationError("The pack does not offer that interview.")
        return blueprint
