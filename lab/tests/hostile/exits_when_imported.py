"""Calls sys.exit as it is imported."""

import sys

from stingy_reference import WorkQueue

SAYS = "ERROR: cannot be imported: SystemExit"
EXIT = 4

sys.exit(0)


class Queue(WorkQueue):
    pass
