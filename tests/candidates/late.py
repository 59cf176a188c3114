"""Queues that are late but otherwise sound, and a queue with lateness and a second fault."""

from time import monotonic, sleep

from stingy_reference import RateLimitingQueue


class Late(RateLimitingQueue):
    """Its background thread looks every other second."""

    def _add_what_is_due(self):
        while not self.shutting_down():
            sleep(2)
            with self._lock:
                due = self._take_due(monotonic())
            for item in due:
                self.add(item)


class LateAndForgetful(Late):
    """Of two deadlines of an item, only the later request counts."""

    def add_after(self, item, seconds):
        with self._lock:
            self._deadlines.pop(item, None)
        super().add_after(item, seconds)
