class WorkQueue(WorkQueue):
    """The same queue, with a shutdown that waits for the workers."""

    def shut_down_with_drain(self):
        self.shut_down()
        with self._changed:
            while self._processing:
                self._changed.wait()

    def done(self, item):
        super().done(item)
        with self._changed:
            self._changed.notify_all()
