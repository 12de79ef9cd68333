"""What an act on many questions has to know beside the questions."""

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.bank.models import Pack, Topic


class NoteForm(forms.Form):
    note = forms.CharField(
        label="Why",
        max_length=500,
        help_text="One line for the log.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )


class TopicForm(forms.Form):
    topic = forms.ModelChoiceField(Topic.objects.all(), label="New topic", widget=UnfoldAdminSelectWidget)


class TagForm(forms.Form):
    tag = forms.RegexField(
        r"^[a-z0-9]+(-[a-z0-9]+)*$",
        label="Tag",
        max_length=40,
        help_text="Lower-case words joined by hyphens.",
        error_messages={"invalid": "Write lower-case letters and digits, words joined by hyphens."},
        widget=UnfoldAdminTextInputWidget,
    )


class PackForm(forms.Form):
    pack = forms.ModelChoiceField(Pack.objects.all(), label="Pack", widget=UnfoldAdminSelectWidget)


class OwnerForm(forms.Form):
    owner = forms.ModelChoiceField(
        User.objects.exclude(role=Role.NONE).order_by("email"),
        label="Owner",
        required=False,
        empty_label="Nobody",
        widget=UnfoldAdminSelectWidget,
    )
