"""Wants more memory than there is in any machine."""

from stingy_reference import WorkQueue

SAYS = "FAIL: raises MemoryError"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        return bytes(1 << 62)
