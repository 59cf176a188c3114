"""Run a job in a forked process: it starts with this process's state, but cannot change it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable

import msgspec

from stingy.engine import pool
from stingy.judging.verdict import Verdict

CAN_FORK = hasattr(os, "fork") and sys.platform != "emscripten"
"""True if a process can be forked. Python in a browser has ``os.fork``, but it does not work."""


class Ended(Exception):  # noqa: N818 - the fault is the learner's
    """The forked process ended without returning a verdict."""


def judge_aside(job: Callable[[], Verdict]) -> Verdict:
    """Run the job in a forked process, and return its verdict.

    On systems that cannot fork, the job runs in this process. Raises Ended if the forked process
    ends without a verdict.
    """
    if not CAN_FORK:
        return job()
    answers, answer = os.pipe()
    sys.stdout.flush()  # or the child would write the buffered output again
    with warnings.catch_warnings():
        # Python warns about forking with threads; the child uses none of the parent's.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _live(job, answer)
    os.close(answer)
    with os.fdopen(answers, "rb") as lines:
        told = lines.read()
    os.waitpid(child, 0)
    try:
        return msgspec.json.decode(told, type=Verdict)
    except msgspec.DecodeError:
        raise Ended from None


def _live(job: Callable[[], Verdict], answer: int) -> None:
    """Run the job in the forked process, write its verdict to the pipe ``answer``, and exit."""
    try:
        pool.has_forked()
        told = msgspec.json.encode(job())
        sys.stdout.flush()
        with os.fdopen(answer, "wb") as out:
            out.write(told)
    finally:
        os._exit(0)
