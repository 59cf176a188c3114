"""Puts another module in the place of its judge's."""

import sys
import types

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate replaced stingy.verdict"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        sys.modules["stingy.verdict"] = types.ModuleType("stingy.verdict")
        return super().shutting_down()
