"""Which fields the form of a question has, in the order an author writes them: names, labels, help.

Here: the description alone. Not here: how fields are read (`document_form`) and shown (`document_boxes`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from prepapp.bank.choices import Kind, Level


class Shape(Enum):
    """What a value is, and how it is asked for."""

    LINE = "line"
    TEXT = "text"
    CODE = "code"
    NUMBER = "number"
    FLAG = "flag"
    NAMES = "names"
    CHOICE = "choice"


Choices = tuple[tuple[str, str], ...]
NOTHING = ("", "Not chosen yet")


@dataclass(frozen=True)
class Field:
    """One key of a document. `rows` is the height of a text box."""

    key: str
    label: str
    shape: Shape = Shape.TEXT
    rows: int = 2
    help: str = ""
    choices: Choices = ()


@dataclass(frozen=True)
class Part:
    """An object of a document: its own fields, lists of objects, lists of texts, and single objects."""

    fields: tuple[Field, ...]
    lists: Mapping[str, "Part"] = field(default_factory=dict)
    texts: Mapping[str, Field] = field(default_factory=dict)
    parts: Mapping[str, "Part"] = field(default_factory=dict)


def _point(prefix: str) -> Part:
    return Part(
        fields=(
            Field("id", "Id", Shape.LINE, help=f"{prefix}; given when it is left empty"),
            Field("criterion", "Criterion", help="One act, opening with a verb: States, Names, Computes…"),
            Field("weight", "Weight", Shape.NUMBER),
            Field("must", "Must-have", Shape.FLAG),
            Field("met", "Met sounds like"),
            Field("partial", "Half sounds like"),
        )
    )


FOLLOW_UP = Part(
    fields=(
        Field("id", "Id", Shape.LINE),
        Field("minutes", "Minutes", Shape.NUMBER),
        Field("prompt", "Follow-up question", help="A changed condition."),
        Field("answer", "Its answer", rows=4),
    ),
    lists={"rubric": _point("f1a")},
)
REFERENCE = Part(
    fields=(
        Field("title", "Title of the source", Shape.LINE),
        Field("url", "Address", Shape.LINE, help="https://… or doi:10.…"),
        Field("supports", "Points that rest on it", Shape.NAMES, help="Their ids: r1, r3."),
    )
)
CODE = Part(
    fields=(
        Field(
            "language",
            "Language of the answer",
            Shape.CHOICE,
            choices=(("", "No code"), ("python", "Python"), ("sql", "SQL")),
        ),
        Field("timeout_s", "Time limit in seconds", Shape.NUMBER),
        Field("solution", "Solution", Shape.CODE, rows=8),
        Field(
            "check",
            "Check",
            Shape.CODE,
            rows=8,
            help="Python that ends without an error for the solution. It is run outside of this page.",
        ),
    ),
    texts={"wrong": Field("text", "Wrong answer the check must reject", Shape.CODE, rows=4)},
)
DIFFICULTY = Part(
    fields=(
        Field("rationale", "Why this level"),
        Field("easier", "What makes it easier"),
        Field("harder", "What makes it harder"),
    )
)
REVIEW = Part(
    fields=(
        Field(
            "reviewed",
            "Facts checked on",
            Shape.LINE,
            help="YYYY-MM-DD. Empty: the day it is published.",
        ),
        Field("recheck_months", "Check again after months", Shape.NUMBER),
    )
)
QUESTION = Part(
    fields=(
        Field("title", "Title", Shape.LINE),
        Field("slug", "Slug", Shape.LINE, help="Part of its address. Empty: made from the title."),
        Field("topic", "Topic", Shape.CHOICE),
        Field(
            "level", "Level", Shape.CHOICE, choices=(NOTHING, *((str(v), str(n)) for v, n in Level.choices))
        ),
        Field("kind", "Kind", Shape.CHOICE, choices=(NOTHING, *((str(v), str(n)) for v, n in Kind.choices))),
        Field("minutes", "Minutes", Shape.NUMBER),
        Field("prompt", "Prompt", rows=5, help="One scenario and one ask. Markdown."),
        Field("context", "Context", rows=3, help="Facts the answer may rely on. Markdown."),
        Field("data", "Data", rows=3, help="A small table or an excerpt, in Markdown."),
        Field("model_answer", "Model answer", rows=9, help="Spoken, and worth full marks. Markdown."),
        Field("deeper", "Going deeper", rows=4, help="More than fits the clock. Markdown."),
        Field("weights_note", "Why the weights differ"),
        Field("tags", "Tags", Shape.NAMES, help="Ideas it touches, with commas between them."),
        Field("packs", "Packs", Shape.NAMES),
        Field("covers", "Checklist items", Shape.NAMES, help="Such as S1-07b, S4-Q9."),
    ),
    lists={"rubric": _point("r1"), "followups": FOLLOW_UP, "references": REFERENCE},
    texts={"pitfalls": Field("text", "Pitfall", help="A wrong move with its reason.")},
    parts={"code": CODE, "difficulty": DIFFICULTY, "review": REVIEW},
)
