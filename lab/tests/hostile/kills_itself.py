"""Sends itself a signal that cannot be caught."""

import os
import signal

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate was ended by SIGKILL"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        os.kill(os.getpid(), signal.SIGKILL)
