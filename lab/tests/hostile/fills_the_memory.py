"""Takes memory without bound."""

from stingy_reference import WorkQueue

SAYS = "INCONCLUSIVE: MB resident: --memory MB lifts that limit"
EXIT = 2


class Queue(WorkQueue):
    def shutting_down(self):
        hoard = []
        while True:
            hoard.append(b"x" * (1 << 28))
