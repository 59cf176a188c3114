"""Stops time.monotonic."""

import time

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        time.monotonic = lambda: 0
        return super().shutting_down()
