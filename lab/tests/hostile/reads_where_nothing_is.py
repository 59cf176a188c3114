"""Reads where there is no memory."""

import ctypes

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate was ended by SIGSEGV"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        ctypes.string_at(0)
