"""Check what a report points at: ``python benchmarks/likeness.py``.

Names: each broken candidate is compared with all others, as if it were not known, and each release of the museum with all. A name
is *right* if both candidates are of one family, or if their sentences are about the same call. For a release, the right name is the
one in ``EXHIBITS``. *Known*: the broken candidates that are named if they are known.

First failures: the failure that ``--fail-fast`` stops at. A rule that builds on another broken one does not count. The failure is
*right* if its rule is the one that the candidate breaks on purpose, or one on the card of the release; *near* if it is of the same
guarantee; *later* if another rule comes first.

Exit status: 1 if more than ``MOST`` of the names are wrong, or if the rule that a candidate breaks on purpose is hidden, because it
builds on another broken one.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from lab.kills import broken_in
from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language.account import Line
from stingy.reports.faults import Fault, record
from stingy.reports.likeness import find_equal, find_fault

MOST = 0.02
"""Largest share of wrong names among those that are given."""

HALL = Path(__file__).parent / "history"
EXHIBITS: Mapping[str, str] = {
    "deletions-are-measured": "trackers.MeasuresRemovals",
    "depth-counted-twice": "metrics.CountsTheAddOfWhatHasComeDue",
    "drain-loses-a-wake-up": "closing.StartsToDrainTooLate",
    "raised-item-keeps-its-place": "priorities.RaisedItGoesBeforeTheOthers",
    "shutdown-leaves-getters-waiting": "priorities.LeavesItsWorkersWaiting",
    "wait-of-the-one-before": "priorities.WritesADelayIntoTheOptions",
    "second-shutdown-panics": "delays.ClosesTwice",
    "times-of-a-removed-slice": "checkouts.ARemovalTakesNothingBack",
    "urgent-but-delayed": "priorities.WhatWasDelayedComesLast",
}
"""The known fault that each release has."""


class Score(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    SILENT = "silent"


class Place(StrEnum):
    RIGHT = "right"
    NEAR = "near"
    LATER = "later"
    HIDDEN = "hidden behind another"


@dataclass(frozen=True)
class Guess:
    """The known fault that a report names as similar to the fault of a candidate, and whether it is."""

    of: str
    says: str
    """What is wrong with the candidate."""
    named: str
    score: Score


@dataclass(frozen=True)
class First:
    """The rule whose failure a report shows first for a candidate, and whether it is the right one."""

    of: str
    rule: str
    about: Collection[str]
    """The rules that the candidate breaks on purpose."""
    score: Place


def main() -> None:
    guesses = (list(names_of_faults()), list(names_of_exhibits()))
    firsts = (list(firsts_of_faults()), list(firsts_of_exhibits()))
    for of, named, first in zip(
        ("broken candidates", "releases of the museum"), guesses, firsts, strict=True
    ):
        print(
            f"{len(named)} {of}, names: {_count(Score, named)}; {share_of_wrong(named):.1%} of the names are wrong"
        )
        for guess in named:
            if guess.score is Score.WRONG:
                print(f"  {guess.of}: {guess.says}\n    is said to look like: {guess.named}")
        print(f"{len(first)} {of}, first failures: {_count(Place, first)}")
        for it in first:
            if it.score in (Place.LATER, Place.HIDDEN):
                print(f"  {it.of}: {it.rule}, {it.score} {', '.join(it.about)}")
    print(f"known: {recognised()} of {len(record().faults)} broken candidates are named as what they are")
    wrong = any(share_of_wrong(each) > MOST for each in guesses)
    sys.exit(wrong or any(it.score is Place.HIDDEN for each in firsts for it in each))


def _count(scores: type[StrEnum], found: Sequence[Guess] | Sequence[First]) -> str:
    counts = Counter(str(it.score) for it in found)
    return ", ".join(f"{counts[score]} {score}" for score in scores)


def share_of_wrong(guesses: list[Guess]) -> float:
    """Return the share of guesses that name a wrong fault, among those that name one; 0 without any."""
    wrong, right = (sum(guess.score is it for guess in guesses) for it in (Score.WRONG, Score.RIGHT))
    return wrong / (wrong + right) if wrong else 0.0


def names_of_faults() -> Iterator[Guess]:
    """Yield, for each known fault, the name that a report would give to it if it were not known."""
    for fault in record().faults:
        like = _find_equal(fault, [it for it in record().faults if it is not fault])
        right = like is not None and _is_like(fault, like)
        yield _guess(f"{fault.family}.{fault.name}", fault.says, like, right=right)


def recognised() -> int:
    """Return how many known faults a report names as what they are."""
    return sum(_find_equal(fault, record().faults) is fault for fault in record().faults)


def _find_equal(fault: Fault, known: Sequence[Fault]) -> Fault | None:
    """Return the known fault that a report names for this one; rules that it does not fail are kept."""
    races = {id_ for id_, rule in all_rules().items() if rule.races}
    failed = {(rule, case) for rule, cases in fault.failures.items() for case in cases}
    told = {(rule, case) for rule, case in failed if rule not in races}
    kept = {(rule, case) for it in known for rule, cases in it.failures.items() for case in cases} - failed
    return find_equal(fault.failures, told, kept, known)


def names_of_exhibits() -> Iterator[Guess]:
    for name, report in _exhibits():
        verdicts = [_verdict(row) for row in report if row["rule"] in all_rules()]
        like = find_fault([it for it in verdicts if it.verdict is Finding.FAIL], verdicts)
        right = like is not None and f"{like.family}.{like.name}" == EXHIBITS.get(name)
        yield _guess(name, EXHIBITS.get(name, ""), like, right=right)


def _exhibits() -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    """Yield the name of each bug in the museum, and the results of the release that has the bug."""
    for file in sorted(HALL.glob("*/before.json")):
        yield file.parent.name, json.loads(file.read_text())["results"]


def _guess(of: str, says: str, like: Fault | None, *, right: bool) -> Guess:
    if like is None:
        return Guess(of, says, "", Score.SILENT)
    return Guess(of, says, f"{like.family}.{like.name}: {like.says}", Score.RIGHT if right else Score.WRONG)


_CALLS = re.compile(
    r"\b(add|get|done|shut ?down|drain|len|forget|when|requeue|checkout|sync|remov|limiter|clock|delay|metric|annotation|slice|service|pod"
    r"|priorit)",
    re.IGNORECASE,
)


def _is_like(one: Fault, other: Fault) -> bool:
    return one.family == other.family or bool(_calls(one) & _calls(other))


def _calls(fault: Fault) -> set[str]:
    return {call.lower() for call in _CALLS.findall(fault.says)}


def _verdict(row: Mapping[str, Any]) -> Verdict:
    rule = all_rules()[row["rule"]]
    return Verdict(
        rule.id,
        row["case"],
        rule.profile.name,
        rule.level,
        Finding(row["verdict"]),
        Evidence(row.get("evidence", "")),
        because=row.get("because", ""),
        story=msgspec.convert(row.get("story", ()), tuple[Line, ...]),
    )


def firsts_of_faults() -> Iterator[First]:
    about = {(it.family, it.name): it.about for it in broken_in("stingy_broken")}
    for fault in record().faults:
        yield _first(f"{fault.family}.{fault.name}", fault.failures, [about[fault.family, fault.name]])


def firsts_of_exhibits() -> Iterator[First]:
    for name, report in _exhibits():
        card = tomllib.loads((HALL / name / "exhibit.toml").read_text())
        broken = {row["rule"] for row in report if row["verdict"] == "FAIL"}
        if card["rules"] and broken:
            yield _first(name, broken, card["rules"])


def _first(of: str, broken: Collection[str], about: Collection[str]) -> First:
    shown = [it for it in all_rules() if it in broken and not _builds_on(it) & set(broken)]
    if shown[0] in about:
        score = Place.RIGHT
    elif not set(about) & set(shown):
        score = Place.HIDDEN
    elif _guarantee(shown[0]) in map(_guarantee, about):
        score = Place.NEAR
    else:
        score = Place.LATER
    return First(of, shown[0], about, score)


def _guarantee(rule: str) -> str:
    return all_rules()[rule].guarantee


def _builds_on(rule: str) -> set[str]:
    """Return the rules that a rule builds on, directly or through others."""
    near = all_rules()[rule].after
    return set(near).union(*map(_builds_on, near))


if __name__ == "__main__":
    main()
