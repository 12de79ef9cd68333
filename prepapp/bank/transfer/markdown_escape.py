"""Plain text as Markdown that shows exactly this text.

Only signs that would be taken for markup are escaped, so that prose stays readable. Here: characters and
lines. Not here: structure (`html_text`).
"""

import re

# A sign at the edge of a piece of text is escaped on suspicion: what follows is not known here.
_INLINE = re.compile(
    r"""
    \\(?=[!-/:-@\[-`{-~]|$)          # before a sign it would escape, or at the end, where it breaks the line
    | `
    | (?<!\s)\* | \*(?!\s)           # not between blanks
    | (?<![^\W_])_ | _(?![^\W_])     # not inside a word
    | ~(?=~|$) | (?<=~)~ | ^~
    | \](?=[(\[:]|$)                 # what would close a link or a definition
    | &(?=\#?\w*(?:;|$))             # what would be an entity
    | <(?=[^\s<>]*(?:[:@]|$))        # what would be an address in angle brackets
    """,
    re.VERBOSE,
)
_LINE_START = re.compile(r"(?:#{1,6}|[-+*>])(?=\s|$)|>|[-=]{2,}\s*$|=+\s*$|[-|: ]+$")
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def escape_text(text: str) -> str:
    """One run of text inside a paragraph; it may be joined to any other."""
    return _INLINE.sub(r"\\\g<0>", text)


def escape_line(line: str) -> str:
    """A line of a paragraph, its text escaped already, kept from being a heading, list, rule or table."""
    if _LINE_START.match(line):
        return "\\" + line
    return _NUMBER.sub(r"\1\\\2", line, count=1) if _NUMBER.match(line) else line


def code_span(text: str) -> str:
    """Text in backticks, more of them than it holds in a row; '' for blank text."""
    text = " ".join(text.split(" ")).replace("\n", " ")
    if not text.strip():
        return ""
    fence = "`" * (_longest_run(text) + 1)
    edge = " " if text[0] == "`" or text[-1] == "`" or (text[0] == text[-1] == " ") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def fenced(code: str, language: str = "") -> str:
    """A code block, every line as it is."""
    fence = "`" * max(3, _longest_run(code) + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
