"""The checklist of subjects that questions name in `covers`, as plain data: identifiers, no wording.

Here: the 172 items and how much of them a milestone wants. Not here: what the bank covers (`balance`).
"""

# Twenty ideas, each with the one that follows from it.
IDEAS = tuple(f"S0-{number}{half}" for number in range(1, 21) for half in ("", "f"))
# Twenty subjects, each from five sides: frame, data, choice, evaluation, running it.
CELLS = tuple(f"S1-{number:02}{side}" for number in range(1, 21) for side in "abcde")
# What candidates report (Q), stories (S), tips (T) and mistakes (X) for one kind of role.
ROLE_ITEMS = tuple(
    f"S4-{group}{number}"
    for group, last in (("Q", 12), ("S", 3), ("T", 11), ("X", 6))
    for number in range(1, last + 1)
)
CHECKLIST = (*IDEAS, *CELLS, *ROLE_ITEMS)

# Cells that a milestone wants; of ideas and role items every milestone wants all.
CELLS_WANTED = {"M1": 60, "M2": len(CELLS), "M3": len(CELLS)}
