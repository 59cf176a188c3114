"""Closes standard output and standard error."""

import os
import sys
from contextlib import suppress

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        sys.stdout.close()
        for output in (1, 2):
            with suppress(OSError):
                os.close(output)
        return super().shutting_down()
