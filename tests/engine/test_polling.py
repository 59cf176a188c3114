"""Whoever looks again and again is not looked at for ever: time jumps to where something may change, and is honest about it."""

import queue
import threading
import time
from collections import deque
from contextlib import suppress

import pytest

from stingy.contract import SECOND
from stingy.engine.patches import patched, running
from stingy.engine.polling import Rest, View
from stingy.engine.scheduler import Scheduler
from stingy.engine.strategies import RandomPriorities

HOUR = 3600 * SECOND
FEW = 50


class Wakes:
    """A pause that counts how often it was over; what counts is not reached from the pausing thread's frames."""

    def __init__(self, pause):
        self._pauses = 0
        self._pause = pause

    def __call__(self):
        COUNTED[0] += 1
        self._pause()


COUNTED = [0]
OUT_OF_REACH = [0.0]
"""No frame leads to it."""


@pytest.fixture(autouse=True)
def _from_none():
    COUNTED[0] = 0


class Queue:
    """It looks whether there is an item, and pauses."""

    def __init__(self, pause):
        self.lock = threading.Lock()
        self.items = deque()
        self.got = []
        self.pause = Wakes(pause)

    def get(self):
        while True:
            with self.lock:
                if self.items:
                    self.got.append(self.items.popleft())
                    return
            self.pause()

    def add(self, item):
        with self.lock:
            self.items.append(item)


class Waits:
    """What a lane pauses by, made on a lane."""

    @staticmethod
    def event_wait():
        never = threading.Event()
        return lambda: never.wait(0.001)

    @staticmethod
    def condition_wait():
        condition = threading.Condition()

        def pause():
            with condition:
                condition.wait(0.001)

        return pause

    @staticmethod
    def queue_get():
        line = queue.Queue()

        def pause():
            with suppress(queue.Empty):
                line.get(timeout=0.001)

        return pause

    @staticmethod
    def lock_acquire():
        lock = threading.Lock()
        lock.acquire()
        return lambda: lock.acquire(timeout=0.001)

    @staticmethod
    def join():
        forever = threading.Thread(target=lambda: threading.Event().wait())
        forever.start()
        return lambda: forever.join(0.001)


PAUSES = {
    "sleep(0)": lambda: lambda: time.sleep(0),
    "half a millisecond": lambda: lambda: time.sleep(0.0005),
    "a third of a millisecond": lambda: lambda: time.sleep(1 / 3000),
    "100 ms": lambda: lambda: time.sleep(0.1),
    "no time": lambda: lambda: threading.Event().wait(0),
    "Event.wait": Waits.event_wait,
    "Condition.wait": Waits.condition_wait,
    "Queue.get": Waits.queue_get,
    "Lock.acquire": Waits.lock_acquire,
    "Thread.join": Waits.join,
}


@pytest.mark.parametrize("pause", PAUSES.values(), ids=PAUSES.keys())
def test_an_hour_over_a_poller_takes_few_wakes(world, pause):
    made = []
    world.start("maker", lambda: made.append(Queue(pause())))
    world.settle()
    (polled,) = made
    world.start("worker", polled.get)
    world.advance(HOUR)
    assert COUNTED[0] < FEW
    assert polled.got == []
    world.start("producer", lambda: polled.add("a"))
    world.settle(SECOND)
    assert polled.got == ["a"]
    assert world.now <= HOUR + SECOND // 10


def test_pollers_of_many_paces_do_not_hinder_each_other(world):
    polled = Queue(lambda: None)

    def get(pause):
        while not polled.items:
            COUNTED[0] += 1
            time.sleep(pause)

    for number, pause in enumerate((0.0005, 0.0007, 0.01, 0.0123)):
        world.start(f"worker {number}", lambda pause=pause: get(pause))
    world.advance(HOUR)
    assert COUNTED[0] < 4 * FEW


@pytest.mark.parametrize("pause", [0.001, 0.007, 0.013])
def test_an_instant_that_comes_between_two_looks_is_found_by_the_next_one(world, pause):
    """Though time stood still meanwhile, and somebody else was let do something."""
    came = []

    def clerk():
        due = time.monotonic() + 0.9995
        while time.monotonic() < due:
            COUNTED[0] += 1
            time.sleep(OUT_OF_REACH[0])
        came.append(world.now)

    OUT_OF_REACH[0] = pause
    world.start("clerk", clerk)
    world.advance(SECOND)
    world.settle(HOUR)
    assert came == [pytest.approx(SECOND, abs=pause * SECOND)]
    assert COUNTED[0] < FEW


def test_who_sees_the_time_run_down_that_is_left_comes_when_nothing_is(world):
    came = []

    def clerk():
        due = time.monotonic() + 1800.25
        while (left := due - time.monotonic()) > 0:
            COUNTED[0] += 1
            time.sleep(min(left, 0.001))
        came.append(world.now)

    world.start("clerk", clerk)
    world.advance(HOUR)
    assert COUNTED[0] < FEW
    assert came == [pytest.approx(1800.25 * SECOND, abs=1000)]


