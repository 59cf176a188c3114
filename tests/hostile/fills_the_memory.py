"""Takes memory without bound."""

from stingy_reference import WorkQueue

SAYS = "FAIL: MemoryError"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        hoard = []
        while True:
            hoard.append(bytes(1 << 28))
