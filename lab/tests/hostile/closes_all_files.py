"""Closes every file that the process has."""

import os

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate closed the pipe to its judge"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        os.closerange(0, 1024)
        return super().shutting_down()
