"""Real threads with the shortest switch interval, and a time-out for each run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Barrier, Thread
from time import perf_counter

from peers import Found
from peers.faults import Fault
from peers.play import Play, maker

PATIENCE = 1.0
"""Seconds after which a run counts as stuck. On a busy machine, less would report a correct queue."""


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
