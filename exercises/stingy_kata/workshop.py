"""A learner's folder: an attempt and its task for each exercise, and where the learner is."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from stingy_kata.exercise import RUNGS, Exercise, exercises, find_exercise
from stingy_kata.state import FILE, State, load, save

DEFAULT = Path("stingy-kata")
"""Where it is made, unless another place is named."""


class NoWorkshop(Exception):  # noqa: N818 - it is no error yet
    """There is none here; the message says how to make one."""


class Workshop:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = load(root / FILE)
        if self.state.at not in {it.name for it in exercises()}:
            self.state.at = exercises()[0].name

    @property
    def current(self) -> Exercise:
        return find_exercise(self.state.at)

    def attempt(self, exercise: Exercise) -> Path:
        """The learner's own file: found by name, for numbers may change from version to version."""
        found = next(
            (it for it in sorted(self.root.iterdir()) if _is_of(it, exercise)), self.root / exercise.label
        )
        return found / f"{exercise.name}.py"

    def shown_path(self, exercise: Exercise) -> str:
        """The same, as it is written where the learner stands."""
        attempt = self.attempt(exercise)
        try:
            return Path(os.path.relpath(attempt)).as_posix()
        except ValueError:  # on another drive
            return str(attempt)

    def hand_out(self, exercise: Exercise) -> None:
        """Write what is given, where nothing is yet."""
        attempt = self.attempt(exercise)
        attempt.parent.mkdir(parents=True, exist_ok=True)
        (attempt.parent / "README.md").write_text(exercise.task, encoding="utf-8")
        if not attempt.exists():
            attempt.write_bytes(exercise.start.data)

    def reset(self, exercise: Exercise) -> Path | None:
        """Begin anew; where what was written before is kept, if there was anything."""
        attempt = self.attempt(exercise)
        kept = None
        if attempt.exists() and attempt.read_bytes() != exercise.start.data:
            kept = attempt.with_suffix(".py.bak")
            attempt.replace(kept)
        self.hand_out(exercise)
        self.state.done.pop(exercise.name, None)
        self.save()
        return kept

    def write_solution(self, exercise: Exercise) -> Path:
        """Put ours beside the learner's."""
        file = self.attempt(exercise).with_name("solution.py")
        file.write_bytes(exercise.solution.data)
        return file

    def mark_solved(self, exercise: Exercise) -> None:
        self.state.done[exercise.name] = self._digest(exercise)
        self.state.skipped.discard(exercise.name)
        self.save()

    def is_solved(self, exercise: Exercise) -> bool:
        return exercise.name in self.state.done

    def go(self, exercise: Exercise) -> None:
        self.hand_out(exercise)
        self.state.at = exercise.name
        self.save()

    def catch_up(self, exercise: Exercise) -> list[Exercise]:
        """Go to an exercise, and skip what is open before it; its start holds the work of those."""
        left = [it for it in exercises()[: exercises().index(exercise)] if not self.is_solved(it)]
        self.state.skipped |= {it.name for it in left}
        self.go(exercise)
        return left

    def following(self) -> Exercise | None:
        """The next one that is to be done; None when all are."""
        order = exercises()
        here = order.index(self.current)
        ahead = [it for it in (*order[here + 1 :], *order[:here]) if self.standing(it) == "to do"]
        return ahead[0] if ahead else None

    def standing(self, exercise: Exercise) -> str:
        """In three words, and one for what was passed over."""
        if self.is_solved(exercise):
            same = self.state.done[exercise.name] in ("", self._digest(exercise))
            return "done" if same else "changed since done"
        return "skipped" if exercise.name in self.state.skipped else "to do"

    def next_rung(self, exercise: Exercise) -> int:
        """The first hint that has not been opened; the last, once all are."""
        return min(self.state.rungs.get(exercise.name, 0) + 1, len(RUNGS))

    def open_rung(self, exercise: Exercise, rung: int) -> None:
        """Remember how far up the ladder somebody has been."""
        self.state.rungs[exercise.name] = max(rung, self.state.rungs.get(exercise.name, 0))
        self.save()

    def save(self) -> None:
        save(self.state, self.root / FILE)

    def _digest(self, exercise: Exercise) -> str:
        attempt = self.attempt(exercise)
        return hashlib.sha256(attempt.read_bytes()).hexdigest()[:12] if attempt.exists() else "gone"


def _is_of(folder: Path, exercise: Exercise) -> bool:
    return bool(re.fullmatch(rf"\d+_{exercise.name}", folder.name)) and folder.is_dir()


def make(root: Path) -> Workshop:
    """A workshop in this folder; what is there already stays as it is."""
    root.mkdir(parents=True, exist_ok=True)
    if not (root / FILE).exists():
        save(State(at=exercises()[0].name), root / FILE)
    workshop = Workshop(root)
    for exercise in exercises():
        workshop.hand_out(exercise)
    return workshop


def find(place: Path | None = None) -> Workshop:
    """The workshop in this place, or that one stands in, or that lies where it is made by default."""
    for root in (place,) if place else _candidates():
        if (root / FILE).is_file():
            return Workshop(root)
    where = f"in {place}" if place else "here"
    raise NoWorkshop(f"there is no workshop {where}: make one with\n  stingy-kata init {place or DEFAULT}")


def _candidates() -> Iterator[Path]:
    here = Path.cwd()
    yield from (here, *here.parents)
    yield here / DEFAULT
