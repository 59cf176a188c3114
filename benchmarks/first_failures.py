"""Does the first failure point at the fault? ``python benchmarks/first_failures.py``

A broken candidate has a rule that it is about, and a release of the museum the rules on its card. The first failure is the one that
``--fail-fast`` stops at: rules are judged in one order, and one behind another that is broken does not count. It is *right* where it
is the candidate's own rule, *near* where both are about one guarantee, and *later* where another one comes first. Exit status 1 if
somebody's own rule is not among the failures at all, for it is behind another one.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lab.kills import broken_in
from stingy.guarantees import Rule, all_rules
from stingy.reports.faults import record

HALL = Path(__file__).parent / "history"


class Score(StrEnum):
    RIGHT = "right"
    NEAR = "near"
    LATER = "later"
    HIDDEN = "hidden behind another"


@dataclass(frozen=True)
class Pointed:
    of: str
    first: str
    about: Collection[str]
    score: Score


def main() -> None:
    hidden = False
    for title, each in (("broken candidates", of_faults()), ("releases of the museum", of_exhibits())):
        pointed = list(each)
        scores = Counter(it.score for it in pointed)
        print(f"{len(pointed)} {title}: " + ", ".join(f"{scores[score]} {score}" for score in Score))
        for it in pointed:
            if it.score in (Score.LATER, Score.HIDDEN):
                print(f"  {it.of}: {it.first}, {it.score} {', '.join(it.about)}")
        hidden |= bool(scores[Score.HIDDEN])
    sys.exit(hidden)


def of_faults() -> Iterator[Pointed]:
    about = {(it.family, it.name): it.about for it in broken_in("stingy_broken")}
    for fault in record().faults:
        own = about[fault.family, fault.name]
        yield _point(f"{fault.family}.{fault.name}", fault.failures, [own])


def of_exhibits() -> Iterator[Pointed]:
    for file in sorted(HALL.glob("*/before.json")):
        rows = json.loads(file.read_text())["results"]
        card = tomllib.loads((file.parent / "exhibit.toml").read_text())
        broken = {row["rule"] for row in rows if row["verdict"] == "FAIL"}
        if card["rules"] and broken:
            yield _point(file.parent.name, broken, card["rules"])


def _point(of: str, broken: Collection[str], about: Collection[str]) -> Pointed:
    first = next(it for it in all_rules() if it in broken and not _builds_on(it) & set(broken))
    return Pointed(of, first, about, _score(first, about, broken))


def _score(first: str, about: Collection[str], broken: Collection[str]) -> Score:
    if first in about:
        return Score.RIGHT
    if not any(it in broken and not _builds_on(it) & set(broken) for it in about):
        return Score.HIDDEN
    return Score.NEAR if _guarantee(first) in map(_guarantee, about) else Score.LATER


def _guarantee(rule: str) -> str:
    return all_rules()[rule].guarantee


def _builds_on(rule: str) -> set[str]:
    """Near and far."""
    known: dict[str, Rule] = all_rules()
    near = known[rule].after
    return set(near).union(*map(_builds_on, near))


if __name__ == "__main__":
    main()
