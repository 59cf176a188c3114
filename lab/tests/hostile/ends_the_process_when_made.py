"""Ends the process in its constructor."""

import os

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate ended the process (exit status 3)"
EXIT = 3


class Queue(WorkQueue):
    def __init__(self):
        os._exit(3)
