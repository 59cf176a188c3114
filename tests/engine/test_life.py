"""Code in a thread under control observes threads as it does in any other thread."""

import _thread
import contextvars
import sys
import threading
import time

import pytest

from scheduling import did, scheduled
from stingy.engine import scheduler as engine
from stingy.engine import spinning, watch
from stingy.engine.carrier import spawn
from stingy.engine.editor import uncontrolled
from stingy.engine.escapes import importing, is_started
from stingy.engine.frames import outwards
from stingy.engine.scheduler import LostControl, find_caller


def raised(call):
    try:
        call()
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def test_the_current_thread_is_the_one_that_was_started(world):
    seen = []

    def look():
        ids = threading.get_ident(), threading.get_native_id()
        seen.extend([threading.current_thread(), ids, threading.enumerate()])

    def job():
        thread = threading.Thread(target=look, name="timer", daemon=True)
        thread.start()
        alive = thread.is_alive()
        thread.join()
        return thread, (alive, thread.is_alive()), threading.enumerate()

    thread, alive, remaining = did(world, job)
    me, ids, everyone = seen
    assert me is thread
    assert (thread.name, thread.daemon) == ("timer", True)
    assert (thread.ident, thread.native_id) == ids
    assert (thread in everyone, thread in remaining) == (True, False)
    assert alive == (True, False)
    assert "stopped" in repr(thread)


def test_a_lane_is_one_plain_thread_for_all_its_calls(world):
    seen = []
    lane = world.start("worker 1", lambda: seen.append(threading.current_thread()))
    world.settle()
    assert did(world, seen[0].is_alive)
    world.start("worker 1", lambda: seen.append(threading.current_thread()), lane)
    world.settle()
    assert seen[0] is seen[1]
    assert type(seen[0]) is threading.Thread
    assert (seen[0].name, seen[0].daemon) == ("worker 1", False)
    world.close()
    assert not seen[0].is_alive()
    seen[0].join()


def test_idle_threads_of_the_pool_are_not_enumerated(world):
    for n in range(3):
        world.start(f"lane {n}", int)
    world.close()
    assert [thread for thread in threading.enumerate() if type(thread) is not threading.Thread] == [
        threading.main_thread()
    ]


def test_misuse_of_a_thread_raises_as_in_python(world):
    def job():
        mine = []
        thread = threading.Thread(target=lambda: mine.append(raised(thread.join)))
        early = raised(thread.join)
        thread.start()
        again = raised(thread.start)
        thread.join()
        return early, again, mine[0], raised(thread.start)

    assert did(world, job) == (
        "RuntimeError: cannot join thread before it is started",
        "RuntimeError: threads can only be started once",
        "RuntimeError: cannot join current thread",
        "RuntimeError: threads can only be started once",
    )


def test_an_exception_that_ends_a_thread_is_kept_and_given_to_its_hook(world, monkeypatch):
    told = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append((args.thread.name, args.exc_type)))

    def job():
        for target in (lambda: 1 / 0, _thread.exit):
            threading.Thread(target=target, name="timer").start()
        _thread.start_new_thread(lambda: {}["key"], ())

    did(world, job)
    assert world.deaths == [
        ("thread 1", "ZeroDivisionError: division by zero"),
        ("thread 3", "KeyError: 'key'"),
    ]
    assert told == [("timer", ZeroDivisionError), ("timer", SystemExit)]


def test_an_exception_whose_class_cannot_be_read_is_kept_as_well(world):
    def fail(*_):
        raise odd()

    odd = type("Odd", (Exception,), {"__class__": property(fail)})
    did(world, lambda: _thread.start_new_thread(fail, ()))
    assert world.deaths == [("thread 1", "Odd")]


def test_thread_locals_and_contexts_last_for_one_session():
    mine, depth = threading.local(), contextvars.ContextVar("depth", default=0)

    def look():
        seen = getattr(mine, "here", False), depth.get()
        mine.here = True
        depth.set(1)
        return seen

    for _ in range(3):
        seen = []
        with scheduled() as scheduler:
            lane = scheduler.start("lane", lambda seen=seen: seen.append(look()))
            scheduler.settle()
            scheduler.start("lane", lambda seen=seen: seen.append(look()), lane)
            scheduler.settle()
        assert seen == [(False, 0), (True, 1)]


