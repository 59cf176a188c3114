"""Where stingy finds what aiok8s has: its methods are those of the contract already."""

from aiok8s.workqueue import default_rate_limiters as limiters
from aiok8s.workqueue import delaying_queue as delaying
from aiok8s.workqueue import queue
from aiok8s.workqueue import rate_limiting_queue as limiting

distribution = "aiok8s"

work_queue = queue.new
delaying_queue = delaying.new
rate_limiting_queue = limiting.new
default_controller_rate_limiter = limiters.default_controller_rate_limiter
ExponentialRateLimiter = limiters.ItemExponentialFailureRateLimiter


def bucket_rate_limiter(rate, burst):
    return limiters.BucketRateLimiter(rate, burst)
