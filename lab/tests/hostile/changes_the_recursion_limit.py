"""Leaves next to no depth for calls."""

import sys

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        sys.setrecursionlimit(12)
        return super().shutting_down()
