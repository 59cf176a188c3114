"""What arrives while a proxy programs its rules is told by an informer on a thread of its own."""

import threading

import pytest

from stingy.contract import PROFILES, SECOND, EndpointSlice
from stingy.forms import Arrival, Program
from stingy.transport import locate

PROXY = PROFILES["proxy"]


class Tells:
    """A proxy that tells what came, and in which order."""

    def __init__(self, clock):
        self.clock = clock
        self.came = []

    def update(self, slice_):
        self.came.append(f"update {slice_.name}")

    def remove(self, slice_):
        self.came.append(f"remove {slice_.name}")

    def services_synced(self):
        return self.clock.time_ns()

    slices_synced = services_synced

    def metric(self):
        """Nothing is measured."""

    def sync(self, program):
        self.came.append("sync")
        program()
        self.came.append("written")
        program()
        return self.came


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


class KeepsItsInformerForEver(DoesOneThingAtATime):
    def sync(self, program):
        self.lock.acquire()
        program()
        return []


class CannotRead(Tells):
    def update(self, slice_):
        raise KeyError(slice_.name)


def _sync(candidate, *names, op="update"):
    session = candidate.open(PROXY)
    arrivals = [Arrival(op, EndpointSlice("shop", name, "web")) for name in names]
    call = session.call("node", "sync", Program(True, 2 * SECOND, 0, arrivals))
    session.settle(call, 3 * SECOND)
    session.close()
    return call


@pytest.fixture
def sync():
    candidates = []

    def sync(kind, *names, **how):
        candidate = locate(f"{__name__}:{kind.__name__}", 1)
        candidates.append(candidate)
        return _sync(candidate, *names, **how)

    yield sync
    for candidate in candidates:
        candidate.close()


def test_it_arrives_after_the_sync_has_begun_and_before_the_rules_are_written(sync):
    assert sync(Tells, "a", "b").value == ["sync", "update a", "update b", "written"]


def test_what_is_removed_is_removed(sync):
    assert sync(Tells, "a", op="remove").value == ["sync", "remove a", "written"]


def test_whoever_does_one_thing_at_a_time_has_the_informer_wait(sync):
    assert sync(DoesOneThingAtATime, "a").value == ["sync", "written", "update a"]


def test_an_informer_that_never_comes_back_keeps_the_sync_from_returning():
    candidate = locate(f"{__name__}:KeepsItsInformerForEver", 1)
    assert not _sync(candidate, "a").returned
    candidate.close()


def test_what_the_informer_is_answered_with_an_error_is_an_error_of_the_sync(sync):
    assert "KeyError: 'a'" in sync(CannotRead, "a").raised
