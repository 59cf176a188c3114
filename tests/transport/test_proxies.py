"""A kube-proxy as a candidate: its clock is set, it is restarted, and changes arrive while it programs rules."""

import threading
import time

import pytest

from stingy.contract import PROFILES, SECOND, EndpointSlice
from stingy.contract.forms import Arrival, Program


class Proxy:
    """A fake proxy that records its calls in order, and returns what its clock shows."""

    def __init__(self, clock):
        self.clock, self.came = clock, []
        self.made = clock.time_ns(), clock.monotonic_ns()

    def update(self, slice_):
        self.came.append(f"update {slice_.name}")

    def remove(self, slice_):
        self.came.append(f"remove {slice_.name}")

    def services_synced(self):
        return self.made

    def slices_synced(self):
        return self.clock.time_ns(), self.clock.monotonic_ns()

    def sync(self, program):
        self.came += ["sync", self.slices_synced()]
        program()
        self.came += ["written", self.slices_synced()]
        program()
        return self.came

    def metric(self):
        return time.time_ns(), time.monotonic_ns()


class LocksWhileItSyncs(Proxy):
    def __init__(self, clock):
        super().__init__(clock)
        self.lock = threading.Lock()

    def update(self, slice_):
        with self.lock:
            super().update(slice_)

    def sync(self, program):
        with self.lock:
            return super().sync(program)


class KeepsItsLock(LocksWhileItSyncs):
    def sync(self, program):
        self.lock.acquire()
        program()
        return []


class CannotRead(Proxy):
    def update(self, slice_):
        raise KeyError(slice_.name)


@pytest.fixture
def ask(candidate_of, request):
    """Return a function that calls a method of a proxy on the lane of the node, and returns the call."""
    sessions = {}

    def ask(op, *args, of=Proxy):
        if of not in sessions:
            sessions[of] = candidate_of(of).open(PROFILES["proxy"])
            request.addfinalizer(sessions[of].close)
        ask.session = sessions[of]
        call = ask.session.call("node", op, *args)
        ask.session.settle(call, 3 * SECOND)
        return call

    return ask


def test_a_step_moves_the_wall_clock_alone(ask):
    wall, steady = ask("slices_synced").value
    ask.session.step(-3600 * SECOND)
    ask.session.advance(2 * SECOND)
    assert ask("slices_synced").value == (wall - 3598 * SECOND, steady + 2 * SECOND)
    assert ask.session.now_ns() == wall - 3598 * SECOND


def test_a_step_moves_the_clock_of_the_process_as_well(ask):
    wall, steady = ask("metric").value
    ask.session.step(7 * SECOND)
    assert ask("metric").value == (wall + 7 * SECOND, steady)


def test_the_clock_can_be_set_while_rules_are_programmed(ask):
    _, (wall, steady), _, after = ask("sync", Program(True, 5 * SECOND, 60 * SECOND)).value
    assert after == (wall + 65 * SECOND, steady + 5 * SECOND)


def test_the_clock_goes_on_over_a_restart(ask):
    wall, steady = ask("services_synced").value
    ask.session.step(10 * SECOND)
    ask.session.advance(5 * SECOND)
    ask.session.restart()
    assert ask("services_synced").value == (wall + 15 * SECOND, steady + 5 * SECOND)


def syncing(ask, kind, *names, op="update"):
    arrivals = [Arrival(op, EndpointSlice("shop", name, "web")) for name in names]
    return ask("sync", Program(True, 2 * SECOND, 0, arrivals), of=kind)


@pytest.mark.parametrize(
    ("kind", "op", "came"),
    [
        (Proxy, "update", ["sync", "update a", "update b", "written"]),
        (Proxy, "remove", ["sync", "remove a", "remove b", "written"]),
        (LocksWhileItSyncs, "update", ["sync", "written", "update a", "update b"]),
    ],
)
def test_changes_arrive_while_rules_are_programmed(ask, kind, op, came):
    """Changes come from an informer in its own thread, which waits while the proxy holds its lock."""
    value = syncing(ask, kind, "a", "b", op=op).value
    assert [it for it in value if isinstance(it, str)] == came


def test_a_sync_does_not_return_before_the_informer(ask):
    assert not syncing(ask, KeepsItsLock, "a").returned


def test_an_error_in_the_informer_is_an_error_of_the_sync(ask):
    assert "KeyError: 'a'" in syncing(ask, CannotRead, "a").raised
