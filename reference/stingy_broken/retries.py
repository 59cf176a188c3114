"""Rate-limiting queues that confuse Forget, Done and the rate limiter."""
