"""Leaves no depth for any call, and by the back door."""

import ctypes

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate "
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        ctypes.pythonapi.Py_SetRecursionLimit(1)
        return super().shutting_down()
