"""Real threads that are switched as often as can be, and patience where one seems to wait for ever."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Barrier, Thread
from time import perf_counter

from faults import Fault
from found import Found
from play import Play, maker

PATIENCE = 1.0
"""Seconds after which a run is taken to be stuck: less would accuse the innocent on a busy machine."""


def search(fault: Fault, seconds: float) -> Found:
    make = maker(fault)
    sys.setswitchinterval(1e-6)
    began, runs, seen = perf_counter(), 0, False
    while not seen and perf_counter() - began < seconds:
        play = Play(fault, make)
        _run_at_once(play.lanes)
        seen = play.fault_seen()
        runs += 1
    return Found(seen, perf_counter() - began, runs)


def _run_at_once(lanes: list[Callable[[], None]]) -> None:
    start = Barrier(len(lanes))

    def run(lane: Callable[[], None]) -> None:
        start.wait()
        lane()

    threads = [Thread(target=run, args=(lane,), daemon=True) for lane in lanes]
    for thread in threads:
        thread.start()
    late = perf_counter() + PATIENCE
    for thread in threads:
        thread.join(max(0.0, late - perf_counter()))
