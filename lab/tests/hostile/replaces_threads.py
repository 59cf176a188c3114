"""Takes threading.Thread away."""

import threading

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        threading.Thread = None
        return super().shutting_down()
