"""Calls sys.exit in a call."""

import sys

from stingy_reference import WorkQueue

SAYS = "FAIL: raises SystemExit"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        sys.exit(0)
