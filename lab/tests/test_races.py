"""Each fault that only some orders show is found, reported the same each time, and reproduced by its token."""

import pytest

from racing import MODULES, family, faults, fresh_judge, verdicts, what_is_wrong
from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding
from stingy_broken import broken_candidates


@pytest.mark.budget(40)
@pytest.mark.parametrize("module", MODULES)
def test_a_fault_is_told_the_same_way_each_time_and_found_again_by_its_token(module):
    broken = [cls for cls in faults().values() if family(cls) == module]
    assert broken
    wrong = {cls.__name__: what_is_wrong(cls) for cls in broken}
    assert {name: why for name, why in wrong.items() if why} == {}


@pytest.mark.parametrize(
    ("name", "conflict"),
    [
        (
            "LooksBeforeItLocks",
            (
                "producer 1 reads self._dirty at races.py:18 (add), "
                "then producer 2 changes it at races.py:23 (add), "
                "before producer 1 changes it at races.py:23 (add)"
            ),
        ),
        (
            "LooksAtTheFlagTooEarly",
            (
                "lane 1 reads self._shutting_down at closing.py:19 (add), "
                "then lane 2 changes it at workqueue.py:143 (_stop), before lane 1 goes on"
            ),
        ),
        ("LocksInACircle", "None"),
        ("ForgetsToWakeAnybody", "None"),
    ],
)
def test_a_failure_names_the_accesses_that_conflict_and_none_if_no_data_does(name, conflict):
    cls = next(it for it in broken_candidates() if it.__name__ == name)
    found = next(it for it in verdicts(cls, all_rules()[cls.about]) if it.verdict is Finding.FAIL)
    assert str(found.conflict) == conflict
    row = next((row for row in all_rules()[cls.about].each if row.name == found.case), None)
    assert fresh_judge(cls).again(all_rules()[cls.about], row, found.order).conflict == found.conflict
