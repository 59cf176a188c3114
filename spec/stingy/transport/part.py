"""Divides the orders of a race among several processes: each process runs one part of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, cast

from stingy.contract import Profile
from stingy.language.order import Attempt, Explored, Explorer
from stingy.transport import Candidate


@dataclass(frozen=True)
class Part:
    """One of ``of`` parts of a race's orders; ``number`` is its index, from 0."""

    number: int
    of: int


def in_part(candidate: Candidate, part: Part | None) -> Candidate:
    """Wrap a candidate so that only this part of each race is run; return it as is for None."""
    return candidate if part is None else cast(Candidate, _InPart(candidate, part))


class _InPart:
    """Wraps a candidate: its explorer runs only one part of each race.

    Small programs are assigned to the parts in turn, each to one part. A race that a rule spells
    out is run in all parts, in each with another seed and so in other orders.
    """

    def __init__(self, candidate: Candidate, part: Part) -> None:
        vars(self).update(_candidate=candidate, _part=part)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_candidate"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(vars(self)["_candidate"], name, value)

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:
        candidate: Candidate = vars(self)["_candidate"]
        part: Part = vars(self)["_part"]
        programs = count()
        explore_program = candidate.explorer(profile, seed, order)
        explore_race = candidate.explorer(profile, seed + 1 + part.number, order)

        def explore(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
            if not small:
                return explore_race(attempt, runs)
            if next(programs) % part.of != part.number:
                return Explored(0, exhaustive=True)  # another part runs this program
            return explore_program(attempt, runs, small=True)

        return explore
