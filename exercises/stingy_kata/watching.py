"""The command ``stingy-kata watch``: grade the current exercise each time its file is saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from stingy_kata.apart import Grader
from stingy_kata.feedback import feedback, progress
from stingy_kata.grading import Grade
from stingy_kata.guiding import hint, list_exercises
from stingy_kata.keys import Keys
from stingy_kata.screen import Screen
from stingy_kata.script import read
from stingy_kata.workshop import Workshop

POLL = 0.1
"""Seconds between two checks of the file.

It is polled, because that is cheap for one file and works everywhere, unlike file system events.
"""

Stamp = tuple[int, int]
"""A file's time of modification, in nanoseconds, and its size in bytes."""


class Watch:
    """Grades the current exercise after each change, and obeys the learner's keys."""

    def __init__(
        self,
        workshop: Workshop,
        screen: Screen,
        grader: Grader,
        keys: Keys,
        share: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare to watch. ``share`` is called at each check of the file; its OSErrors are ignored."""
        self._workshop = workshop
        self._screen = screen
        self._grader = grader
        self._keys = keys
        self._share = share
        self._grade: Grade | None = None
        self._seen: Stamp | None = None
        self._on: Mapping[str, Callable[[], None]] = {
            "n": self._next,
            "h": self._hint,
            "l": self._list,
            "r": self._look,
            "x": self._reset,
        }

    def run(self) -> None:
        """Watch the learner's file, and obey keys, until the learner types q."""
        self._look()
        while (key := self._keys.read_key(within=POLL)) != "q":
            if key in self._on:
                self._on[key]()
            elif self._stamp() != self._seen:
                self._look()
            with suppress(OSError):  # the shared folder may be back at the next attempt
                self._share()

    def _look(self) -> None:
        exercise = self._workshop.current
        self._seen = self._stamp()
        try:
            attempt = read(self._attempt())
        except OSError:
            self._screen.clear()
            self._screen.say(f"{self._workshop.shown_path(exercise)} is gone: press x to restore it")
            self._tell_keys()
            return
        last = self._grade.first_broken if self._grade and self._grade.name == exercise.name else None
        grade = self._grade = self._grader.grade(exercise, attempt, self._show, last.rule if last else "")
        if grade.kept:
            self._workshop.mark_solved(exercise)
        self._screen.clear()
        self._screen.show(feedback(grade, attempt, self._workshop.shown_path(exercise)))
        self._tell_keys()

    def _show(self, so_far: Grade) -> None:
        if self._screen.terminal:
            self._screen.clear()
            self._screen.show(progress(so_far))

    def _next(self) -> None:
        if self._grade is None or not self._grade.kept:
            self._screen.say("This exercise is not done yet. To skip it: stingy-kata go NAME", "yellow")
            return
        following = self._workshop.following()
        if following is None:
            self._screen.say("That was the last one: all are done.", "bold green")
            return
        self._workshop.go(following)
        self._look()
        self._screen.say(
            f"What to do is in {Path(self._workshop.shown_path(following)).parent / 'README.md'}"
        )

    def _hint(self) -> None:
        exercise = self._workshop.current
        rung = self._workshop.next_rung(exercise)
        self._workshop.open_rung(exercise, rung)
        self._screen.show(hint(exercise, rung))

    def _list(self) -> None:
        self._screen.show(list_exercises(self._workshop))

    def _reset(self) -> None:
        self._screen.say("Reset this exercise? Your version is kept beside it as .bak. y or n")
        while not (key := self._keys.read_key(within=POLL)):
            pass
        if key == "y":
            self._workshop.reset(self._workshop.current)
            self._look()
        else:
            self._screen.say("Not reset.")

    def _tell_keys(self) -> None:
        done = self._grade is not None and self._grade.kept
        ours = self._workshop.exercises
        number = sum(map(self._workshop.is_solved, ours))
        self._screen.say()
        self._screen.say(
            f"{number} of {len(ours)} done · {'n next · ' if done else ''}h hint · l list · r run · x reset · q quit",
            "dim",
        )

    def _attempt(self) -> Path:
        return self._workshop.attempt(self._workshop.current)

    def _stamp(self) -> Stamp | None:
        try:
            stat = self._attempt().stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size
