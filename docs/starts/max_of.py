class MaxOfRateLimiter:
    """Asks the limiters in turn, until one sets a delay."""

    def __init__(self, limiters):
        self._limiters = limiters

    def when(self, item):
        for limiter in self._limiters:
            wait = limiter.when(item)
            if wait > 0:
                return wait
        return 0.0

    def forget(self, item):
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item):
        return max(limiter.num_requeues(item) for limiter in self._limiters)
