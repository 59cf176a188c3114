"""Has Python count wrong from its import on."""

import builtins

from stingy_reference import WorkQueue

SAYS = "ERROR: replaced builtins.len"
EXIT = 3

builtins.len = lambda _: 0


class Queue(WorkQueue):
    pass
