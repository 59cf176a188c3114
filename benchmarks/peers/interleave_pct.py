"""interleave-test's probabilistic concurrency testing (PCT). It traces only the files of the candidates."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from time import perf_counter

import interleave_test

import stingy_broken
import stingy_reference
from peers import Found, torn
from peers.faults import Fault
from peers.play import Play, maker

TRACED = [Path(stingy_broken.__file__).parent, Path(stingy_reference.__file__).parent, Path(torn.__file__)]
BATCH = 20
"""Number of runs between two checks of the time."""


def search(fault: Fault, seconds: float) -> Found:
    make = maker(fault)

    def model() -> None:
        play = Play(fault, make)
        tasks = [interleave_test.spawn(lane) for lane in play.lanes]
        for task in tasks:
            task.join()
        assert not play.fault_seen()

    began, runs = perf_counter(), 0
    for seed in count():
        result = interleave_test.explore(
            model, iterations=BATCH, seed=seed, strategy="pct", include=TRACED, raise_on_failure=False
        )
        runs += result.schedules_run
        spent = perf_counter() - began
        if result.failure is not None or spent >= seconds:
            break
    note = result.failure.kind if result.failure is not None else ""
    return Found(result.failure is not None, spent, runs, note)
