"""Reference implementations, which keep every rule. They import only the standard library."""

from stingy_reference.annotation import AnnotationCodec
from stingy_reference.controller import Controller, Result, TerminalError
from stingy_reference.delaying import DelayingQueue, RateLimitingQueue
from stingy_reference.limiters import (
    BucketRateLimiter,
    ExponentialRateLimiter,
    FastSlowRateLimiter,
    MaxOfRateLimiter,
    MaxWaitRateLimiter,
    default_controller_rate_limiter,
    default_item_rate_limiter,
)
from stingy_reference.priority import PriorityQueue
from stingy_reference.proxy import Histogram, Proxy
from stingy_reference.tracker import Changes, EndpointsChangeTracker
from stingy_reference.trigger import TriggerTimeTracker
from stingy_reference.workqueue import WorkQueue

work_queue = WorkQueue
trigger_time_tracker = TriggerTimeTracker
annotation_codec = AnnotationCodec
change_tracker = EndpointsChangeTracker
proxy = Proxy

__all__ = [
    "AnnotationCodec",
    "BucketRateLimiter",
    "Changes",
    "Controller",
    "DelayingQueue",
    "EndpointsChangeTracker",
    "ExponentialRateLimiter",
    "FastSlowRateLimiter",
    "Histogram",
    "MaxOfRateLimiter",
    "MaxWaitRateLimiter",
    "PriorityQueue",
    "Proxy",
    "RateLimitingQueue",
    "Result",
    "TerminalError",
    "TriggerTimeTracker",
    "WorkQueue",
    "annotation_codec",
    "change_tracker",
    "default_controller_rate_limiter",
    "default_item_rate_limiter",
    "proxy",
    "trigger_time_tracker",
    "work_queue",
]
