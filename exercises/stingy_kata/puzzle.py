"""What is played: code that is wrong in one way, who calls what on it, and which bad state is to be reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from stingy.contract import PROFILES, Profile
from stingy.language.notation import parse_steps
from stingy.language.race import Race
from stingy.language.session import Operation
from stingy.language.wording import operation
from stingy_kata.building import decode
from stingy_kata.exercise import PACKAGE, Exercise, find_exercise
from stingy_kata.mistakes import Change, apply_changes
from stingy_kata.script import Script, build

FILE = "puzzles.toml"


class Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    title: str
    """The bad state."""
    exercise: str
    of: str
    """The script of that exercise which it is made of."""
    changes: tuple[Change, ...] = ()
    task: str
    moral: str
    """What there is to be learnt, once it is done."""
    order: tuple[str, ...]
    """One that does it."""
    lanes: Mapping[str, str]
    """The program of each, in the notation of the rules."""

    @property
    def about(self) -> Exercise:
        return find_exercise(self.exercise)

    @property
    def script(self) -> Script:
        given = self.about.scripts[self.of]
        return build(self.about.folder / f"{self.name}.py", apply_changes(given.text, self.changes))

    @property
    def programs(self) -> Mapping[str, Sequence[Operation]]:
        return {
            lane: [operation(step, *Race.parts) for step in parse_steps(program)]
            for lane, program in self.lanes.items()
        }

    @property
    def profile(self) -> Profile:
        """What the code must offer for it."""
        ops = {op for program in self.programs.values() for op, *_ in program}
        return next(it for it in (PROFILES["queue"], PROFILES["drain"]) if ops <= it.ops)


class _Puzzles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    puzzles: tuple[Puzzle, ...]


@cache
def puzzles() -> tuple[Puzzle, ...]:
    return decode(PACKAGE / FILE, _Puzzles).puzzles


def find_puzzle(name: str) -> Puzzle:
    """KeyError if there is none."""
    return {it.name: it for it in puzzles()}[name]
