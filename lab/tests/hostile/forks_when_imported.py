"""Goes on as two processes from its import on."""

import os

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0

os.fork()


class Queue(WorkQueue):
    pass
