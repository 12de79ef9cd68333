"""The rooms of the desk, as its front page lists them: one line each. Whoever builds a room adds its line."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """`name` is the name of its address, `permission` what opens it. One without is left out."""

    name: str
    title: str
    text: str
    permission: str = "bank.curate_question"


ROOMS = (
    Room("admin:bank_question_changelist", "All questions", "Search, filter, and act on many at once."),
    Room("flags:flag-queue", "Flags", "What candidates said of questions.", "bank.settle_flag"),
    Room("imports:import-list", "Imports", "Take questions from a file.", "bank.import_questions"),
    Room("exports:export-new", "Exports", "Write questions to a file.", "bank.import_questions"),
    Room(
        "reports:item-statistics",
        "Statistics",
        "Questions whose numbers ask for a look.",
        "reports.view_itemstatistic",
    ),
)
