"""Calls pytest.skip."""

import pytest

from stingy_reference import WorkQueue

SAYS = "FAIL: raises Skipped"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        pytest.skip("not today")
