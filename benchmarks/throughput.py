"""How fast the reference's queues are, beside others in the same run.

    .venv/bin/python benchmarks/throughput.py

Everything is a ratio, and each number the best of several rounds that take turns: what else the machine does
slows both. Peers that are not installed are left out, and said so.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Coroutine
from importlib import import_module
from queue import Queue
from threading import Thread
from time import perf_counter
from typing import Any

from stingy_reference import DelayingQueue, WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue

ROUNDS = 5
ITEMS = 100_000
LANES = 4

Seconds = float


def best(*runs: Callable[[], Seconds]) -> list[Seconds]:
    """The best time of each, which take turns."""
    rounds = [[timed() for timed in map(_without_collector, runs)] for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def _without_collector(run: Callable[[], Seconds]) -> Callable[[], Seconds]:
    def timed() -> Seconds:
        gc.collect()
        gc.disable()
        try:
            return run()
        finally:
            gc.enable()

    return timed


# One thread.


def alone() -> Seconds:
    queue = WorkQueue()
    began = perf_counter()
    for item in range(ITEMS):
        queue.add(item)
        got, _ = queue.get()
        queue.done(got)
    return perf_counter() - began


def alone_in_a_plain_queue() -> Seconds:
    queue: Queue[int] = Queue()
    began = perf_counter()
    for item in range(ITEMS):
        queue.put(item)
        queue.get()
        queue.task_done()
    return perf_counter() - began


# Several producers and workers.


def together() -> Seconds:
    queue = WorkQueue()

    def work() -> None:
        while True:
            item, shutdown = queue.get()
            if shutdown:
                return
            queue.done(item)

    return _crew(queue.add, work, queue.shut_down)


def together_in_a_plain_queue() -> Seconds:
    queue: Queue[Any] = Queue()

    def work() -> None:
        while queue.get() is not None:
            queue.task_done()

    return _crew(queue.put, work, lambda: [queue.put(None) for _ in range(LANES)])


def _crew(add: Callable[[Any], None], work: Callable[[], None], end: Callable[[], Any]) -> Seconds:
    def produce(lane: int) -> None:
        for item in range(ITEMS // LANES):
            add((lane, item))

    workers = [Thread(target=work) for _ in range(LANES)]
    producers = [Thread(target=produce, args=(lane,)) for lane in range(LANES)]
    began = perf_counter()
    for thread in (*workers, *producers):
        thread.start()
    for thread in producers:
        thread.join()
    end()
    for thread in workers:
        thread.join()
    return perf_counter() - began


# Coroutines.


def awaited(queue_of: Callable[[], Any], *, awaits: bool) -> Callable[[], Seconds]:
    """``awaits``: whether its Add and Done are coroutine functions, as its Get is."""

    async def run() -> Seconds:
        queue = queue_of()
        began = perf_counter()
        for item in range(ITEMS // 5):
            if awaits:
                await queue.add(item)
                got, _ = await queue.get()
                await queue.done(got)
            else:
                queue.add(item)
                got, _ = await queue.get()
                queue.done(got)
        return perf_counter() - began

    return lambda: asyncio.run(_run(run()))


async def _run(run: Coroutine[Any, Any, Seconds]) -> Seconds:
    return await run


# However much is queued.


def with_so_many_queued(size: int) -> Callable[[], Seconds]:
    """Seconds for one Add, Get and Done while so many items are queued."""

    def run() -> Seconds:
        queue = WorkQueue()
        for item in range(size):
            queue.add(item)
        began = perf_counter()
        for item in range(size, size + ITEMS):
            queue.add(item)
            got, _ = queue.get()
            queue.done(got)
        return (perf_counter() - began) / ITEMS

    return run


def with_so_many_waiting(size: int) -> Callable[[], Seconds]:
    """Seconds for each AddAfter of so many, the latest first: the worst order for a heap."""

    def run() -> Seconds:
        queue = DelayingQueue()
        began = perf_counter()
        for item in range(size):
            queue.add_after(item, 10_000 + size - item)
        took = perf_counter() - began
        queue.shut_down()
        return took / size

    return run


def _row(what: str, ours: Seconds, theirs: Seconds) -> None:
    print(f"| {what} | {theirs / ours:.2f} |", flush=True)


def main() -> None:
    print("| reference beside | times as fast |\n|---|--:|")
    _row("`queue.Queue`, one thread", *best(alone, alone_in_a_plain_queue))
    _row(f"`queue.Queue`, {LANES} producers and {LANES} workers", *best(together, together_in_a_plain_queue))
    try:
        peer = import_module("aiok8s.workqueue.queue")
    except ImportError:
        print("aiok8s is left out: it is not installed", file=sys.stderr)
    else:
        _row(
            "`aiok8s.workqueue`, coroutines",
            *best(awaited(AsyncWorkQueue, awaits=False), awaited(peer.new, awaits=True)),
        )
    print("\n| queued | Add, Get, Done, times that of 100 |\n|--:|--:|")
    sizes = [10**power for power in range(2, 7)]
    costs = best(*map(with_so_many_queued, sizes))
    for size, cost in zip(sizes, costs, strict=True):
        print(f"| {size:,} | {cost / costs[0]:.2f} |")
    print("\n| waiting | AddAfter of one, times that of 100 |\n|--:|--:|")
    costs = best(*map(with_so_many_waiting, sizes))
    for size, cost in zip(sizes, costs, strict=True):
        print(f"| {size:,} | {cost / costs[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
