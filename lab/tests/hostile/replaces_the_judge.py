"""Has its judge find that all is well."""

from stingy import trial
from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate replaced stingy.trial._because"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        trial._because = lambda _: ""
        trial.Finding.FAIL = trial.Finding.PASS
        return not super().shutting_down()
