"""Scheduling puzzles: wrong code, lanes that call it, and a bad state for the player to reach."""

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
    """One puzzle of ``puzzles.toml``: code with a fault that shows only in some orders of its threads."""

    name: str
    title: str
    """The bad state to reach."""
    exercise: str
    """Name of the exercise to which it belongs."""
    of: str
    """Name of the script of that exercise from which its code is made."""
    changes: tuple[Change, ...] = ()
    """Changes to that script."""
    task: str
    moral: str
    """Lesson of the puzzle; shown with the solution."""
    order: tuple[str, ...]
    """An order of lanes that reaches the bad state."""
    lanes: Mapping[str, str]
    """Program of each lane, in the notation of the rules."""

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
        """Profile of the puzzle's code: ``queue``, or ``drain`` if its programs make calls that ``queue`` lacks."""
        ops = {op for program in self.programs.values() for op, *_ in program}
        return next(it for it in (PROFILES["queue"], PROFILES["drain"]) if ops <= it.ops)


class _Puzzles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    puzzles: tuple[Puzzle, ...]


@cache
def puzzles() -> tuple[Puzzle, ...]:
    return decode(PACKAGE / FILE, _Puzzles).puzzles


def find_puzzle(name: str) -> Puzzle:
    """Return the puzzle of this name. Raises KeyError if there is none."""
    return {it.name: it for it in puzzles()}[name]
