"""Two people, one draft: both texts side by side, and what is chosen of each becomes the next revision."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.access import desk_question
from prepapp.bank.actions import save_draft
from prepapp.bank.comparison import LABELS, FieldChange, compare
from prepapp.bank.forms.document_form import DocumentForm
from prepapp.bank.models import Question
from prepapp.bank.queries import FilterChoices, filter_choices
from prepapp.bank.queries.documents import draft_text
from prepapp.bank.refusals import DraftChanged, Refusal
from prepapp.bank.rules import chosen_by_base, merged
from prepapp.bank.transfer.document import Document
from prepapp.bank.views.doors import may_curate
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest

CONFLICT = 409
CHOICE = "keep-"


@dataclass(frozen=True)
class Disagreement:
    """One key of the document on which both texts differ: from theirs to mine, and whose is proposed."""

    key: str
    label: str
    changes: tuple[FieldChange, ...]
    proposed: str


@require_POST
@account_required
@may_curate
def question_merge(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Saves what was chosen over the revision that was shown; if there is yet another one, asks again."""
    question = desk_question(question_id)
    base_revision, seen = number_of(request, "revision"), number_of(request, "seen")
    form = read_form(request, draft_text(question.pk, base_revision), filter_choices())
    theirs = draft_text(question.pk, seen)
    act = request.POST.get("act", "")
    if act == "theirs":
        messages.success(request, "Theirs is kept. Nothing of yours was saved.")
        return redirect("desk:question-edit", question.pk)
    mine = {
        key
        for key in {*form.document, *theirs}
        if act == "mine" or request.POST.get(f"{CHOICE}{key}") != "theirs"
    }
    document = merged(form.document, theirs, mine)
    try:
        draft = save_draft(
            question_id=question.pk, document=document, revision=seen, by=person, now=read_clock()
        )
    except DraftChanged as refusal:
        return conflict_page(request, question, form, base_revision, refusal)
    except Refusal as refusal:
        stored = DraftChanged(seen, theirs, "")
        return conflict_page(request, question, form, base_revision, stored, problem=str(refusal))
    messages.success(request, f"Both texts are put together as revision {draft.revision}.")
    return redirect("desk:question-edit", question.pk)


def conflict_page(
    request: HtmxRequest,
    question: Question,
    form: DocumentForm,
    revision: int,
    conflict: DraftChanged,
    problem: str = "",
) -> HttpResponse:
    """Both texts, field by field; what only one of them changed is proposed from that one."""
    base = draft_text(question.pk, revision)
    page = {
        "section": "desk",
        "question": question,
        "disagreements": disagreements(base, form.document, conflict.stored),
        "by": conflict.by,
        "revision": revision,
        "seen": conflict.revision,
        # What the next form is made from; nothing that was typed is left out.
        "typed": {name: text for name, text in form.data.items() if not _is_ours(name)},
        "problem": problem,
    }
    return render(request, "bank/desk/conflict.html", page, status=CONFLICT)


def disagreements(base: Document, mine: Document, theirs: Document) -> list[Disagreement]:
    """What differs between the two, by key, in the order of writing."""
    changes: dict[str, list[FieldChange]] = {}
    for change in compare(theirs, mine):
        changes.setdefault(change.key, []).append(change)
    return [
        Disagreement(key, LABELS.get(key, key), tuple(found), chosen_by_base(key, base, mine, theirs))
        for key, found in changes.items()
    ]


def read_form(request: HtmxRequest, base: Document, choices: FilterChoices) -> DocumentForm:
    """What was sent, over the document the form was made from."""
    data = {name: text for name, text in request.POST.dict().items() if not _is_ours(name)}
    return DocumentForm(data, base=base, topics=topics_of(choices))


def topics_of(choices: FilterChoices) -> tuple[tuple[str, str], ...]:
    """Every topic that may be chosen, as (code, title)."""
    return tuple(topic for _, part in choices.topics for topic in part)


def number_of(request: HtmxRequest, name: str) -> int:
    """A number a hidden field carries; 0 if it does not."""
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _is_ours(name: str) -> bool:
    return name in {"csrfmiddlewaretoken", "revision", "seen", "act", "key"} or name.startswith(CHOICE)
