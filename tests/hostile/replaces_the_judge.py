"""Has its judge find that all is well."""

from stingy import judge
from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate put something of its own in the place of stingy.trial._because"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        judge._because = lambda _: ""
        judge.Finding.FAIL = judge.Finding.PASS
        return not super().shutting_down()
