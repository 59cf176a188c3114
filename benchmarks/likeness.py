"""Is it what it is said to look like? ``python benchmarks/likeness.py``

Each broken candidate is held against all others but itself, and each release of the museum against all. A name is *right* where
both are of one family, or where what their sentences say goes wrong goes wrong in the same call; of a release, where it is the fault
that ``EXHIBITS`` says it has. Exit status 1 if more than so many of the names are wrong.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding, Verdict
from stingy.reports.faults import Fault, record
from stingy.reports.likeness import Likeness, find_nearest, find_nearest_to

MOST = 0.03
"""Largest share of wrong names among those that are given."""

HALL = Path(__file__).parent / "history"
EXHIBITS: Mapping[str, str] = {
    "deletions-are-measured": "trackers.MeasuresRemovals",
    "depth-counted-twice": "metrics.CountsTheAddOfWhatHasComeDue",
    "drain-loses-a-wake-up": "closing.StartsToDrainTooLate",
    "raised-item-keeps-its-place": "priorities.RaisedItGoesBeforeTheOthers",
    "second-shutdown-panics": "delays.ClosesTwice",
    "times-of-a-removed-slice": "checkouts.ARemovalTakesNothingBack",
    "urgent-but-delayed": "priorities.WhatWasDelayedComesLast",
}
"""Which of the known faults a release has."""


class Score(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    SEVERAL = "several, and none named"
    SILENT = "silent"


@dataclass(frozen=True)
class Guess:
    of: str
    says: str
    """What is wrong with it."""
    named: str
    score: Score


def main() -> None:
    wrong = False
    for title, guesses in (
        ("broken candidates", list(of_faults())),
        ("releases of the museum", list(of_exhibits())),
    ):
        scores = [guess.score for guess in guesses]
        told = ", ".join(f"{scores.count(score)} {score}" for score in Score)
        print(f"{len(guesses)} {title}: {told}; of the names, {share_of_wrong(guesses):.1%} are wrong")
        for guess in guesses:
            if guess.score is Score.WRONG:
                print(f"  {guess.of}: {guess.says}\n    is said to look like: {guess.named}")
        wrong |= share_of_wrong(guesses) > MOST
    sys.exit(wrong)


def share_of_wrong(guesses: list[Guess]) -> float:
    """Of the names that were given."""
    wrong, right = (sum(guess.score is it for guess in guesses) for it in (Score.WRONG, Score.RIGHT))
    return wrong / (wrong + right) if wrong else 0.0


def of_faults() -> Iterator[Guess]:
    """Each held against all others, as if it were not known."""
    faults = record().faults
    for fault in faults:
        like = find_nearest_to(fault.failures, [it for it in faults if it is not fault])
        right = like is not None and _is_like(fault, like.faults[0])
        yield _guess(f"{fault.family}.{fault.name}", fault.says, like, right=right)


def of_exhibits() -> Iterator[Guess]:
    for file in sorted(HALL.glob("*/before.json")):
        report, name = json.loads(file.read_text()), file.parent.name
        like = find_nearest(_verdict(row) for row in report["results"] if row["rule"] in all_rules())
        right = like is not None and like.name == EXHIBITS.get(name)
        yield _guess(name, EXHIBITS.get(name, ""), like, right=right)


def _guess(of: str, says: str, like: Likeness | None, *, right: bool) -> Guess:
    if like is None:
        return Guess(of, says, "", Score.SILENT)
    if not like.name:
        return Guess(of, says, "", Score.SEVERAL)
    return Guess(of, says, f"{like.name}: {like.says}", Score.RIGHT if right else Score.WRONG)


_CALLS = re.compile(
    r"\b(add|get|done|shut ?down|drain|len|forget|when|requeue|checkout|sync|remov|limiter|clock|delay|metric|annotation|slice|service|pod"
    r"|priorit)",
    re.IGNORECASE,
)


def _is_like(one: Fault, other: Fault) -> bool:
    return one.family == other.family or bool(_calls(one) & _calls(other))


def _calls(fault: Fault) -> set[str]:
    return {call.lower() for call in _CALLS.findall(fault.says)}


def _verdict(row: Mapping[str, str]) -> Verdict:
    rule = all_rules()[row["rule"]]
    return Verdict(
        rule.id,
        row["case"],
        rule.profile.name,
        rule.level,
        Finding(row["verdict"]),
        because=row.get("because", ""),
    )


if __name__ == "__main__":
    main()
