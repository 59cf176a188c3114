"""Raises an error of many megabytes."""

from stingy_reference import WorkQueue

SAYS = "FAIL: raises ValueError: !!!"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        raise ValueError("!" * 50_000_000)
