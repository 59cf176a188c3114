"""The sound oddities are work queues with real threads, and are accused of nothing that is promised.

No test here waits for something not to happen. What has to come has a minute, which only a fault takes.
"""

import asyncio
import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from itertools import count
from random import Random

import oddities_judged
import pytest

from stingy_sound import sound_candidates
from stingy_sound.oddities import MODULES, oddities

ODDITIES = list(oddities())
FOR_ASYNCIO = [odd for odd in ODDITIES if inspect.iscoroutinefunction(getattr(odd, "get", None))]
FOR_THREADS = [odd for odd in ODDITIES if odd not in FOR_ASYNCIO]
A_MINUTE = 60
WORKERS, PRODUCERS, ADDS = 3, 2, 40
ITEMS = ["a", "b", "c", 0, None, ("d", 1)]

pytestmark = [
    # What forks while threads are there is one of the oddities.
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
    # A thread may exit, of which Python says nothing, be it while the next test runs; pytest would.
    pytest.mark.filterwarnings(
        "ignore:(?s)Exception in thread.*SystemExit:pytest.PytestUnhandledThreadExceptionWarning"
    ),
]


@contextmanager
def impatient_threads():
    """They are interrupted a hundred times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(0.00005)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def begin(*calls):
    threads = [threading.Thread(target=call, daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    return threads


def end(threads):
    for thread in threads:
        thread.join(A_MINUTE)
    assert not [thread for thread in threads if thread.is_alive()], "it waits for ever"


def of_all(odds):
    """Run a test of one class with each of these classes, and report every one that fails."""

    def of_each(test):
        def run(subtests):
            assert odds
            for odd in odds:
                with subtests.test(odd.__name__):
                    test(odd)

        run.__doc__ = test.__doc__
        return run

    return of_each


def of_those_with(method):
    return of_all([odd for odd in FOR_THREADS if hasattr(odd, method)])


class Watch:
    """Who holds what, and when it was last added and handed out; one moment after the other."""

    def __init__(self):
        self.moments = count()
        self.guard = threading.Lock()
        self.held = set()
        self.added, self.given = {}, {}
        self.wrong = []

    def adds(self, item):
        with self.guard:
            self.added[item] = next(self.moments)

    def is_given(self, item):
        with self.guard:
            if item in self.held:
                self.wrong.append(f"{item!r} is with two workers at once")
            self.held.add(item)
            self.given[item] = next(self.moments)

    def lets_go(self, item):
        with self.guard:
            self.held.remove(item)

    def lost(self):
        return [item for item, moment in self.added.items() if self.given.get(item, -1) < moment]


@of_all(FOR_THREADS)
def test_by_real_threads_nothing_is_lost_nor_held_twice_and_all_go_home(odd):
    queue, watch = odd(), Watch()

    def work():
        while True:
            item, over = queue.get()
            if over:
                return
            watch.is_given(item)
            len(queue)
            watch.lets_go(item)
            queue.done(item)

    def produce(seed):
        chance = Random(seed)
        for n in range(ADDS):
            item = chance.choice(ITEMS)
            watch.adds(item)
            queue.add(item)
            if n % 8 == 0:
                time.sleep(0.0005)

    with impatient_threads():
        workers = begin(*[work] * WORKERS)
        end(begin(*[lambda seed=seed: produce(seed) for seed in range(PRODUCERS)]))
        getattr(queue, "shut_down_with_drain", queue.shut_down)()
        end(workers)
    assert watch.wrong == []
    assert watch.lost() == []
    assert len(queue) == 0


@of_all(FOR_THREADS)
def test_by_one_thread_it_is_a_work_queue(odd):
    queue = odd()
    for item in ("b", "a", "b", "c", None):
        queue.add(item)
    assert len(queue) == 4
    assert queue.get() == ("b", False)
    queue.add("b")
    queue.add("b")
    assert len(queue) == 3
    assert [queue.get()[0] for _ in range(3)] == ["a", "c", None]
    queue.done("a")
    queue.done("b")
    assert queue.get() == ("b", False)
    queue.done("b")
    queue.add("d")
    queue.add("c")
    queue.shut_down()
    queue.add("e")
    assert queue.get() == ("d", False)
    queue.done("c")
    assert queue.get() == ("c", False)
    assert queue.get() == (None, True)
    queue.shut_down()
    assert queue.get() == (None, True)


@of_all(FOR_THREADS)
def test_a_shutdown_sends_home_whoever_waits_in_real_threads(odd):
    queue, answers = odd(), []
    workers = begin(*[lambda: answers.append(queue.get())] * WORKERS)
    queue.shut_down()
    end(workers)
    assert answers == [(None, True)] * WORKERS


@of_those_with("shut_down_with_drain")
def test_a_drain_waits_for_the_done_or_for_a_shutdown_in_real_threads(odd):
    for ends in ("done", "shut_down"):
        queue, story = odd(), []
        queue.add("a")
        assert queue.get() == ("a", False)

        def drain(queue=queue, story=story):
            queue.shut_down_with_drain()
            story.append("drained")

        drains = begin(drain, drain)
        while not queue.shutting_down():
            time.sleep(0)
        story.append(ends)
        getattr(queue, ends)(*["a"] * (ends == "done"))
        if ends == "done":
            end(drains)
        else:
            while any(drain.is_alive() for drain in drains):
                queue.shut_down()  # a drain that began after the ShutDown waits for the next
            end(drains)
        assert story == [ends, "drained", "drained"]


@of_those_with("add_after")
def test_what_is_delayed_comes_and_never_sooner_in_real_time(odd):
    """In which order is for virtual time to show: of two threads that ring, the real one may be late."""
    queue = odd()
    queue.add_after("never", 3600)
    queue.add_after("now", 0)
    assert queue.get() == ("now", False)
    delays, called = {"late": 0.1, "soon": 0.05}, time.monotonic()
    for item, delay in (*delays.items(), ("late", 3600)):
        queue.add_after(item, delay)
    while delays:
        item, _ = queue.get()
        assert time.monotonic() >= called + delays.pop(item)
        queue.done(item)
    queue.shut_down()
    queue.add_after("too late", 0)
    assert queue.get() == (None, True)


@of_those_with("add_rate_limited")
def test_what_is_rate_limited_comes_and_is_counted(odd):
    queue = odd()
    queue.add_rate_limited("a")
    assert queue.get() == ("a", False)
    assert queue.num_requeues("a") == 1
    queue.forget("a")
    assert queue.num_requeues("a") == 0
    queue.shut_down()


async def called(call, *args):
    """What it returns, awaited or not."""
    returned = call(*args)
    return await returned if inspect.isawaitable(returned) else returned


@of_all(FOR_ASYNCIO)
def test_on_one_loop_nothing_is_lost_nor_held_twice_and_all_go_home(odd):
    async def main():
        queue, watch, chance = odd(), Watch(), Random(1)

        async def work():
            while True:
                item, over = await queue.get()
                if over:
                    return
                watch.is_given(item)
                await asyncio.sleep(0)
                watch.lets_go(item)
                await called(queue.done, item)

        async def give_up():
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(queue.get(), 0.001)

        await give_up()
        workers = [asyncio.create_task(work()) for _ in range(WORKERS)]
        for n in range(ADDS * PRODUCERS):
            item = chance.choice(ITEMS)
            watch.adds(item)
            await called(queue.add, item)
            if n % 3 == 0:
                await asyncio.sleep(0)
        await called(queue.shut_down)
        await called(queue.add, "too late")
        async with asyncio.timeout(A_MINUTE):
            await asyncio.gather(*workers)
        assert (watch.wrong, watch.lost(), len(queue)) == ([], [], 0)
        assert "too late" not in watch.given
        assert await queue.get() == (None, True)

    asyncio.run(main())


@of_all([odd for odd in FOR_ASYNCIO if hasattr(odd, "add_after")])
def test_on_one_loop_what_is_delayed_comes_and_never_sooner(odd):
    async def main():
        queue = odd()
        delays, called = {"late": 0.1, "soon": 0.05}, time.monotonic()
        for item, delay in (*delays.items(), ("late", 3600), ("never", 3600)):
            queue.add_after(item, delay)
        while delays:
            async with asyncio.timeout(A_MINUTE):
                item, _ = await queue.get()
            assert time.monotonic() >= called + delays.pop(item)
        queue.shut_down()
        assert await queue.get() == (None, True)

    asyncio.run(main())


def test_there_are_at_least_sixty_and_no_two_are_called_the_same():
    assert len(ODDITIES) >= 60
    assert len({odd.__name__ for odd in ODDITIES}) == len(ODDITIES)
    assert not {odd.__name__ for odd in ODDITIES} & {odd.__name__ for odd in sound_candidates()}
    assert {odd.__module__.rpartition(".")[2] for odd in ODDITIES} == set(MODULES)


def test_each_says_in_a_line_what_is_odd_about_it():
    assert [odd.__name__ for odd in ODDITIES if not (odd.__doc__ or "").strip() or "\n" in odd.__doc__] == []


PARTS = 3
"""The oddities are shared out among so many tests, for xdist."""


@pytest.mark.budget(60)
@pytest.mark.parametrize("part", range(PARTS))
def test_an_oddity_is_accused_of_nothing_that_is_promised(part, tmp_path):
    """By the quick rules, with one order of each race: all of them, in all orders, would take 24 CPU-s an oddity."""
    command = [
        sys.executable,
        "-W",
        "ignore",
        oddities_judged.__file__,
        str(part),
        str(PARTS),
        tmp_path / "accused",
    ]
    with (tmp_path / "said").open(
        "w"
    ) as said:  # a file has an end, though a process that an oddity has started holds it
        judge = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True)
        judge.wait()
        with suppress(ProcessLookupError):
            os.killpg(judge.pid, signal.SIGKILL)
    assert judge.returncode == 0, (tmp_path / "said").read_text()
    assert json.loads((tmp_path / "accused").read_text()) == {}
