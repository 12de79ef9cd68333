"""The reasons an action on a report can be refused for. Each carries the sentence shown on screen."""


class NotMailed(Exception):
    """No copy goes out now."""
