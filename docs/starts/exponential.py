class ExponentialRateLimiter:
    """Each failure doubles the wait, up to a maximum."""

    def __init__(self, base_delay, max_delay):
        self._base, self._max = base_delay, max_delay
        self._failures = {}

    def when(self, item):
        failures = self._failures.get(item, 0)
        self._failures[item] = failures + 1
        return min(self._base * 2.0**failures, self._max)

    def forget(self, item):
        self._failures.pop(item, None)

    def num_requeues(self, item):
        return self._failures.get(item, 0)
