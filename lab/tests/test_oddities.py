"""The reference and the sound oddities are work queues: real threads find no fault, and no MUST fails."""

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

from stingy_reference import WorkQueue
from stingy_sound import sound_candidates
from stingy_sound.oddities import MODULES, oddities

ODDITIES = list(oddities())
FOR_ASYNCIO = [odd for odd in ODDITIES if inspect.iscoroutinefunction(getattr(odd, "get", None))]
FOR_THREADS = [odd for odd in ODDITIES if odd not in FOR_ASYNCIO]
A_MINUTE = 60
WORKERS, PRODUCERS, ADDS = 3, 2, 40
ITEMS = ["a", "b", "c", 0, None, ("d", 1)]

pytestmark = [
    # One of the oddities forks while threads run.
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
    # A thread may exit by SystemExit, which Python ignores and pytest reports, perhaps in the next test.
    pytest.mark.filterwarnings(
        "ignore:(?s)Exception in thread.*SystemExit:pytest.PytestUnhandledThreadExceptionWarning"
    ),
]


@contextmanager
def impatient_threads():
    """Switch threads a hundred times as often as usual."""
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
    """Run a test of one class with each of these classes, and report every failing class."""

    def of_each(test):
        def run(subtests):
            assert odds
            for odd in odds:
                with subtests.test(odd.__name__):
                    test(odd)

        run.__doc__ = test.__doc__
        return run

    return of_each


class Watch:
    """Record of held items, and of the last Add and Get of each item, in numbered moments."""

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


@of_all([WorkQueue, *FOR_THREADS])
def test_real_threads_lose_nothing_hold_nothing_twice_and_all_end(odd):
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


async def called(call, *args):
    """Return the result of a call, awaited if it is awaitable."""
    returned = call(*args)
    return await returned if inspect.isawaitable(returned) else returned


@of_all(FOR_ASYNCIO)
def test_coroutines_lose_nothing_hold_nothing_twice_and_all_end(odd):
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


def test_there_are_at_least_sixty_with_different_names():
    assert len(ODDITIES) >= 60
    assert len({odd.__name__ for odd in ODDITIES}) == len(ODDITIES)
    assert not {odd.__name__ for odd in ODDITIES} & {odd.__name__ for odd in sound_candidates()}
    assert {odd.__module__.rpartition(".")[2] for odd in ODDITIES} == set(MODULES)


PARTS = 3
"""Number of tests that share the oddities, for xdist."""


@pytest.mark.budget(60)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_rule_accuses_an_oddity(part, tmp_path):
    """The quick rules judge it, with one order of each race.

    All rules in all orders would take 24 CPU-s an oddity.
    """
    words = ["-W", "ignore", oddities_judged.__file__, str(part), str(PARTS), tmp_path / "accused"]
    command = [sys.executable, *words]
    # A file, because a process that an oddity has started would hold a pipe open.
    with (tmp_path / "said").open("w") as said:
        judge = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True)
        judge.wait()
        with suppress(ProcessLookupError):
            os.killpg(judge.pid, signal.SIGKILL)
    assert judge.returncode == 0, (tmp_path / "said").read_text()
    assert json.loads((tmp_path / "accused").read_text()) == {}
