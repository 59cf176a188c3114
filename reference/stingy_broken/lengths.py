"""Work queues whose Len is wrong."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue


@breaks("interleavings/some-order-of-the-calls-explains-every-answer")
class CountsOnlyWhetherThereIsAny(WorkQueue):
    """Len is 0 or 1."""

    def __len__(self):
        return min(1, super().__len__())


@breaks("length/len-is-a-number-that-there-was")
class CountsOneListAfterTheOther(WorkQueue):
    """The line is two lists, and Get moves all from one to the other; Len is the sum of both, and takes no lock."""

    class Line:
        def __init__(self):
            self.came, self.goes = [], []

        def push(self, item):
            self.came.append(item)

        def touch(self, item):
            pass

        def pop(self):
            if not self.goes:
                self.goes = self.came[::-1]
                self.came = []
            return self.goes.pop()

        def __len__(self):
            return len(self.came) + len(self.goes)

    def __init__(self):
        super().__init__()
        self._queue = self.Line()

    def __len__(self):
        return len(self._queue)


@breaks("interleavings/some-order-explains-a-drain")
class CountsNothingAfterShutdown(WorkQueue):
    """Len is 0 from the shutdown on, whatever is left."""

    def __len__(self):
        return 0 if self.shutting_down() else super().__len__()


define(globals())
