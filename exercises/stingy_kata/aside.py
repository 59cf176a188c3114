"""A job in a process of its own, forked from this one: it finds everything as it was, and leaves nothing behind."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable

import msgspec

from stingy.engine import pool
from stingy.verdict import Verdict

CAN_FORK = hasattr(os, "fork") and sys.platform != "emscripten"
"""A browser has the name, and nothing behind it."""


class Ended(Exception):  # noqa: N818 - the fault is the learner's
    """The process came to an end without an answer."""


def judge_aside(job: Callable[[], Verdict]) -> Verdict:
    """The verdict that the job comes to; where no process can be forked it does so here. Raises Ended."""
    if not CAN_FORK:
        return job()
    answers, answer = os.pipe()
    sys.stdout.flush()  # or it would be written twice
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of others do not matter to the child
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
    """Nothing that it was forked from is ever returned to."""
    try:
        pool.has_forked()
        told = msgspec.json.encode(job())
        sys.stdout.flush()
        with os.fdopen(answer, "wb") as out:
            out.write(told)
    finally:
        os._exit(0)
