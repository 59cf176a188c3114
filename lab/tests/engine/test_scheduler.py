"""The engine beside code that it cannot see: locks of the system, other threads, other processes."""

import _thread
import subprocess
import sys
import threading

import pytest
from machine import patience

from stingy.engine import watch
from stingy.engine.patches import patched, running
from stingy.engine.scheduler import LostControl, Scheduler
from stingy.engine.strategies import Fair


def test_a_thread_that_blocks_unseen_is_named_with_its_place(monkeypatch):
    monkeypatch.setattr(watch, "WATCHDOG", 0.05)
    hidden = _thread.allocate_lock()
    hidden.acquire()
    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        scheduler.start("sleeper", hidden.acquire)
        with pytest.raises(LostControl, match=r"sleeper blocks or runs on at pool.py:\d+"):
            scheduler.settle()
        scheduler.close()
    hidden.release()


def test_a_condition_made_under_control_is_a_real_one_for_other_threads():
    with patched():
        condition = threading.Condition()
    woken = []

    def wait():
        with condition:
            condition.notify()  # the test's thread, which waits until this thread has the lock
            woken.append(condition.wait(patience(1)))

    thread = threading.Thread(target=wait)
    with condition:
        thread.start()
        assert condition.wait(patience(1))
        condition.notify()
    thread.join(patience(1))
    assert woken == [True]


def test_another_process_is_noticed(world):
    world.start("lane", lambda: subprocess.run([sys.executable, "-c", ""], check=False))
    with pytest.raises(LostControl, match="it starts another process"):
        world.settle()
