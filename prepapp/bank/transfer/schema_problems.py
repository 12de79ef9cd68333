"""Checks the values of a file of the bank against its published schema and words each problem.

Here: the schemas and what to tell the writer. Not here: YAML, typed values (`question_file`).
"""

import difflib
import json
from collections.abc import Iterator
from datetime import date
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from prepapp.bank.transfer.yaml_tree import FileProblem, Tree, line_of

_WORD_FOR_TYPE = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a block of keys",
}


QUESTION_SCHEMA = "question.schema.json"
SAMPLES_SCHEMA = "samples.schema.json"


@cache
def _validator(name: str) -> Any:
    schema = json.loads(package_files(__package__).joinpath(name).read_text("utf-8"))
    # JSON Schema counts 3.0 as an integer; a question file means the digits it shows.
    whole = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    validator = extend(Draft202012Validator, type_checker=whole)  # type: ignore[no-untyped-call]
    return validator(schema, format_checker=FormatChecker(formats=["date"]))


def schema_problems(tree: Tree, file: str, schema: str = QUESTION_SCHEMA) -> Iterator[FileProblem]:
    """Each way in which the values break the schema of that name, once."""
    # YAML reads an unquoted date as a date; JSON Schema knows dates as text only.
    review = tree.value.get("review")
    if isinstance(review, dict) and type(review.get("reviewed")) is date:
        review["reviewed"] = review["reviewed"].isoformat()
    seen: set[tuple[str, str]] = set()
    for error in _validator(schema).iter_errors(tree.value):
        parent = _dotted(error.absolute_path)
        for key, message in _explain(error):
            path = ".".join(part for part in (parent, key) if part)
            if (path, message) not in seen:
                seen.add((path, message))
                yield FileProblem(file, line_of(tree.lines, path), path, message)


def _explain(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield (key below the failing value or '', message) for one schema error."""
    rule = str(error.validator)
    value: Any = error.instance
    limit: Any = error.validator_value
    schema: Any = error.schema
    if rule == "additionalProperties":
        known = list(schema["properties"])
        for key in [key for key in value if key not in known]:
            near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.7)
            hint = f"did you mean {near[0]!r}?" if near else "remove it"
            yield str(key), f"unknown key {key!r}; {hint}"
    elif rule == "required":
        for key in [key for key in limit if key not in value]:
            yield key, f"the required key {key!r} is missing; add it"
    elif rule == "type":
        yield "", _type_message(value, str(limit))
    elif rule == "enum":
        yield "", f"{_show(value)} is not one of {', '.join(map(str, limit))}; choose one of them"
    elif rule == "const":
        yield "", f"{_show(value)} is not supported; write {limit}"
    elif rule == "pattern" and not str(value).strip():
        yield "", "is empty; write some text"
    elif rule in {"pattern", "format"}:
        yield "", f"{_show(value)} does not fit; write {schema['description']}"
    elif rule == "maxLength":
        yield "", f"is {len(value)} characters long; keep it to {limit}"
    elif rule in {"minimum", "maximum"}:
        yield "", f"{_show(value)} is out of range; the {rule} is {limit}"
    elif rule == "uniqueItems":
        yield "", "holds the same item twice; keep one of them"
    else:
        yield "", error.message


def _type_message(value: Any, wanted: str) -> str:
    if value is None:
        return f"is empty where {_WORD_FOR_TYPE[wanted]} is expected; write a value"
    if wanted != "string" or isinstance(value, (dict, list)):
        return f"is {_show(value)} where {_WORD_FOR_TYPE[wanted]} is expected; correct the value"
    if isinstance(value, bool):
        found = f"the yes/no value {str(value).lower()}"
    elif isinstance(value, (int, float)):
        found = f"the number {value}"
    else:
        found = f"the date {value}"
    return f"is {found} where text is expected; put it in quotes"


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return "a block of keys"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _dotted(parts: Any) -> str:
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path
