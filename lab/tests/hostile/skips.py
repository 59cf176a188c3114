"""Raises what skips a test."""

import unittest

from stingy_reference import WorkQueue

SAYS = "FAIL: raises SkipTest"
EXIT = 1


class Queue(WorkQueue):
    def shutting_down(self):
        raise unittest.SkipTest("not today")
