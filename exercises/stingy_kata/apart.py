"""Grading in a process apart: what an attempt does there, it does to nobody else.

A learner's loop without an end, or an exit, must not take the watcher along. A fresh process each time sees no
leftovers of the last attempt; that it costs no time, one is always kept ready.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from typing import Self

import msgspec

from stingy.guarantees import all_rules
from stingy.rewriting import run_rewritten
from stingy.transport.processes import CAN_BE_SEEN, Processes
from stingy_kata.exercise import Exercise, exercises, find_exercise
from stingy_kata.grading import Grade, grade
from stingy_kata.script import Script

LIMIT = 20.0
"""Seconds of a machine that lets it go on, of which a grade takes a few; what a busy machine owes it does not count."""
LIMIT_BY_THE_CLOCK = 300.0
"""The same, where nobody can see what a machine owes it."""
GLANCE = 0.25
"""A wait is counted in steps of so many seconds."""

PRINTED = 2_000
"""So many characters of what an attempt prints are read; the rest is its own affair."""


class _Job(msgspec.Struct, frozen=True):
    name: str
    attempt: Script


class Grader:
    """To be closed, so that no process is left behind. ``again``: whether it will be asked more than once."""

    def __init__(self, *, again: bool = False) -> None:
        self._again = again
        self._ready: subprocess.Popen[bytes] | None = _start()

    def grade(self, exercise: Exercise, attempt: Script) -> Grade:
        job = msgspec.json.encode(_Job(exercise.name, attempt))
        process, self._ready = self._ready or _start(), None
        try:
            out = _wait_for_answer(process, job)
        finally:
            _end(process)
            self._ready = _start() if self._again else None
        if out is None:
            return Grade(exercise.name, unreadable=f"it {_NO_END}: is there a loop?", decided=False)
        try:
            return msgspec.json.decode(out, type=Grade)
        except msgspec.DecodeError:
            return Grade(
                exercise.name, unreadable="it ends the process that grades it: is there an os._exit?"
            )

    def close(self) -> None:
        if self._ready is not None:
            _end(self._ready)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_NO_END = "does not come to an end, " + (
    f"not within {LIMIT:.0f} s of a processor's time"
    if CAN_BE_SEEN
    else f"not within {LIMIT_BY_THE_CLOCK:.0f} s"
)


def _wait_for_answer(process: subprocess.Popen[bytes], job: bytes) -> bytes | None:
    """None if there is none within the limit."""
    asked: bytes | None = job
    seen = Processes(process.pid) if CAN_BE_SEEN else None
    spent, most = 0.0, LIMIT if seen else LIMIT_BY_THE_CLOCK
    while spent < most:
        try:
            return process.communicate(asked, timeout=GLANCE)[0]
        except subprocess.TimeoutExpired:
            asked = None  # it has been
            spent += seen.own(GLANCE) if seen else GLANCE
    return None


def _start() -> subprocess.Popen[bytes]:
    # -P: what lies about where the learner stands is not to be taken for a library.
    words = [sys.executable, "-P", "-m", __name__]
    return subprocess.Popen(  # noqa: S603 - it is ourselves
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """And all that it has forked."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    with process:
        pass


def main() -> None:
    """Grade what standard input names, and write the grade to what was standard output."""
    run_rewritten(_grade_what_is_asked)
    os._exit(0)  # threads that spin would keep it


def _grade_what_is_asked() -> None:
    all_rules(), exercises()  # while nobody waits for it
    asked = sys.stdin.buffer.read()
    if not asked:
        return
    job, answer = msgspec.json.decode(asked, type=_Job), os.dup(1)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
        found = grade(find_exercise(job.name), job.attempt)
        with contextlib.suppress(ValueError, OSError):
            sys.stdout.flush()
        printed.seek(0)
        said = printed.read(PRINTED).decode(errors="replace").strip()
    os.write(answer, msgspec.json.encode(found.with_printed(said)))


if __name__ == "__main__":
    main()
