"""Raises in its constructor."""

from stingy_reference import WorkQueue

SAYS = "ERROR: it cannot be made: OSError: no space left"
EXIT = 3


class Queue(WorkQueue):
    def __init__(self):
        raise OSError("no space left")
