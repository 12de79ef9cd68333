"""The one way in which writing a file can fail."""


class Unwritable(ValueError):
    """A text that a format cannot hold, or could not give back; `str()` names the question, what is too long
    and what to do."""
