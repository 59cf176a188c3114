"""Takes more memory than it may have, and keeps it."""

from stingy_reference import WorkQueue

SAYS = "INCONCLUSIVE: MB resident: --memory MB lifts that limit"
EXIT = 2


class Queue(WorkQueue):
    def shutting_down(self):
        hoard = []
        while True:
            if len(hoard) < 80:  # 1.25 GB: the other tests need the rest of the machine
                hoard.append(b"x" * (1 << 24))
