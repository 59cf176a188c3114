"""Leaves a process behind."""

import subprocess
import sys

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        return super().shutting_down()
