"""Changes the environment."""

import os

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        os.environ.clear()
        return super().shutting_down()
