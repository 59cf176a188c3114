"""Grade attempts in a separate process, so that an attempt cannot harm the process that grades it.

An endless loop or an ``os._exit`` in the learner's code must not end ``stingy-kata watch``. Each
grading uses a fresh process, which has no state left from the previous attempt. ``watch`` starts
the next process in advance, so that a grading does not have to wait for it.
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
from stingy.judging.rewriting import run_rewritten
from stingy.transport.processes import CAN_BE_SEEN, Processes
from stingy_kata.exercise import Exercise, exercises, find_exercise
from stingy_kata.grading import Grade, grade
from stingy_kata.script import Script

LIMIT = 20.0
"""Time limit of one grading, in seconds; a grading usually takes a few seconds.

Time during which the grading process was ready to run, but the machine ran other processes, is not
counted.
"""
LIMIT_BY_THE_CLOCK = 300.0
"""Time limit of one grading in seconds of wall time, where a process's CPU time cannot be read.

It is longer than ``LIMIT``, because wall time includes delays by other processes.
"""
GLANCE = 0.25
"""Seconds between two checks of how much time a grading has used."""

PRINTED = 2_000
"""Maximum number of bytes of an attempt's output that the feedback shows; the rest is dropped."""


class _Job(msgspec.Struct, frozen=True):
    name: str
    attempt: Script


class Grader:
    """Grades attempts, each in a process of its own, which an attempt cannot damage or block for ever.

    ``again`` is True for a grader that is used several times: it starts the process of the next
    grading in advance. Close it, or use it in a ``with`` statement, so that no process is left.
    """

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
    """Send the job to the process, and return its output; None if it exceeds its time limit."""
    asked: bytes | None = job
    seen = Processes(process.pid) if CAN_BE_SEEN else None
    spent, most = 0.0, LIMIT if seen else LIMIT_BY_THE_CLOCK
    while spent < most:
        try:
            return process.communicate(asked, timeout=GLANCE)[0]
        except subprocess.TimeoutExpired:
            asked = None  # communicate keeps the job from the first call
            spent += seen.own(GLANCE) if seen else GLANCE
    return None


def _start() -> subprocess.Popen[bytes]:
    # -P: do not import files of the learner's current folder in place of libraries.
    words = [sys.executable, "-P", "-m", __name__]
    return subprocess.Popen(  # noqa: S603 - it runs this module
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, and all processes that it has forked."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    with process:
        pass


def main() -> None:
    """Read one job from standard input, and write its grade to standard output, both as JSON."""
    run_rewritten(_grade_what_is_asked)
    os._exit(0)  # a normal exit would wait for the attempt's threads, which may never end


def _grade_what_is_asked() -> None:
    all_rules(), exercises()  # load them before the job arrives, while nobody waits
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
