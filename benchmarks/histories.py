"""Compare the runs of each race rule with the different histories that they showed: ``benchmarks/histories.py [TARGET]``.

A history has the calls of a race, their answers, and which of them ended before others began. The target is a candidate in Python
with threads; without one, it is the reference. Rules that only read what the races of another rule showed are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import click

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence
from stingy.language.call import Call
from stingy.transport import locate
from stingy.transport.threads import ControlledThreads

SEED = 1


@click.command(help=__doc__)
@click.argument("target", default="stingy_reference")
def main(target: str) -> None:
    candidate = locate(target, SEED)
    judge = Judge(candidate, SEED)
    rows = []
    for rule in all_rules().values():
        if not rule.races:
            continue
        with _seeing() as histories:
            verdicts = [verdict for verdict in judge.verdicts(rule) if verdict.runs]
        if histories:  # otherwise another rule had seen them: each program runs once
            every = all(verdict.evidence is Evidence.EXHAUSTIVE for verdict in verdicts)
            rows.append((sum(verdict.runs for verdict in verdicts), len(histories), every, rule.id))
    candidate.close()
    print("| rule | runs | histories | all orders |\n|---|--:|--:|---|")
    for runs, seen, every, name in sorted(rows, reverse=True):
        print(f"| {name} | {runs:,} | {seen:,} | {'yes' if every else 'no'} |")
    for every in True, False:
        alike = [row for row in rows if row[2] is every]
        runs, seen = (sum(row[n] for row in alike) for n in (0, 1))
        print(
            f"{len(alike)} rules {'with' if every else 'without'} all orders: {runs:,} runs, {seen:,} histories"
        )


@contextmanager
def _seeing() -> Iterator[set[str]]:
    """Collect the histories of all races that run until the block ends."""
    seen: set[str] = set()
    race = ControlledThreads.race

    def seeing_race(session: ControlledThreads, *given: Any) -> Sequence[Call]:
        calls = race(session, *given)
        seen.add(_history(calls))
        return calls

    with patch.object(ControlledThreads, "race", seeing_race):
        yield seen


def _history(calls: Sequence[Call]) -> str:
    """Return text that is the same for calls with the same answers, in the same order."""
    told = [(call.lane, call.did, call.outcome) for call in calls]
    before = [call.over < other.start for call in calls for other in calls]
    return f"{told} {before}"


if __name__ == "__main__":
    main()
