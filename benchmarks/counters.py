"""Count what judging a candidate takes, in numbers that no other process on the machine can change.

The candidate is the reference, in this process, unless a target is named. ``counters.json`` is a dated snapshot. Exit status: 1 if
a count is more than a tenth above it.
"""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from stingy.engine.scheduler import Scheduler
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.process import snapshot
from stingy.process.file import put
from stingy.transport import locate
from stingy.transport.wire import Wire

RECORD = Path(__file__).with_suffix(".json")
REFERENCE = "stingy_reference"
SEED = 1
MORE = 1.1
"""Factor above the recorded count from which on the exit status is 1."""


@click.command(help=__doc__)
@click.argument("target", default=REFERENCE)
@click.option(
    "--as", "name", default=REFERENCE, show_default=True, help="Name of the candidate in the record."
)
@click.option("--write", is_flag=True, help="Record the counts.")
def main(target: str, name: str, write: bool) -> None:
    known = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    now = count(target)
    print(f"{name}, Python {platform.python_version()}")
    print("\n".join(compare(known.get(name, {}), now)))
    if more := too_much(known.get(name, {}), now):
        print(
            f"more than a tenth above the record of {known.get(name, {}).get('day', 'no day')}: {', '.join(more)}"
        )
    if write:
        put(RECORD, json.dumps(known | {name: now | asdict(snapshot.now())}, indent=2, sort_keys=True) + "\n")
    elif more:
        sys.exit(1)


def count(target: str) -> dict[str, int]:
    """Judge the target by all rules, and return the number of sessions, orders and so on, by name."""
    with counting() as counts:
        candidate = locate(target, SEED)
        judge = Judge(candidate, SEED)
        counts["orders and examples"] = sum(
            verdict.runs for rule in all_rules().values() for verdict in judge.verdicts(rule)
        )
        candidate.close()
    return dict(sorted(counts.items()))


def too_much(known: Mapping[str, Any], now: Mapping[str, int]) -> list[str]:
    """Return the names of counts that are now more than ``MORE`` times as high as the known ones."""
    return [name for name, number in now.items() if number > MORE * known.get(name, 0)]


def compare(known: Mapping[str, Any], now: Mapping[str, int]) -> Iterator[str]:
    for name, number in now.items():
        before = known.get(name)
        yield f"{name:>20} {number:>10,}" + (f"  {number / before - 1:+.1%}" if before else "")


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """Count sessions, scheduling points, turns and requests until the block ends; return the counts by name."""
    counts: Counter[str] = Counter()
    begin, follow, close, send = Scheduler.__init__, Scheduler.follow, Scheduler.close, Wire.send

    def counted_init(scheduler: Scheduler, *given: Any) -> None:
        counts["sessions"] += 1
        begin(scheduler, *given)

    def counted_follow(scheduler: Scheduler, *given: Any) -> None:
        counts["scheduling points"] += scheduler.points
        follow(scheduler, *given)

    def counted_close(scheduler: Scheduler) -> None:
        if scheduler.tasks:  # the first time
            counts["scheduling points"] += scheduler.points
            counts["turns"] += scheduler.lineup.turn
        close(scheduler)

    def counted_send(wire: Wire, *given: Any, **named: Any) -> Any:
        counts["requests"] += 1
        return send(wire, *given, **named)

    with (
        patch.object(Scheduler, "__init__", counted_init),
        patch.object(Scheduler, "follow", counted_follow),
        patch.object(Scheduler, "close", counted_close),
        patch.object(Wire, "send", counted_send),
    ):
        yield counts


if __name__ == "__main__":
    main()
