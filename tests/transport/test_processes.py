"""A limit on a candidate's process counts the time that the machine gave to that process."""

from types import SimpleNamespace

import pytest

from stingy.transport import processes
from stingy.transport.processes import LEAST, SHORTEST, Spending


class Seen:
    """Processes that show a script of looks: the processor seconds used so far, and whether one is ready to run."""

    def __init__(self, *looks):
        self._looks = iter(looks)

    def look(self):
        return next(self._looks)


@pytest.fixture(autouse=True)
def can_be_seen(monkeypatch):
    monkeypatch.setattr(processes, "CAN_BE_SEEN", True)


WAITS, READY = False, True


@pytest.mark.parametrize(
    ("looks", "counts"),
    [
        ([(5.0, WAITS), (5.0, WAITS), (5.0, WAITS)], 20.0),
        ([(5.0, READY), (15.0, READY), (25.0, READY)], 20.0),
        ([(5.0, READY), (6.0, READY), (7.0, READY)], 2.0),
        ([(5.0, READY), (6.0, READY), (6.0, WAITS)], 11.0),
        ([(5.0, READY), (45.0, READY), (85.0, READY)], 20.0),
    ],
)
def test_time_that_a_busy_machine_gave_to_others_does_not_count(looks, counts):
    spending = Spending(Seen(*looks))
    spending.add(10.0)
    assert spending.add(10.0) == counts


def test_a_process_that_gets_nothing_reaches_its_limit_all_the_same():
    spending = Spending(Seen((5.0, READY), (5.0, READY)))
    assert spending.add(10.0) == 10.0 * LEAST


def test_all_time_counts_where_processes_cannot_be_seen(monkeypatch):
    assert Spending(None).add(10.0) == 10.0
    monkeypatch.setattr(processes, "CAN_BE_SEEN", False)
    assert Spending(Seen()).add(10.0) == 10.0


def test_a_wait_for_a_process_that_gets_nothing_comes_to_an_end(monkeypatch):
    spending, waits = Spending(Seen(*[(5.0, READY)] * 200)), []
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: sum(waits)))
    while spending.seconds < 1.0:
        spending.spend(waits.append, 1.0, 0.5)
    assert 1.0 / LEAST <= sum(waits) <= 1.0 / LEAST + SHORTEST