def test_thread_locals_are_deleted_as_their_thread_ends(world):
    gone, mine = [], threading.local()

    class Kept:
        def __del__(self):
            gone.append(threading.current_thread().name)

    def keep():
        mine.kept = Kept()

    def job():
        thread = threading.Thread(target=keep, name="keeper")
        thread.start()
        thread.join()
        return list(gone)

    assert did(world, job) == ["keeper"]


def test_threads_and_locks_of_the_module_thread_are_under_control(world):
    def job():
        began, lock, seen = time.monotonic(), _thread.allocate_lock(), []

        def sleep():
            with lock:
                time.sleep(0.5)
            seen.append(time.monotonic() - began)

        _thread.start_new_thread(sleep, ())
        time.sleep(0.1)
        with lock:
            seen.append(time.monotonic() - began)
        return seen

    assert did(world, job) == pytest.approx([0.5, 0.5])


def test_threads_have_the_same_names_in_each_session():
    for _ in range(2):
        with scheduled() as scheduler:
            names = did(scheduler, lambda: [threading.Thread().name for _ in range(2)])
        assert names == ["Thread-1", "Thread-2"]


def beyond_control(function):
    """Run the function on a thread that the scheduler cannot follow, as if it were started in C."""
    over = []

    def run():
        function()
        over.append(True)

    spawn(run, ())
    while not over:
        pass


def test_a_lock_taken_beyond_control_is_noticed(world):
    lock = did(world, threading.Lock)
    beyond_control(lambda: lock.acquire() and lock.release())
    with pytest.raises(LostControl, match="cannot be followed, which takes its locks"):
        world.settle()


def test_a_clock_read_beyond_control_is_noticed(world):
    world.files = frozenset([__file__])
    beyond_control(time.monotonic)
    with pytest.raises(LostControl, match="cannot be followed, which looks at a clock"):
        world.settle()


def test_a_thread_of_other_code_is_ignored(world):
    lock = threading.Lock()
    beyond_control(lambda: lock.acquire() and time.monotonic() and lock.release())
    world.settle()


def test_a_thread_that_an_editor_has_stopped_is_not_under_control_until_it_continues(world):
    def job():
        with uncontrolled():
            stopped = find_caller()
        return stopped, find_caller()

    stopped, continued = did(world, job)
    assert stopped is None
    assert continued[0] is world


def test_a_run_that_ends_while_an_editor_has_stopped_it_does_not_begin_again(world):
    def job():
        with uncontrolled():
            world.aborting = True
        ended = find_caller()
        world.aborting, engine.active = False, world
        return ended

    assert did(world, job) is None


def test_what_a_debugger_does_while_a_candidate_is_imported_is_not_the_candidates(world, monkeypatch):
    thread = threading.current_thread()
    with importing() as started:
        theirs = threading.Lock()
        is_started(thread)
        monkeypatch.setattr(thread, "is_pydev_daemon_thread", True, raising=False)
        debuggers = threading.Lock()
        is_started(thread)
    assert (theirs.home is None, debuggers.home is None) == (False, True)
    assert started == [thread]


class LoopsInItsDestructor:
    def __del__(self):
        while True:
            pass


def loop():
    LoopsInItsDestructor()
    while True:
        pass


def test_a_loop_ends_though_an_abort_is_lost_in_a_destructor(world, monkeypatch):
    """CPython ignores what a destructor raises, and what a callback of its collector does."""
    with monkeypatch.context() as patient:
        patient.setattr(watch, "WATCHDOG", 0.01)  # seconds until it is noticed
        world.start("worker", loop)
        with pytest.raises(LostControl):
            world.settle()
    spinning.stop(world, world.current)
    running = [frame.f_code for first in sys._current_frames().values() for frame in outwards(first)]
    assert loop.__code__ not in running
    assert not world.lost
