"""Raises KeyboardInterrupt."""

from stingy_reference import WorkQueue

SAYS = "FAIL: raises KeyboardInterrupt"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        raise KeyboardInterrupt
