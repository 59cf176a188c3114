"""Implementations that keep every rule: standard library only, and they know nothing of the rules."""

from stingy_reference.proxy import Histogram, Proxy
from stingy_reference.tracker import Changes, EndpointsChangeTracker
from stingy_reference.workqueue import WorkQueue

work_queue = WorkQueue
change_tracker = EndpointsChangeTracker
proxy = Proxy

__all__ = [
    "Changes",
    "EndpointsChangeTracker",
    "Histogram",
    "Proxy",
    "WorkQueue",
    "change_tracker",
    "proxy",
    "work_queue",
]
