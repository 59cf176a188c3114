"""A rate limiter that is wrong about one pair of delays, and about all others after a while."""

from stingy_reference import ExponentialRateLimiter as Whole


class ExponentialRateLimiter(Whole):
    def __init__(self, base_delay, max_delay):
        super().__init__(base_delay, max_delay)
        self._cuts_short = max_delay == 1

    def when(self, item):
        wait = super().when(item)
        failures = self.num_requeues(item)
        if self._cuts_short and failures == 3:
            return wait / 2
        return 0.0 if failures > 64 else wait
