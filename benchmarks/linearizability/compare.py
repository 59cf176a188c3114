"""Compare stingy's check of linearizability with porcupine's: ``python benchmarks/linearizability/compare.py``. Needs Go.

The histories come from random calls on random lanes, and some order explains each of them; in every second history one answer is
changed. Both tools judge the same histories by equivalent models and have to agree. Prints a table: milliseconds of each, and the
ratio.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter

import click
from msgspec.structs import replace

from stingy.language.call import Call
from stingy.language.linearizability import find_unexplained
from stingy.language.model import State, step

HERE = Path(__file__).parent
PORCUPINE = HERE / "porcupine"
ITEMS = "abcd"


@dataclass
class Lane:
    """A lane, with its call in progress and the items that it has got and not yet marked as done."""

    under_way: Call | None = None
    placed: bool = False
    holds: list[str] = field(default_factory=list)


def history(random: Random, lanes: int, calls: int) -> list[Call]:
    """Return a random history of overlapping calls that some order explains.

    Each call has the answer of the moment between its start and its end at which it takes effect.
    """
    crew = [Lane() for _ in range(lanes)]
    state, begun = State(), 0
    told: list[Call] = []
    for moment in range(1_000_000):
        n = random.randrange(lanes)
        lane = crew[n]
        if lane.under_way is None:
            if begun == calls:
                if not any(each.under_way for each in crew):
                    return sorted(told, key=lambda call: call.start)
                continue
            begun += 1
            op = random.choice(("add", "add", "get", "done" if lane.holds else "get", "len"))
            item = random.choice(ITEMS) if op == "add" else lane.holds.pop() if op == "done" else None
            lane.under_way, lane.placed = Call(f"lane {n}", op, item, moment, None), False
        elif not lane.placed:
            call = lane.under_way
            if call.op == "get" and not state.queue:  # it would wait: replace it by a call that does not
                call = replace(call, op="len")
            result: object = {"get": state.queue[:1], "len": len(state.queue)}.get(call.op)
            if call.op == "get":
                result = state.queue[0]
                lane.holds.append(str(result))
            after = step(state, call.op, call.item, result)
            assert after is not None
            state, lane.under_way, lane.placed = after, replace(call, result=result), True
        else:
            told.append(replace(lane.under_way, end=moment))
            lane.under_way = None
    raise AssertionError("no end")


def spoilt(random: Random, calls: Sequence[Call]) -> list[Call]:
    """Return the calls with another answer of one Len, which perhaps no order explains."""
    told = [n for n, call in enumerate(calls) if call.op == "len"]
    if not told:
        return list(calls)
    n = random.choice(told)
    return [*calls[:n], replace(calls[n], result=random.randrange(len(ITEMS))), *calls[n + 1 :]]


def for_porcupine(calls: Sequence[Call]) -> str:
    lanes = sorted({call.lane for call in calls})
    return json.dumps(
        [
            {
                "lane": lanes.index(call.lane),
                "op": call.op,
                "item": call.item or "",
                "result": call.result if call.op == "get" else "",
                "len": call.result if call.op == "len" else 0,
                "start": call.start,
                "end": call.end,
            }
            for call in calls
        ]
    )


@click.command()
@click.option("--histories", default=1000, show_default=True, help="Number of histories of each size.")
def main(histories: int) -> None:
    """Compare the two on histories of several sizes."""
    subprocess.run(["go", "build", "-o", PORCUPINE, "."], cwd=HERE, check=True)
    print(
        "| lanes | calls | explained | stingy, ms each | porcupine, ms each | times |\n|--:|--:|--:|--:|--:|--:|"
    )
    for lanes, calls in ((2, 6), (2, 12), (3, 12), (3, 24), (4, 24), (4, 48), (6, 48)):
        random = Random(calls * lanes)
        legal = [history(random, lanes, calls) for _ in range(histories)]
        told = [spoilt(random, each) if n % 2 else each for n, each in enumerate(legal)]
        began = perf_counter()
        ours = [find_unexplained(each) is None for each in told]
        took = perf_counter() - began
        lines = "\n".join(map(for_porcupine, told))
        theirs = json.loads(
            subprocess.run([PORCUPINE], input=lines, capture_output=True, text=True, check=True).stdout
        )
        assert ours == theirs["explained"], "the two do not agree"
        row = (lanes, calls, f"{sum(ours):,}", 1000 * took / histories, 1000 * theirs["seconds"] / histories)
        print(
            "| {} | {} | {} | {:.3f} | {:.3f} | {:.0f} |".format(*row, took / theirs["seconds"]), flush=True
        )


if __name__ == "__main__":
    main()
