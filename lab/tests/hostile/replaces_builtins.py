"""Has Python count wrong."""

import builtins

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate replaced builtins.len"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        builtins.len = lambda _: 0
        return super().shutting_down()
