"""Polling and spinning threads: time jumps to possible changes, and no jump breaks a rule."""

import queue
import threading
import time
from collections import deque
from contextlib import suppress

import pytest

from scheduling import did, scheduled
from stingy.contract import SECOND
from stingy.engine.polling import Rest, View
from stingy.engine.strategies import RandomPriorities

HOUR = 3600 * SECOND
FEW = 50
LOOKS = [0]
"""Number of looks. The engine cannot see this counter in the frames of the thread, so time may jump."""


@pytest.fixture(autouse=True)
def _from_none():
    LOOKS[0] = 0


class Queue:
    """A queue whose Get polls: it looks for an item with the lock held, pauses, and looks again."""

    def __init__(self, pause=None):
        self.lock = threading.Lock()
        self.items, self.got = deque(), []
        self.pause = pause and Counted(pause)

    def get(self):
        while True:
            with self.lock:
                if self.items:
                    self.got.append(self.items.popleft())
                    return
            if self.pause:
                self.pause()

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


class Counted:
    """A pause in a polling loop; ``LOOKS`` counts how often the loop has looked for an item."""

    def __init__(self, pause):
        self._pause = pause

    def __call__(self):
        LOOKS[0] += 1
        self._pause()


def event_wait():
    never = threading.Event()
    return lambda: never.wait(0.001)


def condition_wait():
    condition = threading.Condition()

    def pause():
        with condition:
            condition.wait(0.001)

    return pause


def queue_get():
    line = queue.Queue()

    def pause():
        with suppress(queue.Empty):
            line.get(timeout=0.001)

    return pause


def lock_acquire():
    lock = threading.Lock()
    lock.acquire()
    return lambda: lock.acquire(timeout=0.001)


class Join:
    def __init__(self):
        self.forever = threading.Thread(target=lambda: threading.Event().wait())
        self.forever.start()

    def __call__(self):
        self.forever.join(0.001)


PAUSES = {
    "sleep(0)": lambda: lambda: time.sleep(0),
    "half a millisecond": lambda: lambda: time.sleep(0.0005),
    "a third of a millisecond": lambda: lambda: time.sleep(1 / 3000),
    "100 ms": lambda: lambda: time.sleep(0.1),
    "no time": lambda: lambda: threading.Event().wait(0),
} | {pause.__name__: pause for pause in (event_wait, condition_wait, queue_get, lock_acquire, Join)}


@pytest.mark.parametrize("pause", PAUSES.values(), ids=PAUSES.keys())
def test_an_hour_of_polling_takes_few_wake_ups(world, pause):
    polled = did(world, lambda: Queue(pause()))
    began = world.time.now
    world.start("worker", polled.get)
    world.advance(HOUR)
    assert LOOKS[0] < FEW
    assert polled.got == []
    world.start("producer", lambda: polled.add("a"))
    world.settle(SECOND)
    assert polled.got == ["a"]
    assert world.time.now - began <= HOUR + SECOND // 10


def test_pollers_with_different_intervals_do_not_hinder_each_other(world):
    polled = Queue()

    def get(pause):
        while not polled.items:
            LOOKS[0] += 1
            time.sleep(pause)

    for number, pause in enumerate((0.0005, 0.0007, 0.01, 0.0123)):
        world.start(f"worker {number}", lambda pause=pause: get(pause))
    world.advance(HOUR)
    assert LOOKS[0] < 4 * FEW


INTERVAL = [0.0]
"""Seconds between two looks. The engine cannot see this number in the frames of the thread."""


@pytest.mark.parametrize("pause", [0.001, 0.007, 0.013])
def test_a_deadline_between_two_looks_is_found_by_the_second(world, pause):
    came = []

    def clerk():
        due = time.monotonic() + 0.9995
        while time.monotonic() < due:
            LOOKS[0] += 1
            time.sleep(INTERVAL[0])
        came.append(world.time.now)

    INTERVAL[0] = pause
    world.start("clerk", clerk)
    world.advance(SECOND)
    world.settle(HOUR)
    assert came == [pytest.approx(SECOND, abs=pause * SECOND)]
    assert LOOKS[0] < FEW


