"""An uploaded file and the choices beside it."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from prepapp.bank.transfer.formats import FORMATS
from prepapp.bank.transfer.readers.limits import MAX_FILE

MEGABYTE = 1_000_000


class ImportForm(forms.Form):
    """A file to be looked at; nothing of it is imported yet."""

    file = forms.FileField(
        label="File",
        error_messages={
            "required": "Choose a file first.",
            "missing": "Choose a file first.",
            "empty": "This file is empty (0 bytes), so there is nothing to import.",
        },
    )
    publishes = forms.BooleanField(
        label="Publish complete questions as the file says",
        required=False,
        help_text="New questions that are complete and pass the lint get the status the file gives them, "
        "without a second reader. Everything else becomes a draft.",
    )

    def __init__(self, *args: Any, may_publish: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        suffixes = [suffix for found in FORMATS if found.reads for suffix in found.suffixes]
        self.fields["file"].widget.attrs["accept"] = ",".join(suffixes)
        if not may_publish:
            del self.fields["publishes"]

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (size := file.size or 0) > MAX_FILE:
            raise forms.ValidationError(
                f"This file has {size / MEGABYTE:.1f} MB; {MAX_FILE // MEGABYTE} MB is the most. "
                "Nothing of it was read. Divide it into several files."
            )
        return file
