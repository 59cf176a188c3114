"""Queues that are late but otherwise sound, and a queue with lateness and a second fault."""

from time import monotonic, sleep

from stingy_reference import RateLimitingQueue


class Late(RateLimitingQueue):
    """Broken only in that an item is added up to two seconds late: its thread looks every two seconds."""

    def _add_what_is_due(self):
        while not self.shutting_down():
            sleep(2)
            with self._lock:
                due = self._take_due(monotonic())
            for item in due:
                self.add(item)


class LateAndForgetful(Late):
    """Late, and broken: if an item gets a second deadline, the first one is forgotten."""

    def add_after(self, item, seconds):
        with self._lock:
            self._deadlines.pop(item, None)
        super().add_after(item, seconds)
