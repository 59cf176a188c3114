"""Waits in the kernel, where nobody can wake it."""

import select

from stingy_reference import WorkQueue

SAYS = "FAIL: does not return"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        select.select([], [], [])
