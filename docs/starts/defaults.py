def default_controller_rate_limiter():
    return MaxOfRateLimiter([ExponentialRateLimiter(0.005, 1000), BucketRateLimiter(10, 100)])


def default_item_rate_limiter():
    return ExponentialRateLimiter(0.005, 1000)
