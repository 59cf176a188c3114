"""A fault that only an order of threads shows is found, told the same way each time, and found again by its token.

``lab/tests/test_races.py`` does the same with all of them.
"""

from racing import MODULES, family, faults, what_is_wrong

QUICKEST = (
    "LooksBeforeItLocks",
    "ReadsTheVersionTooLate",
    "MarksAfterItPushed",
    "KeepsAContendedLock",
    "CountsTheWaitingTooEarly",
    "SignalsOncePerBatch",
    "WakesOnlyForAnEmptyQueue",
)
"""One broken candidate of each module: one that needs a rare order, and is found in about 0.1 CPU-s."""


def test_a_fault_is_told_the_same_way_each_time_and_found_again_by_its_token():
    broken = faults()
    assert [family(broken[name]) for name in QUICKEST] == list(MODULES)
    wrong = {name: what_is_wrong(broken[name]) for name in QUICKEST}
    assert {name: why for name, why in wrong.items() if why} == {}
