"""frontrun's random exploration, with its virtual clock.

It traces only the files of the candidates, if stingy is installed and not editable.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

import frontrun

from peers import Found
from peers.faults import Fault
from peers.play import Play, maker

STUCK = 2.0
"""Seconds after which frontrun gives up a run. Its default is 5."""


def search(fault: Fault, seconds: float) -> Found:
    return explore(fault, seconds, strategy="random", max_attempts=1_000_000, seed=0)


def explore(fault: Fault, seconds: float, **how: Any) -> Found:
    make = maker(fault)
    began, runs, complete = perf_counter(), 0, False
    while True:
        spent = perf_counter() - began
        result = frontrun.explore(
            setup=lambda: Play(fault, make),
            workers=[partial(_run, n) for n in range(len(fault.program.at_once.split("|")))],
            invariant=lambda play: not play.fault_seen(),
            clock="virtual",
            detect_io=False,
            reproduce_on_failure=0,
            timeout_per_run=STUCK,
            deadlock_timeout=STUCK,
            total_timeout=seconds - spent,
            trace_packages=["stingy_reference*", "stingy_broken*"],
            **how,
        )
        runs += result.num_explored
        spent = perf_counter() - began
        complete |= result.property_holds is True and spent < seconds
        if not result.property_holds or spent >= seconds or not fault.right:
            break
    note = "inconclusive" if result.property_holds is None else "search ended" if complete else ""
    return Found(result.property_holds is False, spent, runs, note)


def _run(lane: int, play: Play) -> None:
    play.lanes[lane]()
