"""Check whether a machine is ready for the workshop, and say what to do if it is not."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from stingy_kata.apart import Grader
from stingy_kata.exercise import exercises
from stingy_kata.workshop import NoWorkshop, Workshop, find

OLDEST = (3, 11)


@dataclass(frozen=True)
class Finding:
    what: str
    well: bool
    told: str


def examine(place: Path | None) -> Iterator[Finding]:
    yield Finding("Python", sys.version_info >= OLDEST, f"{platform.python_version()} at {sys.executable}")
    try:
        yield Finding("stingy", True, version("stingy"))
    except PackageNotFoundError:
        yield Finding(
            "stingy",
            False,
            "is not installed: pip install stingy, from the trainer's wheels if there is no network",
        )
    encoding = (sys.stdout.encoding or "").lower()
    terminal = "a terminal" if sys.stdout.isatty() else "no terminal: plain text, and each key needs Enter"
    yield Finding("output", well="utf" in encoding, told=f"{terminal}, {_describe(encoding)}")
    yield _look_at_grading()
    try:
        workshop = find(place)
    except NoWorkshop as none:
        yield Finding("folder", True, str(none).replace("\n ", ""))
        return
    yield from _look_at_folder(workshop)


def _describe(encoding: str) -> str:
    if "utf" in encoding:
        return encoding
    return f"{encoding or 'an unknown encoding'}: set PYTHONUTF8=1, or some characters are shown as question marks"


def _look_at_grading() -> Finding:
    """Check that a solution can be graded in a separate process, as an attempt is."""
    exercise = exercises()[0]
    with Grader() as grader:
        found = grader.grade(exercise, exercise.solution)
    broken = found.first_broken
    why = found.unreadable or (broken.because if broken else "")
    return Finding("grading", found.kept, "works" if found.kept else f"does not work: {why}")


def _look_at_folder(workshop: Workshop) -> Iterator[Finding]:
    yield Finding(
        "folder", True, f"{workshop.root}, at {workshop.current.name}, {len(workshop.state.done)} done"
    )
    writable = os.access(workshop.root, os.W_OK)
    yield Finding(
        "writing",
        writable,
        "is allowed" if writable else f"is not allowed in {workshop.root}: choose another folder",
    )
    gone = [it.name for it in workshop.exercises if not workshop.attempt(it).exists()]
    told = f"missing {', '.join(gone)}: run stingy-kata init {workshop.root}" if gone else "are all there"
    yield Finding("exercises", not gone, told)
