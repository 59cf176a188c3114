"""The Dask task that does an errand, in a process started for it.

Judging a candidate forks a process, and a worker must not be forked, because it has threads.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

import msgspec
from distributed import Reschedule, get_worker
from msgspec.structs import replace

from stingy.cli.errands import Done, ErrandError

GLANCE = 0.1
"""Seconds between checks whether the process has ended, or the task was cancelled."""
PARTING = 10.0
"""Seconds that the process may take to end after its task was cancelled."""
LINES_KEPT = 3
WANTED = ("executing", "long-running")
"""States of a task, in Dask's worker, that is running and not cancelled."""

JUDGE = (sys.executable, "-P", "-m", "stingy.cli.errands.process")


def run(errand: bytes) -> bytes:
    """Judge what an errand asks for, in a new process, and return the result.

    Both are JSON: an ``Errand`` and a ``Done``. Raises ErrandError, with the last lines of output,
    if the process fails. Raises Reschedule if the task is cancelled, so that Dask can run it again
    if it is requested again.
    """
    worker = get_worker()
    task = worker.get_current_task()

    def is_wanted() -> bool:
        known = worker.state.tasks.get(task)
        return known is not None and known.state in WANTED

    with TemporaryFile() as told, TemporaryFile() as said:
        status = _judge(errand, told, said, is_wanted)
        if status is None:
            raise Reschedule
        if status:
            raise ErrandError(_last_words(said) or f"exit status {status}")
        done = replace(msgspec.json.decode(_read(told), type=Done), worker=worker.address)
    return msgspec.json.encode(done)


def _judge(errand: bytes, told: IO[bytes], said: IO[bytes], is_wanted: Callable[[], bool]) -> int | None:
    """Run an errand in a new process; return its exit status, or None if the task was cancelled.

    ``told`` receives its standard output, ``said`` its standard error. ``is_wanted`` returns False
    once the task is cancelled; the process's standard input is then closed, which ends it.
    """
    with subprocess.Popen(  # noqa: S603 - it is ourselves
        JUDGE, stdin=subprocess.PIPE, stdout=told, stderr=said, start_new_session=True
    ) as judge:
        assert judge.stdin is not None
        try:
            with suppress(BrokenPipeError):  # its exit status says how it ended
                judge.stdin.write(errand + b"\n")
                judge.stdin.flush()
            while is_wanted():
                with suppress(subprocess.TimeoutExpired):
                    return judge.wait(GLANCE)
            with suppress(BrokenPipeError):
                judge.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                judge.wait(PARTING)
            return None
        finally:
            judge.kill()


def _last_words(said: IO[bytes]) -> str:
    lines = [line for line in _read(said).decode(errors="replace").splitlines() if line.strip()]
    return "; ".join(lines[-LINES_KEPT:])


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
