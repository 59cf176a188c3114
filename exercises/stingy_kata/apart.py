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
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self

import msgspec

from stingy.engine.codes import freeze
from stingy.guarantees import all_rules
from stingy.judging.rewriting import run_rewritten
from stingy.judging.verdict import Verdict
from stingy.transport.processes import CAN_BE_SEEN, Processes, Spending
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
    failed: str


class _Process:
    """A process that grades one attempt, with a thread that reads the lines of its output."""

    def __init__(self) -> None:
        # -P: do not import files of the learner's current folder in place of libraries.
        words = [sys.executable, "-P", "-m", __name__]
        self.popen = subprocess.Popen(  # noqa: S603 - it runs this module
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self.lines = SimpleQueue[bytes]()
        """Its lines so far; an empty one is the end of its output."""
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        with self.popen.stdout as out:
            for line in out:
                self.lines.put(line)
        self.lines.put(b"")

    def ask(self, job: bytes) -> None:
        assert self.popen.stdin is not None
        with contextlib.suppress(OSError), self.popen.stdin as asked:  # it may have ended
            asked.write(job)

    def end(self) -> None:
        """Kill the process, and all processes that it has forked."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.kill()
        self.popen.wait()
        assert self.popen.stdin is not None
        self.popen.stdin.close()


class Grader:
    """Grades attempts, each in a process of its own, which an attempt cannot damage or block for ever.

    ``again`` is True for a grader that is used several times: it starts the process of the next
    grading in advance. Close it, or use it in a ``with`` statement, so that no process is left.
    """

    def __init__(self, *, again: bool = False) -> None:
        self._again = again
        self._ready: _Process | None = _Process()

    def grade(
        self,
        exercise: Exercise,
        attempt: Script,
        tell: Callable[[Grade], object] = lambda _: None,
        failed: str = "",
    ) -> Grade:
        """Grade an attempt; ``tell`` gets what is known so far each time more is known.

        ``failed`` is the id of the rule that failed last, whose verdict is told first.
        """
        process, self._ready = self._ready or _Process(), None
        process.ask(msgspec.json.encode(_Job(exercise.name, attempt, failed)))
        try:
            for line in _follow(process):
                found = msgspec.json.decode(line, type=Grade)
                if found.whole:
                    return found
                if process.lines.empty():
                    tell(found)
        except TimeoutError:
            return Grade(exercise.name, unreadable=f"it {_NO_END}: is there a loop?", decided=False)
        except msgspec.DecodeError:
            pass
        finally:
            process.end()
            self._ready = _Process() if self._again else None
        return Grade(exercise.name, unreadable="it ends the process that grades it: is there an os._exit?")

    def close(self) -> None:
        if self._ready is not None:
            self._ready.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_NO_END = "does not come to an end, " + (
    f"not within {LIMIT:.0f} s of a processor's time"
    if CAN_BE_SEEN
    else f"not within {LIMIT_BY_THE_CLOCK:.0f} s"
)


def _follow(process: _Process) -> Iterator[bytes]:
    """Yield the lines of a process as they come. Raises TimeoutError if it exceeds its time limit."""
    spending = Spending(Processes(process.popen.pid))
    most, since = LIMIT if CAN_BE_SEEN else LIMIT_BY_THE_CLOCK, time.monotonic()
    while spending.seconds < most:
        with contextlib.suppress(Empty):
            line = process.lines.get(timeout=GLANCE)
            if not line:
                return
            yield line
        before, since = since, time.monotonic()
        spending.add(since - before)
    raise TimeoutError


def main() -> None:
    """Read one job from standard input, and write its grade to standard output, both as JSON."""
    run_rewritten(_grade_what_is_asked)
    os._exit(0)  # a normal exit would wait for the attempt's threads, which may never end


def _grade_what_is_asked() -> None:
    # Load all that a grading needs before the job arrives, while nobody waits.
    import hypothesis  # noqa: F401

    all_rules(), exercises()
    freeze()  # or the collector would make forks copy the memory that they share
    asked = sys.stdin.buffer.read()
    if not asked:
        return
    job, answer = msgspec.json.decode(asked, type=_Job), os.dup(1)
    exercise, known = find_exercise(job.name), dict[str, Verdict]()

    def tell(verdict: Verdict | None) -> None:
        if verdict is not None:
            known[verdict.rule] = verdict
            rules = exercise.card.rules
            told = sorted(known.values(), key=lambda it: rules.index(it.rule) if it.rule in rules else -1)
            _write(answer, Grade(job.name, tuple(told), whole=False))

    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
        found = grade(exercise, job.attempt, tell, job.failed)
        with contextlib.suppress(ValueError, OSError):
            sys.stdout.flush()
        printed.seek(0)
        said = printed.read(PRINTED).decode(errors="replace").strip()
    _write(answer, found.with_printed(said))


def _write(answer: int, grade: Grade) -> None:
    with os.fdopen(answer, "wb", closefd=False) as out:
        out.write(msgspec.json.encode(grade) + b"\n")


if __name__ == "__main__":
    main()
