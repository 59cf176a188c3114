"""Has a process of its own that takes memory without bound."""

import os

from stingy_reference import WorkQueue

SAYS = "INCONCLUSIVE: MB resident: --memory MB lifts that limit"
EXIT = 2


class Queue(WorkQueue):
    def shutting_down(self):
        hoard, child = [], os.fork()
        while child == 0:
            hoard.append(b"x" * (1 << 26))
        os.waitpid(child, 0)
        return super().shutting_down()
