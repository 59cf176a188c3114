"""Has Python count wrong."""

import builtins

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate put something of its own in the place of builtins.len"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        builtins.len = lambda _: 0
        return super().shutting_down()
