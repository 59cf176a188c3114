"""The watchdog stops a candidate for asyncio that blocks its event loop where the engine cannot follow."""

import asyncio
import sys
import threading
import time
from _thread import allocate_lock

import pytest
from machine import wait_for

from stingy.contract import PROFILES
from stingy.engine import spinning, watch
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.language.session import Hangs
from stingy.transport.inprocess import InProcess
from stingy_reference.coroutines import AsyncWorkQueue

FIRST = all_rules()["handing_out/an-added-item-is-handed-out"]
WAITS = all_rules()["handing_out/get-waits-while-nothing-is-queued"]


@pytest.fixture
def candidate_of(request):
    def candidate_of(kind):
        candidate = InProcess(kind, 1)
        request.addfinalizer(candidate.close)
        return candidate

    return candidate_of


class Spins(AsyncWorkQueue):
    async def get(self):
        while not self._queue:
            pass
        return await super().get()


def test_a_get_that_never_waits_breaks_the_rule_and_is_named(candidate_of):
    found = Judge(candidate_of(Spins), 1).verdict(WAITS)
    assert found.verdict is Finding.FAIL
    assert "Spins.get (test_coroutines.py:" in found.because
    assert "never waits" in found.because


def test_a_get_that_blocks_the_loop_unseen_is_an_error(candidate_of):
    hidden = allocate_lock()
    hidden.acquire()

    class Blocks(AsyncWorkQueue):
        async def get(self):
            hidden.acquire(True, 6)

    found = Judge(candidate_of(Blocks), 1).verdict(FIRST)
    assert found.verdict is Finding.ERROR
    assert "is blocked" in found.because


def test_nothing_is_left_behind_by_a_get_that_spins(capfd):
    def traces():
        return asyncio._get_running_loop(), threading.Lock, time.sleep, sys.get_asyncgen_hooks()

    before, threads = traces(), set(threading.enumerate())
    candidate = InProcess(Spins, 1)
    session = candidate.open(PROFILES["queue"])
    session.call("worker", "get")
    with pytest.raises(Hangs):
        session.settle()
    session.close()
    candidate.close()
    assert traces() == before
    assert wait_for(lambda: set(threading.enumerate()) <= threads, 1)
    assert capfd.readouterr().err == ""


def test_a_get_that_spins_has_seconds_to_come_to_its_end(candidate_of, monkeypatch):
    """Another Abort would hit it while it frees what it has made."""

    def evict(ident, evict=spinning.evict):
        monkeypatch.setattr(watch, "WATCHDOG", 0.01)
        evict(ident)

    monkeypatch.setattr(spinning, "evict", evict)
    monkeypatch.setattr(spinning, "UNWINDS", 10_000)
    ended = []

    class EndsSlowly(AsyncWorkQueue):
        async def get(self):
            try:
                while True:
                    pass
            finally:
                ended.append(sum(range(8_000_000)))

    candidate = candidate_of(EndsSlowly)
    session = candidate.open(PROFILES["queue"])
    session.call("worker", "get")
    with pytest.raises(Hangs):
        session.settle()
    session.close()
    assert ended
