from time import monotonic


class BucketRateLimiter:
    """A bucket gets ``rate`` tokens a second; an item without a token waits for the next."""

    def __init__(self, rate, burst):
        self._rate, self._tokens, self._seen = rate, burst, monotonic()

    def when(self, item):
        now = monotonic()
        self._tokens += (now - self._seen) * self._rate
        self._seen = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) / self._rate

    def forget(self, item):
        pass

    def num_requeues(self, item):
        return 0
