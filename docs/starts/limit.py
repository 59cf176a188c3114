class RateLimitingQueue(DelayingQueue):
    """Asks its rate limiter for the delay, and leaves the waiting to a timer."""

    def __init__(self, rate_limiter):
        super().__init__()
        self._limiter = rate_limiter

    def add_rate_limited(self, item):
        self.add_after(item, self._limiter.when(item))

    def forget(self, item):
        self._limiter.forget(item)

    def num_requeues(self, item):
        return self._limiter.num_requeues(item)
