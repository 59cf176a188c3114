"""Ends the process in a call, as if all were well."""

import os

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate ended the process (exit status 0)"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        os._exit(0)