class Spinner:
    """It looks under its lock, again and again."""

    def __init__(self):
        self.lock = threading.Lock()
        self.items = deque()
        self.got = []

    def get(self):
        while True:
            with self.lock:
                if self.items:
                    self.got.append(self.items.popleft())
                    return

    def get_in_time(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with self.lock:
                if self.items:
                    self.got.append(self.items.popleft())
                    return
        self.got.append(None)

    def add(self, item):
        with self.lock:
            self.items.append(item)


@pytest.fixture
def spinner(world):
    made = []
    world.start("maker", lambda: made.append(Spinner()))
    world.settle()
    return made[0]


def test_a_thread_that_spins_comes_to_rest_soon_and_goes_on_when_it_is_helped(world, spinner):
    world.start("one", spinner.get)
    world.start("two", spinner.get)
    world.settle()
    assert world.points < 15_000
    before = world.points
    world.settle()
    assert world.points - before < 1_000
    world.start("producer", lambda: [spinner.add(item) for item in "ab"])
    world.settle()
    assert spinner.got == ["a", "b"]


@pytest.mark.parametrize("seed", range(10))
def test_spinners_come_to_rest_in_any_order(seed):
    scheduler = Scheduler(RandomPriorities(str(seed)))
    with running(scheduler), patched():
        made = []
        scheduler.start("maker", lambda: made.append(Spinner()))
        scheduler.settle()
        (spinner,) = made
        for name in "one", "two":
            scheduler.start(name, spinner.get)
        scheduler.start("producer", lambda: [spinner.add(item) for item in "ab"])
        scheduler.settle()
        assert sorted(spinner.got) == ["a", "b"]
        scheduler.start("three", spinner.get)
        scheduler.settle()
        assert scheduler.points < 50_000
        scheduler.close()


def test_a_thread_that_spins_for_time_to_pass_goes_on_at_its_instant(world, spinner):
    world.start("worker", lambda: spinner.get_in_time(0.0123))
    world.settle()
    assert spinner.got == []
    world.advance(SECOND // 100)
    assert spinner.got == []
    world.settle(SECOND)
    assert spinner.got == [None]
    assert world.now == 12_300_000
    assert world.polling.jumped, "nothing may be held against it"


def test_work_is_not_taken_for_a_loop_that_waits(world, spinner):
    done = []

    def work():
        number = 0
        while number < 30_000:
            with spinner.lock:
                number += 1
        done.append(number)

    world.start("waits", spinner.get)
    world.settle()
    assert world.known_to_spin
    world.start("works", work)
    world.settle()
    assert done == [30_000]


def test_who_spins_with_a_lock_in_his_hand_lets_others_have_it(world, spinner):
    """Wherever in his loop he is found to go round."""
    got = []

    def get():
        while True:
            with spinner.lock:
                for _ in range(3):
                    with spare:
                        pass
                if spinner.items:
                    got.append(spinner.items.popleft())
                    return

    made = []
    world.start("maker", lambda: made.append(threading.Lock()))
    world.settle()
    (spare,) = made
    for number in range(20):
        world.start("worker", get)
        world.settle()
        world.start("producer", lambda number=number: (world.point(world.current), spinner.add(number)))
        world.settle()
    assert got == [*range(20)]


def test_who_spins_with_a_lock_that_he_never_lets_go_is_at_rest(world, spinner):
    def keep():
        with spinner.lock:
            while not spinner.items:
                with spare:
                    pass

    made = []
    world.start("maker", lambda: made.append(threading.Lock()))
    world.settle()
    (spare,) = made
    world.start("keeper", keep)
    world.start("producer", lambda: spinner.add("a"))
    world.settle()
    world.settle()
    assert not spinner.items


def test_whose_look_was_put_off_has_not_come_round_by_that():
    nothing = View((), (), frozenset())
    before = Rest(look=1, at=10, over=0, span=5, view=nothing)
    assert not Rest(look=2, at=30, over=20, span=5, view=nothing).repeats(before)
    assert Rest(look=2, at=30, over=15, span=5, view=nothing).repeats(before)


@pytest.mark.parametrize("other", [1 << 5000, 1.5, float("nan"), float("inf")])
def test_a_number_beyond_all_floats_is_a_number(other):
    """A set of bits, one for each of thousands of items."""
    bits, others = (View((), [number], frozenset()) for number in (1 << 6000, other))
    assert bits.is_like(bits, SECOND)
    assert not bits.is_like(others, SECOND)
    assert not bits.left_since(others, SECOND)
    assert bits.numbers == {1 << 6000}
    assert View((), [5 + (1 << 6000)], frozenset()).is_like(bits, 5)


def test_who_sleeps_costs_nobody_anything(world):
    """A timer an item is a thread an item: none is looked at before its time has come."""
    woken = []
    for number in range(300):
        world.start(f"timer {number}", lambda number=number: (time.sleep(60), woken.append(number)))
    world.settle()
    assert world.ready() == []
    assert not world._awake
    world.advance(60 * SECOND)
    assert woken == [*range(300)]
