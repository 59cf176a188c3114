"""A workshop: a learner's folder with an attempt and a task for each exercise, and the progress."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from stingy.process.reading import read_whole
from stingy.settings import is_trusted
from stingy_kata.exercise import RUNGS, Exercise, exercises, find_exercise
from stingy_kata.state import FILE, State, load, save

DEFAULT = Path("stingy-kata")
"""Folder of the workshop, unless the learner names another one."""


class NoWorkshop(Exception):  # noqa: N818 - it is no error yet
    """There is no workshop here, or it is another user's. The message says what to do."""


class Workshop:
    """A learner's workshop: a folder ``root`` with a file for each exercise, and a progress file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = load(root / FILE)
        if self.state.at not in {it.name for it in exercises()}:
            self.state.at = self.exercises[0].name

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """The exercises of the class's plan, in its order; all if there is no plan."""
        by_name = {it.name: it for it in exercises()}
        return tuple(by_name[it] for it in self.state.plan if it in by_name) or exercises()

    @property
    def current(self) -> Exercise:
        return find_exercise(self.state.at)

    def attempt(self, exercise: Exercise) -> Path:
        """Return the path of the learner's file for the exercise, whether the file exists or not.

        Its folder is found by the exercise's name, because a new version may have other numbers.
        """
        found = next(
            (it for it in sorted(self.root.iterdir()) if _is_of(it, exercise)), self.root / exercise.label
        )
        return found / f"{exercise.name}.py"

    def shown_path(self, exercise: Exercise) -> str:
        """Return the path of the learner's file as seen from the current folder, if possible."""
        attempt = self.attempt(exercise)
        try:
            return Path(os.path.relpath(attempt)).as_posix()
        except ValueError:  # on another drive
            return str(attempt)

    def hand_out(self, exercise: Exercise) -> None:
        """Write the exercise's README, and its start code unless the learner's file exists already."""
        attempt = self.attempt(exercise)
        attempt.parent.mkdir(parents=True, exist_ok=True)
        (attempt.parent / "README.md").write_text(exercise.task, encoding="utf-8")
        if not attempt.exists():
            attempt.write_bytes(exercise.start.data)

    def reset(self, exercise: Exercise) -> Path | None:
        """Replace the learner's file by the start code, and mark the exercise as not done.

        Return the path of the backup; None if the file was missing or equal to the start code.
        """
        attempt = self.attempt(exercise)
        kept = None
        if attempt.exists() and read_whole(attempt) != exercise.start.data:
            kept = attempt.with_suffix(".py.bak")
            attempt.replace(kept)
        self.hand_out(exercise)
        self.state.done.pop(exercise.name, None)
        self.save()
        return kept

    def write_solution(self, exercise: Exercise) -> Path:
        """Write our solution of the exercise beside the learner's file, and return the solution's path."""
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
        """Go to an exercise, and mark earlier ones that are not done as skipped; return these.

        The file of an exercise already contains the work of the earlier ones.
        """
        left = [it for it in self.exercises[: self._place(exercise)] if not self.is_solved(it)]
        self.state.skipped |= {it.name for it in left}
        self.go(exercise)
        return left

    def following(self) -> Exercise | None:
        """Return the next exercise whose state is ``to do``; None if there is none.

        After the last exercise, the search continues with the first one.
        """
        order, here = self.exercises, self._place(self.current)
        ahead = [it for it in (*order[here + 1 :], *order[:here]) if self.standing(it) == "to do"]
        return ahead[0] if ahead else None

    def _place(self, exercise: Exercise) -> int:
        """Return the exercise's index in the plan; if it is not in the plan, that of the current exercise or 0."""
        places = {it.name: n for n, it in enumerate(self.exercises)}
        return places.get(exercise.name, places.get(self.state.at, 0))

    def standing(self, exercise: Exercise) -> str:
        """Return the state of an exercise: ``done``, ``changed since done``, ``skipped`` or ``to do``."""
        if self.is_solved(exercise):
            same = self.state.done[exercise.name] in ("", self._digest(exercise))
            return "done" if same else "changed since done"
        return "skipped" if exercise.name in self.state.skipped else "to do"

    def next_rung(self, exercise: Exercise) -> int:
        """Return the number of the exercise's next hint, from 1; that of the last one if all are open."""
        return min(self.state.rungs.get(exercise.name, 0) + 1, len(RUNGS))

    def open_rung(self, exercise: Exercise, rung: int) -> None:
        """Save that the learner has opened the exercise's hint with this number."""
        self.state.rungs[exercise.name] = max(rung, self.state.rungs.get(exercise.name, 0))
        self.save()

    def save(self) -> None:
        save(self.state, self.root / FILE)

    def _digest(self, exercise: Exercise) -> str:
        attempt = self.attempt(exercise)
        return hashlib.sha256(read_whole(attempt)).hexdigest()[:12] if attempt.exists() else "gone"


def _is_of(folder: Path, exercise: Exercise) -> bool:
    return bool(re.fullmatch(rf"\d+_{exercise.name}", folder.name)) and folder.is_dir()


def make(root: Path, plan: tuple[str, ...] | None = None) -> Workshop:
    """Create a workshop in this folder, and return it. Progress and attempts in it are kept.

    ``plan`` has the names of its exercises; empty for all, None for those that it has.
    """
    root.mkdir(parents=True, exist_ok=True)
    if not (root / FILE).exists():
        save(State(at=(plan or (exercises()[0].name,))[0]), root / FILE)
    workshop = Workshop(root)
    if plan is not None and plan != workshop.state.plan:
        workshop.state.plan = plan
        workshop.save()
    for exercise in workshop.exercises:
        workshop.hand_out(exercise)
    return workshop


def find(place: Path | None = None) -> Workshop:
    """Return the workshop in the folder ``place``. Raises NoWorkshop if there is none.

    Without ``place``, it is searched for in the current folder, in those above it, and in
    ``DEFAULT``; there it must be the user's own, because its code is run.
    """
    for root in (place,) if place else _candidates():
        if (root / FILE).is_file():
            if not place and not is_trusted(root / FILE, Path.cwd()):
                raise NoWorkshop(
                    f"the workshop in {root} belongs to another user, whose code would run: to use it, name its folder\n"
                    f"  stingy-kata -C {root}"
                )
            return Workshop(root)
    where = f"in {place}" if place else "here"
    raise NoWorkshop(f"there is no workshop {where}: make one with\n  stingy-kata init {place or DEFAULT}")


def _candidates() -> Iterator[Path]:
    here = Path.cwd()
    yield from (here, *here.parents)
    yield here / DEFAULT
