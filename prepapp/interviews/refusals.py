"""The reasons an action on an attempt can be refused for. Each carries the sentence shown on screen."""


class Refusal(Exception):
    """Base of all; `str()` is fit to show."""


class CannotFill(Refusal):
    """The bank has too few fitting questions for the interview."""


class AttemptClosed(Refusal):
    """The attempt is not running any more."""


class NotAsked(Refusal):
    """The question has not been put to the candidate yet."""


class AnswerTooLong(Refusal):
    """The text is over the limit; `length` and `limit` are in characters."""

    def __init__(self, length: int, limit: int) -> None:
        self.length = length
        self.limit = limit
        super().__init__(
            f"Your answer has {length:,} characters; {limit:,} is the most. "
            "Shorten it to save again; the last saved text is safe."
        )


class UnreadableText(Refusal):
    """The text holds a character that cannot be stored."""


class RevisionConflict(Refusal):
    """Somebody, most likely another tab, saved this answer in between."""

    def __init__(self, revision: int, text: str) -> None:
        self.revision = revision
        self.text = text
        super().__init__("This answer was changed in another tab or on another device.")
