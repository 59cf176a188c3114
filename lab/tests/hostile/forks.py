"""Goes on as two processes."""

import os

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        os.fork()
        return super().shutting_down()
