"""Candidates on real threads; a proxy there: its clock is set, it is restarted, and changes arrive while it programs rules.

tests/transport/test_proxies.py has the same tests for a proxy under control.
"""

import threading

import pytest

from stingy.contract import PROFILES, SECOND, EndpointSlice
from stingy.contract.forms import Arrival, Program
from stingy.engine import cpython
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding
from stingy.transport import TargetError
from stingy.transport.inprocess import InProcess
from stingy_reference import WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue

PROXY = PROFILES["proxy"]


class Tells:
    """Proxy that records readings of its clock and the order of its calls."""

    def __init__(self, clock):
        self.clock = clock
        self.made = self.slices_synced()
        self.came = []

    def update(self, slice_):
        self.came.append(f"update {slice_.name}")

    def remove(self, slice_):
        self.came.append(f"remove {slice_.name}")

    def services_synced(self):
        return self.made

    def slices_synced(self):
        return self.clock.time_ns(), self.clock.monotonic_ns()

    def metric(self):
        """The metric is empty."""

    def sync(self, program):
        before = self.slices_synced()
        self.came.append("sync")
        program()
        self.came.append("written")
        program()
        return [before, self.slices_synced(), self.came]


class DoesOneThingAtATime(Tells):
    def __init__(self, clock):
        super().__init__(clock)
        self.lock = threading.Lock()

    def update(self, slice_):
        with self.lock:
            super().update(slice_)

    def sync(self, program):
        with self.lock:
            return super().sync(program)


class CannotRead(Tells):
    def update(self, slice_):
        raise KeyError(slice_.name)


@pytest.fixture
def session_of(request):
    def session_of(kind):
        candidate = InProcess(kind, 1, timed=True)
        session = candidate.open(PROXY)
        request.addfinalizer(candidate.close)
        request.addfinalizer(session.close)
        return session

    return session_of


def ask(session, op, *args):
    call = session.call("node", op, *args)
    session.settle(call, 3 * SECOND)
    return call


def test_a_step_moves_the_wall_clock_alone(session_of):
    session = session_of(Tells)
    wall, steady = ask(session, "slices_synced").value
    session.step(-3600 * SECOND)
    session.advance(2 * SECOND)
    assert ask(session, "slices_synced").value == (wall - 3598 * SECOND, steady + 2 * SECOND)
    assert session.now_ns() == wall - 3598 * SECOND


def test_the_clock_can_be_set_while_rules_are_programmed(session_of):
    (wall, steady), after, _ = ask(session_of(Tells), "sync", Program(True, SECOND, 60 * SECOND)).value
    assert after == (wall + 122 * SECOND, steady + 2 * SECOND), "it is set by each program"


def test_a_restart_makes_a_fresh_candidate_on_a_clock_that_goes_on(session_of):
    session = session_of(Tells)
    wall, steady = ask(session, "services_synced").value
    session.step(10 * SECOND)
    session.advance(5 * SECOND)
    session.restart()
    assert ask(session, "services_synced").value == (wall + 15 * SECOND, steady + 5 * SECOND)


@pytest.mark.parametrize(
    ("kind", "op", "came"),
    [
        (Tells, "update", ["sync", "update a", "written"]),
        (Tells, "remove", ["sync", "remove a", "written"]),
        (DoesOneThingAtATime, "update", ["sync", "written", "update a"]),
    ],
    ids=["update", "remove", "the informer waits"],
)
def test_a_change_arrives_between_the_beginning_of_a_sync_and_its_rules(session_of, kind, op, came):
    arrivals = [Arrival(op, EndpointSlice("shop", "a", "web"))]
    session = session_of(kind)
    call = ask(session, "sync", Program(True, 2 * SECOND, 0, arrivals))
    session.settle()
    assert call.value[-1] == came


def test_an_error_of_the_informers_call_is_an_error_of_the_sync(session_of):
    arrivals = [Arrival("update", EndpointSlice("shop", "a", "web"))]
    assert "KeyError: 'a'" in ask(session_of(CannotRead), "sync", Program(True, 0, 0, arrivals)).raised


def test_in_a_python_that_the_engine_does_not_know_a_queue_is_judged_on_real_threads_if_asked(monkeypatch):
    monkeypatch.setattr(cpython, "NEWEST", (3, 10))
    with pytest.raises(TargetError, match="or judge a queue for threads with --timed"):
        InProcess(WorkQueue, 1)
    candidate = InProcess(WorkQueue, 1, timed=True)
    verdict = Judge(candidate, 1).verdict(all_rules()["handing_out/an-added-item-is-handed-out"])
    candidate.close()
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.TIMED)


def test_in_a_python_that_the_engine_does_not_know_no_queue_for_asyncio_is_judged(monkeypatch):
    monkeypatch.setattr(cpython, "NEWEST", (3, 10))
    candidate = InProcess(AsyncWorkQueue, 1, timed=True)
    verdict = Judge(candidate, 1).verdict(all_rules()["handing_out/an-added-item-is-handed-out"])
    candidate.close()
    assert verdict.verdict is Finding.INCONCLUSIVE
    assert "it is for asyncio, whose loop stingy has to control" in verdict.because
