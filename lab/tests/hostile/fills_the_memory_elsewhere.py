"""Starts a process that takes more memory than both may have, and keeps it."""

import os

from stingy_reference import WorkQueue

SAYS = "INCONCLUSIVE: MB resident: --memory MB lifts that limit"
EXIT = 2


class Queue(WorkQueue):
    def shutting_down(self):
        hoard, child = [], os.fork()
        while child == 0:
            if len(hoard) < 80:  # 1.25 GB: the other tests need the rest of the machine
                hoard.append(b"x" * (1 << 24))
        os.waitpid(child, 0)
        return super().shutting_down()
