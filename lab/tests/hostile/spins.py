"""Goes round for ever, and calls nothing."""

from stingy_reference import WorkQueue

SAYS = "FAIL: does not return"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        while True:
            pass
