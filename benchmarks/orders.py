"""How many orders a second a driver runs by itself, and after how many of them what is wrong is found.

python benchmarks/orders.py speed "cmd:target/release/driver"
python benchmarks/orders.py faults "cmd:target/release/controlled" 'interleavings/*' "checks, then acts" …
"""

from __future__ import annotations

import argparse
import resource
import shlex
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from stingy.guarantees import like
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.transport import locate
from stingy.transport.connection import connect
from stingy.transport.wire import Wire

PROGRAMS: Sequence[Sequence[Sequence[list[str]]]] = (
    ([["get"], ["done"]], [["add", "a"]]),
    ([["add", "a"], ["len"]], [["add", "a"], ["len"]]),
    ([["get"]], [["get"]], [["add", "a"], ["add", "b"]]),
    ([["get"], ["done"]], [["add", "a"]], [["shut_down"]]),
    ([["add", "a"], ["get"], ["done"]], [["get"], ["done"]], [["add", "b"]]),
)
"""Of two and three lanes."""
BATCH = 3000
BATCHES = 2
"""Of each program; the first one warms up."""
SEEDS = range(1, 11)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("speed").add_argument("target")
    faults = kinds.add_parser("faults", help="of a driver that has the fault which it is told")
    for name in ("target", "rules"):
        faults.add_argument(name)
    faults.add_argument("faults", nargs="+")
    said = parser.parse_args()
    if said.kind == "speed":
        rates = [f"{rate:,.0f}" for rate in measure(said.target)]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        each = BATCH * BATCHES * len(PROGRAMS) / (used.ru_utime + used.ru_stime)
        print(f"orders a second, program by program: {', '.join(rates)}")
        print(f"orders per CPU second of the driver, its start included: {each:,.0f}")
        return
    for fault in said.faults:
        found = [find(f"{said.target} {shlex.quote(fault)}", said.rules, seed) for seed in SEEDS]
        orders = [runs for runs in found if runs]
        middle = f"{median(orders):,.0f}" if orders else "none"
        print(f"{fault}: {len(orders)} of {len(found)}, median of the orders {middle}", flush=True)


def measure(target: str) -> Iterator[float]:
    """Orders a second of each program."""
    wire = Wire(connect(target))
    wire.greet(30, protocol=1)
    for lanes in PROGRAMS:
        programs = {f"lane {n}": program for n, program in enumerate(lanes, 1)}
        for batch in range(BATCHES):
            wire.ask("new", impl="work_queue", options={})
            seconds = _run(wire, programs, batch)
        yield BATCH / seconds
    wire.close()


def _run(wire: Wire, programs: dict[str, Any], seed: int) -> float:
    schedule = {"strategy": "random", "seed": seed * BATCH, "runs": BATCH, "most": 20, "then": [["len"]]}
    began = time.perf_counter()
    wire.ask("burst", programs=programs, seed=1, schedule=schedule)
    return time.perf_counter() - began


def find(target: str, glob: str, seed: int) -> int:
    """In how many orders, over all rows up to the first that fails, by whichever of the rules; 0 if none does."""
    candidate = locate(target, seed)
    trial, orders = Trial(candidate, seed), 0
    try:
        for rule in like([glob]):
            for row in rule.cases:
                verdict = trial.judge(rule, row)
                orders += verdict.runs
                if verdict.verdict is Finding.FAIL:
                    return orders
    finally:
        candidate.close()
    return 0


if __name__ == "__main__":
    main()
