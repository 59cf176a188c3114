from time import monotonic


class WorkQueue(WorkQueue):
    """The same queue, which records each Add, Get and Done in its metrics."""

    def __init__(self, metrics=None, name=""):
        super().__init__()
        self._measured = metrics is not None and name != ""
        if self._measured:
            self._adds, self._depth = metrics.adds(name), metrics.depth(name)
            self._waits, self._works = metrics.queue_duration(name), metrics.work_duration(name)
            self._added, self._taken = {}, {}

    def add(self, item):
        if self._measured:
            self._adds.inc()
            self._depth.inc()
            self._added[item] = monotonic()
        super().add(item)

    def get(self):
        item, shutdown = super().get()
        if self._measured and not shutdown:
            self._depth.dec()
            self._taken[item] = monotonic()
            self._waits.observe(monotonic() - self._added[item])
        return item, shutdown

    def done(self, item):
        if self._measured:
            self._works.observe(monotonic() - self._taken[item])
        super().done(item)
