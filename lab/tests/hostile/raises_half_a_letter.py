"""Raises an error whose text cannot be written down."""

from stingy_reference import WorkQueue

SAYS = "FAIL: raises ValueError: \\ud800"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        raise ValueError("\ud800")
