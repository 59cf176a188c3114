"""Work queues whose Len is wrong."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.plain import WorkQueue


@breaks("interleavings/some-order-of-the-calls-explains-it")
class CountsOnlyWhetherThereIsAny(WorkQueue):
    """Len is 0 or 1."""

    def __len__(self):
        return min(1, super().__len__())


@breaks("length/len-leaves-out-what-is-in-processing")
class CountsWhatIsInProcessing(WorkQueue):
    """Len is all that has not been finished."""

    def __len__(self):
        with self._lock:
            return len(self._dirty | self._processing)


@breaks("length/len-leaves-out-what-waits-for-its-done")
class CountsWhatIsDirty(WorkQueue):
    """Len is the size of the dirty set, and so counts what waits for its Done."""

    def __len__(self):
        with self._lock:
            return len(self._dirty)


@breaks("interleavings/some-order-explains-a-drain")
class CountsNothingAfterShutdown(WorkQueue):
    """Len is 0 from the shutdown on, whatever is left."""

    def __len__(self):
        return 0 if self.shutting_down() else super().__len__()
