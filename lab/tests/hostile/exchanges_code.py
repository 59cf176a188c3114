"""Exchanges the code of its judge, in place."""

from stingy.trial import Trial
from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate replaced stingy.trial.Trial._try"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        Trial._try.__code__ = (lambda *_: None).__code__
        return super().shutting_down()
