"""Waits for a lock in C, and lets no other thread of Python run."""

import _thread
import ctypes

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate hangs with all threads of its process"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        lock = _thread.allocate_lock()
        lock.acquire()
        libc = ctypes.PyDLL(None)
        libc.pause()
