"""The reasons an action on an attempt can be refused for. Each carries the sentence shown on screen."""


class Refusal(Exception):
    """Base of all; `str()` is fit to show."""


class NotStarted(Refusal):
    """No interview was begun."""


class GuestClaimed(NotStarted):
    """The visitor signed in elsewhere meanwhile, so their row is gone."""


class CannotFill(NotStarted):
    """The bank has too few fitting questions for the interview."""


class TooManyStarts(NotStarted):
    """The person, or their network, has started as many interviews as an hour allows."""


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


class NotHandedIn(Refusal):
    """The interview still runs, or was given up: there is nothing to grade."""


class GradingClosed(Refusal):
    """The grading is closed; marks change in a new one only."""


class NotGraded(Refusal):
    """There is no closed grading yet, so nothing to grade again."""


class HeldBack(Refusal):
    """A running mock asks this question, so nothing may tell what a good answer is."""

    def __init__(self) -> None:
        super().__init__("Held back while this question is in an interview that is running.")


class ConfidenceFirst(Refusal):
    """The rubric opens after the candidate has said how well they did."""


class NotOnRubric(Refusal):
    """The point belongs to another question, or to nothing."""


class NothingToMark(Refusal):
    """The answer is empty or has no rubric."""


class StillToMark(Refusal):
    """The answer has words and a rubric: it is marked, not given away."""


class NotYourWords(Refusal):
    """The quote is not in the answer."""


class MarksMissing(Refusal):
    """Points are not marked yet; `missing` holds the label of each answer and how many of its points."""

    def __init__(self, missing: list[tuple[str, int]]) -> None:
        self.missing = missing
        parts = [
            f"answer {label} ({count} {'point' if count == 1 else 'points'})" for label, count in missing
        ]
        super().__init__(f"Still to mark: {', '.join(parts)}. Your marks so far are kept.")


class SampleChanged(Refusal):
    """The marks are not those of the sample: it was loaded anew, or the form is that of another one."""

    def __init__(self) -> None:
        super().__init__("This form is not that of the sample any more. Load the page again.")
