"""Interrupts the process, as Ctrl-C does."""

import signal

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        signal.raise_signal(signal.SIGINT)
        return super().shutting_down()
