"""Starts threads without end."""

import threading

from stingy_reference import WorkQueue

SAYS = "INCONCLUSIVE: threads"
EXIT = 2


class Queue(WorkQueue):
    def shutting_down(self):
        while True:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
