"""The process is restored after a session, whatever the candidate does, and also after an interrupt."""

import signal
import sys
import threading
import time
from contextlib import suppress

import pytest
from machine import wait_for

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.transport import locate
from stingy.transport.calling import Made
from stingy.transport.realthreads import RealThreads, stop_lingering
from stingy_reference import WorkQueue

RACE = all_rules()["interleavings/work-ends-in-every-order"]
FIRST = all_rules()["handing_out/an-added-item-is-handed-out"]
PATCHED = {
    (place, name): getattr(place, name)
    for place, names in (
        (threading, ("Lock", "RLock", "Condition", "Thread", "_allocate_lock")),
        (threading.Thread, ("start", "join", "is_alive")),
        (time, ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "sleep")),
    )
    for name in names
}


class Raises(WorkQueue):
    def add(self, item):
        raise ValueError(item)


class Exits(WorkQueue):
    def get(self):
        raise SystemExit(0)


class Hangs(WorkQueue):
    def get(self):
        threading.Event().wait()


class Spins(WorkQueue):
    def get(self):
        while True:
            pass


class IsInterrupted(WorkQueue):
    """Candidate that interrupts its judge in each Get, as Ctrl-C does."""

    def get(self):
        signal.raise_signal(signal.SIGINT)
        return super().get()


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.setitem(sys.modules, "test_leftovers", sys.modules[__name__])


@pytest.fixture(autouse=True)
def _interruptible():
    """Restore SIGINT, which a process that started us in the background may ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _threads():
    return set(sys._current_frames())


@pytest.mark.parametrize(
    ("kind", "rule"),
    [(kind, rule) for rule in (FIRST, RACE) for kind in (WorkQueue, Raises, Exits, Hangs, IsInterrupted)]
    + [(Spins, FIRST)],
    ids=lambda it: getattr(it, "__name__", None) or it.id,
)
def test_nothing_is_left_behind_in_this_process(kind, rule):
    before = _threads()
    candidate = locate(f"test_leftovers:{kind.__name__}", 1)
    with suppress(KeyboardInterrupt):
        Judge(candidate, 1).verdicts(rule)
    candidate.close()
    assert all(getattr(place, name) is real for (place, name), real in PATCHED.items())
    assert sys.gettrace() is None
    assert wait_for(lambda: _threads() <= before, 1), [sys._current_frames()[i] for i in _threads() - before]


def test_a_lane_that_spins_is_stopped_when_its_session_is_over():
    before = _threads()
    session = RealThreads(lambda clock: Made(Spins()), grace=0.01)
    session.call("worker", "get")
    session.close()
    stop_lingering(at_once=True)
    assert wait_for(lambda: _threads() <= before, 1)


def test_after_an_interrupt_the_same_rules_are_judged_as_before():
    with pytest.raises(KeyboardInterrupt):
        Judge(locate("test_leftovers:IsInterrupted", 1), 1).verdicts(RACE)
    verdicts = Judge(locate("stingy_reference", 1), 1).verdicts(RACE)
    assert {verdict.verdict for verdict in verdicts} == {Finding.PASS}
