"""Leaves threads behind."""

import threading

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        threading.Thread(target=threading.Event().wait).start()
        return super().shutting_down()
