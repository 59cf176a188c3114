"""A queue that cannot be controlled, and that drops an Add while the item is processed."""

from uncontrolled import WaitsOnAPipe


class ForgetsOnAPipe(WaitsOnAPipe):
    def add(self, item):
        with self._lock:
            if item in self._processing:
                return
        super().add(item)
