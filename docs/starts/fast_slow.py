class FastSlowRateLimiter:
    """A few fast attempts, then slow ones."""

    def __init__(self, fast_delay, slow_delay, max_fast_attempts):
        self._fast, self._slow, self._most = fast_delay, slow_delay, max_fast_attempts
        self._failures = {}

    def when(self, item):
        self._failures[item] = self._failures.get(item, 0) + 1
        return self._fast if self._failures[item] < self._most else self._slow

    def forget(self, item):
        self._failures.pop(item, None)

    def num_requeues(self, item):
        return self._failures.get(item, 0)
