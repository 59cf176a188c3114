"""A coroutine that keeps its event loop busy: processor time distinguishes spinning from a wait in C."""

import _thread

import pytest
from machine import patience

from stingy.engine import spinning
from stingy.engine.carrier import processor_seconds
from stingy.engine.loop import Loop
from stingy.engine.patches import patched, running
from stingy.engine.scheduler import Fair, LostControl, Scheduler


def test_a_coroutine_that_never_waits_is_told_from_one_that_is_held_up():
    async def spin():
        while True:
            pass

    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        loop = Loop(scheduler)
        scheduler.settle()
        since = processor_seconds(loop.thread.ident)
        loop.create_task(spin())
        loop.wake()
        with pytest.raises(LostControl):
            scheduler.settle()
        assert "spin" in spinning.whereabouts(loop.thread)
        assert spinning.spins(scheduler, loop.thread, since)
        spinning.stop(scheduler, loop.thread)
        assert not loop.thread.busy, "it was made to leave"
        scheduler.close()
    assert loop.is_closed()


def test_a_coroutine_that_blocks_in_c_does_not_spin():
    hidden = _thread.allocate_lock()
    hidden.acquire()

    async def block():
        hidden.acquire()

    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        loop = Loop(scheduler)
        scheduler.settle()
        since = processor_seconds(loop.thread.ident)
        task = loop.create_task(block())
        loop.wake()
        with pytest.raises(LostControl):
            scheduler.settle()
        assert spinning.spins(scheduler, loop.thread, since) is False
        hidden.release()
        assert scheduler.watch.waits(patience(1))
        scheduler.lost = False
        assert task.done()
        scheduler.close()