def test_a_thread_that_counts_down_the_time_left_wakes_when_none_is(world):
    came = []

    def clerk():
        due = time.monotonic() + 1800.25
        while (left := due - time.monotonic()) > 0:
            LOOKS[0] += 1
            time.sleep(min(left, 0.001))
        came.append(world.time.now)

    world.start("clerk", clerk)
    world.advance(HOUR)
    assert LOOKS[0] < FEW
    assert came == [pytest.approx(1800.25 * SECOND, abs=1000)]


@pytest.fixture
def spinner(world):
    return did(world, Queue)


def test_threads_that_spin_are_quiescent_soon_and_go_on_when_they_are_helped(world, spinner):
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
def test_threads_that_spin_are_quiescent_in_any_order(seed):
    with scheduled(RandomPriorities(str(seed))) as scheduler:
        spinner = did(scheduler, Queue)
        for name in "one", "two":
            scheduler.start(name, spinner.get)
        scheduler.start("producer", lambda: [spinner.add(item) for item in "ab"])
        scheduler.settle()
        assert sorted(spinner.got) == ["a", "b"]
        scheduler.start("three", spinner.get)
        scheduler.settle()
        assert scheduler.points < 50_000


def test_a_thread_that_spins_until_a_deadline_goes_on_at_it(world, spinner):
    began = world.time.now
    world.start("worker", lambda: spinner.get_in_time(0.0123))
    world.settle()
    assert spinner.got == []
    world.advance(SECOND // 100)
    assert spinner.got == []
    world.settle(SECOND)
    assert spinner.got == [None]
    assert world.time.now - began == 12_300_000
    assert world.polling.jumped, "nothing may be held against it"


def test_a_long_computation_is_not_taken_for_a_loop_that_waits(world, spinner):
    done = []

    def work():
        number = 0
        while number < 30_000:
            with spinner.lock:
                number += 1
        done.append(number)

    world.start("waits", spinner.get)
    world.settle()
    assert world.loops.known
    world.start("works", work)
    world.settle()
    assert done == [30_000]


def test_a_thread_that_spins_with_a_lock_lets_others_take_it(world, spinner):
    """Others get the lock wherever in its loop the scheduler notices that the thread spins."""
    got, spare = [], did(world, threading.Lock)

    def get():
        while True:
            with spinner.lock:
                for _ in range(3):
                    with spare:
                        pass
                if spinner.items:
                    got.append(spinner.items.popleft())
                    return

    for number in range(20):
        world.start("worker", get)
        world.settle()
        world.start("producer", lambda number=number: (world.point(world.current), spinner.add(number)))
        world.settle()
    assert got == [*range(20)]


def test_a_thread_that_spins_and_never_releases_its_lock_is_quiescent(world, spinner):
    spare = did(world, threading.Lock)

    def keep():
        with spinner.lock:
            while not spinner.items:
                with spare:
                    pass

    world.start("keeper", keep)
    world.start("producer", lambda: spinner.add("a"))
    world.settle()
    world.settle()
    assert not spinner.items


def test_a_look_that_was_put_off_is_no_repetition():
    nothing = View((), (), frozenset())
    before = Rest(look=1, at=10, over=0, span=5, view=nothing)
    assert not Rest(look=2, at=30, over=20, span=5, view=nothing).repeats(before)
    assert Rest(look=2, at=30, over=15, span=5, view=nothing).repeats(before)


@pytest.mark.parametrize("other", [1 << 5000, 1.5, float("nan"), float("inf")])
def test_an_integer_beyond_all_floats_is_compared(other):
    """Such an integer is, for example, a set of bits, one for each of thousands of items."""
    bits, others = (View((), [number], frozenset()) for number in (1 << 6000, other))
    assert bits.is_like(bits, SECOND)
    assert not bits.is_like(others, SECOND)
    assert not bits.left_since(others, SECOND)
    assert bits.numbers == {1 << 6000}
    assert View((), [5 + (1 << 6000)], frozenset()).is_like(bits, 5)


def test_a_sleeping_thread_is_not_looked_at_before_its_time(world):
    woken = []
    for number in range(300):
        world.start(f"timer {number}", lambda number=number: (time.sleep(60), woken.append(number)))
    world.settle()
    assert world.lineup.ready() == []
    assert not world.lineup._awake
    world.advance(60 * SECOND)
    assert woken == [*range(300)]
