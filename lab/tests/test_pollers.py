"""A queue that spins without a lock: the watchdog finds it, and the engine then inspects its code."""

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Evidence, Finding
from stingy.transport.inprocess import InProcess
from stingy_reference import WorkQueue


class SpinsWithoutALock(WorkQueue):
    def get(self):
        while not self._queue and not self._shutting_down:
            pass
        return super().get()


def test_the_code_of_a_queue_is_looked_into_where_something_of_ours_stands_in_front_of_it():
    """In this rule a wrapper of ours makes the items."""
    rule = all_rules()["memory/what-is-done-is-not-kept"]
    candidate = InProcess(SpinsWithoutALock, 1)
    verdict = Trial(candidate, 1).judge(rule, None)
    candidate.close()
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)
