"""Changes the umask."""

import os

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        os.umask(0o777)
        return super().shutting_down()
