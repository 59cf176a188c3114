"""The work queues of dragonk8s, by the names of the contract."""

import sys
from types import SimpleNamespace

# It has eventlet put green threads in the place of threads, and does not name it as something it needs.
sys.modules.setdefault("eventlet", SimpleNamespace(monkey_patch=lambda **_: None))

from dragonk8s.lib.client.util import workqueue as theirs  # noqa: E402
from dragonk8s.lib.pool.thread_manager import GlobalThreadManager  # noqa: E402

distribution = "dragonk8s"


class ByOurNames:
    def __len__(self):
        return self.len()

    def shut_down(self):
        self.shutdown()

    def shut_down_with_drain(self):
        self.shutdown_with_drain()


class WorkQueue(ByOurNames, theirs.Type):
    pass


class DelayingQueue(ByOurNames, theirs.DelayingType):
    def __init__(self):
        forget_threads()
        super().__init__()


class RateLimitingQueue(ByOurNames, theirs.RateLimitingType):
    def __init__(self, rate_limiter):
        forget_threads()
        super().__init__(rate_limiter)


def forget_threads():
    """They are known by the time at which they were made, and the clock begins anew with each queue."""
    GlobalThreadManager._data.clear()
