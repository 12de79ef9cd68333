"""The file formats that questions come in and go out by, as screens and commands list them.

Here: names, suffixes and what each format is for. Not here: how one is read (`readers`) or written
(`writers`).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """`name` is what a command takes and a reading reports; `suffixes` begin with a dot, the first is
    that of a written file."""

    name: str
    suffixes: tuple[str, ...]
    reads: bool
    writes: bool
    description: str
    content_type: str = "application/octet-stream"


FORMATS = (
    Format(
        "yaml-zip",
        (".zip",),
        reads=True,
        writes=True,
        description="Question files in a zip, as the bank ships them; nothing is lost",
        content_type="application/zip",
    ),
    Format(
        "yaml",
        (".yaml", ".yml"),
        reads=True,
        writes=True,
        description="Question files one after another in one YAML file; nothing is lost",
        content_type="application/yaml",
    ),
    Format(
        "json",
        (".json",),
        reads=True,
        writes=True,
        description="One list of questions for programs; nothing is lost",
        content_type="application/json",
    ),
    Format(
        "csv",
        (".csv",),
        reads=True,
        writes=True,
        description="A table with one row per question; nothing is lost",
        content_type="text/csv; charset=utf-8",
    ),
    Format(
        "tsv",
        (".tsv", ".tab", ".txt"),
        reads=True,
        writes=True,
        description="A table separated by tabs, such as a spreadsheet's Unicode text; nothing is lost",
        content_type="text/tab-separated-values; charset=utf-8",
    ),
    Format(
        "xlsx",
        (".xlsx", ".xlsm"),
        reads=True,
        writes=True,
        description="A spreadsheet with one row per question; nothing is lost",
        content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    Format(
        "markdown",
        (".md", ".markdown"),
        reads=True,
        writes=False,
        description="One question: its fields between two lines of ---, its prompt below",
    ),
    Format(
        "moodle-xml",
        (".xml",),
        reads=True,
        writes=True,
        description="Essay questions of Moodle, with the rubric as grader information",
        content_type="application/xml",
    ),
    Format(
        "gift",
        (".gift",),
        reads=True,
        writes=False,
        description="Questions of Moodle as text; those answered in one's own words are taken",
    ),
    Format(
        "aiken",
        (".txt",),
        reads=False,
        writes=False,
        description="Recognised and refused: it holds nothing but multiple choice",
    ),
    Format(
        "anki-text",
        (".txt",),
        reads=True,
        writes=False,
        description="Notes of Anki exported as text; front becomes the prompt, back the model answer",
    ),
    Format(
        "anki-package",
        (".apkg", ".colpkg"),
        reads=True,
        writes=True,
        description="An Anki deck, for learning by heart",
        content_type="application/octet-stream",
    ),
)

FORMAT_BY_NAME = {entry.name: entry for entry in FORMATS}
