"""Prints megabytes."""

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0


class Queue(WorkQueue):
    def shutting_down(self):
        print("all is well\n" * 400_000)
        return super().shutting_down()
