"""Changes the working directory."""

import os

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        os.chdir("/")
        return super().shutting_down()
