"""Ends the process as it is imported, as if all were well."""

import os

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate ended the process (exit status 0)"
EXIT = 3

os._exit(0)


class Queue(WorkQueue):
    pass
