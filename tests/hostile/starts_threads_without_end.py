"""Starts threads without end."""

import threading

from stingy_reference import WorkQueue

SAYS = "FAIL: does not return"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        while True:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
