"""Has its judge alone count wrong."""

from stingy.language import queue
from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate replaced len"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        queue.len = lambda _: 0
        return super().shutting_down()
