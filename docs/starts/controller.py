from dataclasses import dataclass


@dataclass
class Result:
    requeue_after: float = 0.0
    requeue: bool = False


class Controller:
    """Its workers reconcile each key that they get, and retry a key that failed."""

    def __init__(self, reconcile, max_concurrent_reconciles, rate_limiter):
        self._reconcile = reconcile
        self._queue = RateLimitingQueue(rate_limiter)
        self._workers = [threading.Thread(target=self._work) for _ in range(max_concurrent_reconciles)]

    def add(self, key):
        self._queue.add(key)

    def start(self):
        for worker in self._workers:
            worker.start()

    def stop(self):
        self._queue.shut_down()

    def _work(self):
        while True:
            key, shutdown = self._queue.get()
            if shutdown:
                return
            try:
                result = self._reconcile(key)
                if result and result.requeue_after:
                    self._queue.add_after(key, result.requeue_after)
                elif result and result.requeue:
                    self._queue.add_rate_limited(key)
            except Exception:
                self._queue.add_rate_limited(key)
            self._queue.done(key)
