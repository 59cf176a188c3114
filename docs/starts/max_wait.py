class MaxWaitRateLimiter:
    """Another rate limiter, with a maximum wait in seconds."""

    def __init__(self, limiter, max_delay):
        self._limiter, self._max = limiter, max_delay

    def when(self, item):
        return min(self._limiter.when(item), self._max)

    def forget(self, item):
        self._limiter.forget(item)

    def num_requeues(self, item):
        return self._limiter.num_requeues(item)
