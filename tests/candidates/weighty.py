"""A sound queue that keeps a quarter of a gigabyte from the first call of ``shutting_down`` on."""

from stingy_reference import WorkQueue


class Queue(WorkQueue):
    kept = b""

    def shutting_down(self):
        Queue.kept = Queue.kept or b"x" * (1 << 28)
        return super().shutting_down()
