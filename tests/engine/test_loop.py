"""The event loop: asyncio's order, virtual time, threads under control, nothing left behind."""

import asyncio
import sys
import threading
import time
from contextlib import suppress

import pytest

from scheduling import scheduled
from stingy.contract import SECOND
from stingy.engine.loop import TURNS, Loop


@pytest.fixture
def loop(world):
    loop = Loop(world)
    world.settle()
    yield loop
    loop.end()
    world.settle()


@pytest.fixture
def run(world, loop):
    """Return a function that runs a coroutine until nothing moves, and returns its task."""

    def run(coroutine, patience=0):
        task = loop.create_task(coroutine)
        loop.wake()
        world.settle(patience)
        return task

    return run


async def waits_with_a_time_out(span):
    loop = asyncio.get_running_loop()
    looks, when = 0, loop.time() + span
    while loop.time() < when:
        looks += 1
        with suppress(TimeoutError):
            async with asyncio.timeout_at(when):
                await loop.create_future()
    return looks


async def sleeps_what_is_left(span):
    looks, when = 0, time.monotonic() + span
    while (left := when - time.monotonic()) > 0:
        looks += 1
        await asyncio.sleep(left)
    return looks


@pytest.mark.parametrize("wait", [waits_with_a_time_out, sleeps_what_is_left])
@pytest.mark.parametrize("span", [59.999_999, 0.1, 1 / 3, 7e-10, 12.000_000_000_4])
def test_a_fraction_of_a_nanosecond_is_not_waited_for_again_and_again(run, wait, span):
    assert run(wait(span), 60 * SECOND).result() <= 2


def test_callbacks_run_in_the_order_of_their_calls(world, loop):
    seen = []
    for name in "abc":
        loop.call_soon(lambda name=name: (seen.append(name), loop.call_soon(seen.append, name.upper())))
    loop.wake()
    world.settle()
    assert seen == list("abcABC")


def test_all_clocks_agree(loop, run):
    readings = []

    async def read():
        for _ in range(2):
            readings.append((loop.time(), time.monotonic(), time.time_ns()))
            await asyncio.sleep(2.25)

    run(read(), patience=3 * SECOND)
    (first, monotonic, wall), (second, later, later_wall) = readings
    assert first == monotonic
    assert second == later == first + 2.25
    assert later_wall - wall == 2.25 * SECOND


def test_a_sleep_without_await_holds_up_the_loop(world, run):
    seen = []

    async def sleep_well():
        await asyncio.sleep(1)
        seen.append("well")

    async def sleep_badly():
        time.sleep(3)  # noqa: ASYNC251
        seen.append("badly")

    run(sleep_well())
    run(sleep_badly())
    world.advance(SECOND)
    assert seen == [], "the loop is held up"
    world.advance(2 * SECOND)
    assert seen == ["badly", "well"]


def test_timers_of_one_instant_fire_in_the_order_of_their_calls(world, loop):
    seen = []
    for name in range(20):
        loop.call_later(0.5, seen.append, name)
    loop.call_later(0.25, seen.append, "first")
    loop.call_later(float("inf"), seen.append, "never")
    loop.wake()
    world.advance(SECOND)
    assert seen == ["first", *range(20)]


def test_ready_tasks_run_before_timers(world, loop, run):
    seen = []

    async def busy():
        loop.call_later(0.001, seen.append, "timer")
        for turn in range(5):
            await asyncio.sleep(0)
            seen.append(turn)

    run(busy(), patience=SECOND)
    assert seen == [0, 1, 2, 3, 4, "timer"]


def test_a_cancelled_timer_does_not_fire_and_does_not_move_the_clock(world, loop):
    before = world.time.now
    loop.call_later(0.5, pytest.fail).cancel()
    loop.wake()
    world.settle(patience=SECOND)
    assert world.time.now == before


def test_a_task_that_polls_is_quiescent_after_some_turns(world, loop, run):
    looked = []
    ready = []

    async def poll():
        while not ready:
            looked.append(1)
            await asyncio.sleep(0)

    task = run(poll())
    assert TURNS - 2 <= len(looked) <= TURNS + 2
    ready.append(True)
    loop.wake()
    world.settle()
    assert task.done()


def test_timers_fire_while_another_task_polls(run):
    late = []

    async def poll():
        while not late:  # noqa: ASYNC110
            await asyncio.sleep(0)

    async def sleep():
        await asyncio.sleep(0.5)
        late.append(True)

    polls = run(poll())
    run(sleep(), patience=SECOND)
    assert polls.done()


def test_a_thread_may_call_into_the_loop(run):
    seen = []

    async def job():
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        thread = threading.Thread(target=lambda: (time.sleep(0.5), loop.call_soon_threadsafe(event.set)))
        thread.start()
        await event.wait()
        thread.join()
        seen.append("called")

    run(job())
    assert seen == []
    run(asyncio.sleep(0), patience=SECOND)
    assert seen == ["called"]


def test_exceptions_of_callbacks_are_kept_and_not_printed(world, loop, capfd):
    def fails():
        raise KeyError("it")

    loop.call_soon(fails)
    loop.call_soon(sys.exit)
    loop.wake()
    world.settle()
    seen = []
    loop.call_soon(seen.append, "goes on")
    loop.wake()
    world.settle()
    assert seen == ["goes on"]
    assert "KeyError('it')" in loop.failed[0]
    assert "SystemExit" in loop.failed[1]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "asks",
    [
        lambda: asyncio.open_connection("127.0.0.1", 1),
        lambda: asyncio.create_subprocess_exec("true"),
        lambda: asyncio.start_server(print, "127.0.0.1", 0),
    ],
    ids=["socket", "process", "server"],
)
def test_sockets_and_processes_are_refused(run, loop, asks):
    async def ask():
        with pytest.raises(NotImplementedError):
            await asks()

    assert run(ask()).done()
    assert "leads out of the process" in loop.refused


def test_waiting_tasks_are_cancelled_at_the_end(world):
    unwound = []

    async def wait():
        try:
            await asyncio.Event().wait()
        finally:
            unwound.append(True)

    loop = Loop(world)
    loop.create_task(wait())
    world.settle()
    loop.end()
    world.settle()
    assert unwound == [True]


def test_a_task_that_ignores_its_cancellation_leaves_nothing_behind(capfd):
    async def stubborn():
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(1)

    with scheduled() as scheduler:
        loop = Loop(scheduler)
        task = loop.create_task(stubborn())
        scheduler.settle()
        loop.end()
        scheduler.settle()
    assert loop.is_closed()
    del task
    assert asyncio._get_running_loop() is None
    assert capfd.readouterr().err == ""
