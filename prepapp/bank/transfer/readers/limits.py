"""How much of a file is read before it is refused, and why so much.

They are constants, not settings: each is far above what a bank needs, and bounds what one upload can cost.
"""

from prepapp.common.markdown import MAX_CHARACTERS

# Five thousand questions of the shipped size in JSON are 31 MB, in a zip 13 MB; a worker parses this much
# within minutes and a few hundred MB of memory.
MAX_FILE = 20_000_000
# Twice the largest bank that was planned for. A preview lists every item.
MAX_ITEMS = 10_000
# What the Markdown pipeline renders: a longer text could be stored and never shown.
MAX_TEXT = MAX_CHARACTERS
# As many characters as a list of drafts shows of a title; a finished question keeps to 120.
MAX_TITLE = 300
# Of a tag, a part of a category, an address, an id.
MAX_WORDS = 500
# The same as in a question file.
MAX_SLUG = 80
# Entries of one list: tags, points, follow-up questions.
MAX_LIST = 200
MAX_COLUMNS = 200
# Of one block or object.
MAX_KEYS = 200
MAX_POINTS = 100
# Faults, and notices, that are kept of one item; nobody mends more of it at once.
MAX_SAID = 100
# Of one cell before its notation is read: JSON of a list with several long texts.
MAX_CELL = 400_000

# Of a zip. A shipped question is 7 kB; its text shrinks to a quarter, a sheet's XML to a twentieth.
MAX_MEMBERS = 12_000
MAX_UNPACKED = 120_000_000
# A parser of YAML takes about ten times as long per byte as one of a sheet.
MAX_UNPACKED_YAML = 60_000_000
MAX_RATIO = 100
# Below this many bytes unpacked no ratio does harm.
RATIO_FROM = 5_000_000

# Aliases may repeat a part of a YAML file; in all it may not grow beyond this.
MAX_EXPANDED = 60_000_000
MAX_NODES = 2_000_000
