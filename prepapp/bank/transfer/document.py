"""A question as a plain tree: what a draft holds, and what passes between file formats and the tables.

A document has the keys of `question.schema.json`, without `schema` and `id`, and may lack any of them while
it is unfinished. Beyond them it may have:

- `category`: list of text, the path of categories a file put the question in, while no topic is chosen;
- `topic`: a topic code, '' or absent while none is chosen;
- `source`: text, which file and format an imported draft came from;
- `wanted_status`: "retired", of a draft whose file says so and that is not complete enough for it.

Here: documents to and from `QuestionFile`, and what a change of one means. Not here: rows (`bank.queries`),
file formats (the readers and writers beside this module).
"""

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from prepapp.bank.transfer.question_file import QuestionFile, build_question
from prepapp.bank.transfer.schema_problems import schema_problems
from prepapp.bank.transfer.yaml_tree import FileProblem, Tree

Document = dict[str, Any]

# In the order a person writes them, and a file lists them.
KEYS = (
    "slug",
    "title",
    "level",
    "kind",
    "minutes",
    "tags",
    "packs",
    "covers",
    "prompt",
    "context",
    "data",
    "model_answer",
    "deeper",
    "code",
    "rubric",
    "weights_note",
    "pitfalls",
    "followups",
    "references",
    "difficulty",
    "review",
)
# Keys of a document that no question file has.
BESIDE = ("topic", "category", "source", "wanted_status")
# Left out of a document when empty, as in a file.
OPTIONAL = ("data", "deeper", "code", "weights_note")
# Who was asked the one was not asked the other, or would grade it otherwise.
_MEANING = ("kind", "prompt", "context", "data", "model_answer", "code", "rubric", "followups")
_EMPTY: Mapping[str, Any] = MappingProxyType({"context": "", "tags": [], "packs": [], "covers": []})


def document_of_file(file: QuestionFile) -> Document:
    """The document of a complete question, its topic included. Of JSON types, keys in the order of `KEYS`."""
    whole = {key: _plain(getattr(file, key)) for key in KEYS}
    document = {key: whole[key] for key in KEYS if key not in OPTIONAL or whole[key]}
    return document | {"topic": file.topic}


def read_document(
    document: Document, *, ref: str, today: date, name: str = ""
) -> QuestionFile | list[FileProblem]:
    """The question a document describes under this reference, or everything that is missing or wrong.

    A document without a review was reviewed today. Problems name fields; their line is always 1. Text that
    may be empty and lists that may be empty need not stand in the document.
    """
    review: Any = document.get("review") or {}
    if isinstance(review, Mapping):
        review = {"reviewed": today.isoformat(), **review}
    tree = {
        **_EMPTY,
        **{key: value for key, value in document.items() if key not in BESIDE},
        "schema": 1,
        "id": ref,
        "review": review,
    }
    for key in OPTIONAL:
        if not tree.get(key):
            tree.pop(key, None)
    checked = Tree(tree, {})
    file = name or ref
    if problems := sorted(schema_problems(checked, file), key=lambda problem: problem.field):
        return problems
    return build_question(checked, file)


def changes_meaning(old: Document, new: Document) -> bool:
    """Whether an answer to the old question may not be an answer to the new one, or be graded otherwise.

    True if prompt, context, data, model answer, code, rubric, follow-ups or kind differ in more than blanks.
    """
    return any(_words(old.get(key)) != _words(new.get(key)) for key in _MEANING)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def _words(value: Any) -> Any:
    """The value with blanks of every kind counted as one; nothing and empty are the same."""
    if isinstance(value, Mapping):
        return {key: _words(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_words(item) for item in value]
    return " ".join(value.split()) if isinstance(value, str) else value or ""
