"""Work queues whose Len is wrong."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue


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


define(globals())
