"""The anchor: the least that Django can do for a page and for a save, as a multiple of which costs are given.

`page` is one SELECT and a small template, `save` one SELECT and one UPDATE. No middleware, no session, no
sign-in. Server, database and connection pool are the product's; the settings are in `bare_settings`. The
model belongs to no installed app, so both the anchor's server and the driver can use it.
"""

from django.db import connection, models
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path

ROWS = 100


class Note(models.Model):
    """One answer's worth of text."""

    title = models.CharField(max_length=100)
    text = models.TextField()
    revision = models.PositiveIntegerField(default=0)

    class Meta:
        app_label = "bare"

    def __str__(self) -> str:
        return self.title


def create_notes() -> None:
    """The table with its rows; called by the driver, in the database under measurement."""
    with connection.schema_editor() as editor:
        editor.create_model(Note)
    Note.objects.bulk_create(
        Note(pk=number, title=f"Note {number}", text="word " * 120) for number in range(1, ROWS + 1)
    )


def page(request: HttpRequest, number: int) -> HttpResponse:
    return render(request, "page.html", {"note": Note.objects.get(pk=number)})


def save(request: HttpRequest, number: int) -> HttpResponse:
    note = Note.objects.get(pk=number)
    Note.objects.filter(pk=number).update(text=request.POST["text"], revision=note.revision + 1)
    return JsonResponse({"revision": note.revision + 1})


urlpatterns = [path("page/<int:number>", page), path("save/<int:number>", save)]
