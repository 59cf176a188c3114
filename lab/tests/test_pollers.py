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
    """In this rule the queue gets other items than the rule names."""
    rule = all_rules()["handing_out/values-that-are-written-alike-are-different"]
    candidate = InProcess(SpinsWithoutALock, 1)
    verdict = Trial(candidate, 1).judge(rule, rule.each[0])
    candidate.close()
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)
