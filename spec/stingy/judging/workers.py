"""Judge the cases of a docket: in this process, or in several at the same time."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import connection, get_context
from types import FrameType
from typing import TYPE_CHECKING

from stingy.contract.testimony import describe
from stingy.engine import pool
from stingy.judging.docket import Case, Docket, Result, judge_case
from stingy.judging.isolation import Isolated, reach
from stingy.judging.trial import make_verdict
from stingy.judging.verdict import Finding, Verdict
from stingy.language.session import CandidateError
from stingy.process.interrupt import SIGNALS, Deferred
from stingy.transport import Candidate, TargetError, is_driver
from stingy.transport.watchdog import WATCHDOG

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

PARTING = 10.0
"""Seconds that a worker may take to end its candidate; then it is killed."""


def judge_here(
    docket: Docket, candidate: Candidate | Isolated, begin: Callable[[Case], None]
) -> Generator[Result, None, None]:
    """Judge the docket's cases one by one in this process, and yield their results.

    ``begin`` is called with each case before it is judged.
    """
    judge = docket.make_judge(candidate)
    for case in docket.cases:
        begin(case)
        yield judge_case(case, partial(docket.judge, judge))


def judge_apart(
    docket: Docket, candidate: Candidate | Isolated, processes: int
) -> Generator[Result, None, None]:
    """Judge the docket's cases in this many forked processes, and yield the results as they come.

    Each process has a candidate of its own. It gets one case at a time, and the verdicts that the
    others have reached, so that a rule that others build on is hardly ever judged twice. If a process
    is killed, the case that it judges is an ERROR, and another process takes its place.
    """
    candidate.close()
    waiting = Waiting(docket)
    workers: list[_Worker] = []
    known: list[Verdict] = []
    try:
        for _ in range(min(processes, len(docket.cases))):
            workers.append(_Worker(docket, candidate, processes))
            workers[-1].ask(waiting.take(), known)
        while busy := {worker.line: worker for worker in workers if worker.asked is not None}:
            for line in connection.wait(list(busy)):
                worker = busy[line]  # type: ignore[index]
                result = worker.take()
                if result.verdict is not None:
                    if not worker.was_killed:  # otherwise all rules that build on this one would be BLOCKED
                        known.append(result.verdict)
                    waiting.is_judged(result.verdict)
                if worker.was_killed and waiting:
                    worker = _Worker(docket, candidate, processes)
                    workers.append(worker)
                if worker.is_alive and waiting:
                    worker.ask(waiting.take(), known)
                yield result
    finally:
        for worker in workers:
            worker.interrupt()
        for worker in workers:
            worker.end()


class Waiting:
    """The cases that no worker has taken yet."""

    def __init__(self, docket: Docket) -> None:
        self._cases = list(enumerate(docket.cases))
        self._left = {rule.id: len(rule.cases) for rule in docket.rules.values()}
        """Number of cases that are not judged yet, by rule."""

    def __bool__(self) -> bool:
        return bool(self._cases)

    def is_judged(self, verdict: Verdict) -> None:
        self._left[verdict.rule] -= 1

    def take(self) -> int:
        """Remove the case to judge next, and return its number.

        It is the first case whose rule builds on rules that are all judged; if there is none, the
        first case. The worker then judges those rules itself.
        """
        ready = (
            place
            for place, (_, case) in enumerate(self._cases)
            if not any(self._left.get(id_) for id_ in case.rule.after)
        )
        return self._cases.pop(next(ready, 0))[0]


class _Worker:
    """A forked process that judges cases, as seen by the process that forked it."""

    def __init__(self, docket: Docket, candidate: Candidate | Isolated, processes: int) -> None:
        context = get_context("fork")
        self.line, theirs = context.Pipe()
        self.asked: int | None = None
        """Number of the case that it judges; None if it judges none."""
        self._cases = docket.cases
        self._told = 0
        """How many of the verdicts reached so far it knows."""
        self.is_alive = True
        self.was_killed = False
        """True if a signal has ended it, or a candidate that is judged in it."""
        self._is_shared = not isinstance(candidate, Isolated) and not is_driver(candidate.target)
        self._process = context.Process(
            target=_work, args=(theirs, docket, candidate, processes), daemon=True
        )
        with Deferred():
            WATCHDOG.stand_by()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # the child has no other thread
                self._process.start()
        theirs.close()

    def ask(self, number: int, known: Sequence[Verdict]) -> None:
        """Send the worker the number of a case to judge, and the verdicts that it does not know yet."""
        self.asked = number
        with suppress(ConnectionError):  # take() says how it ended
            self.line.send((number, known[self._told :]))
        self._told = len(known)

    def take(self) -> Result:
        """Return the worker's result for its case; if it has ended, a result that says how."""
        assert self.asked is not None
        case, self.asked = self._cases[self.asked], None
        try:
            result: Result = self.line.recv()
        except (EOFError, OSError):  # OSError if it was ended while it wrote
            self.is_alive = False
            self._process.join(PARTING)
            status = self._process.exitcode or 0
            self.was_killed = status < 0 or self._is_shared
            if not self.was_killed:
                return Result(
                    None, 0.0, f"a process that judges ended with status {status} (while judging {case.id})"
                )
            because = f"the candidate ended the process that judges it (exit status {status})"
            if status < 0:
                because = (
                    f"the process that judges was ended by {signal.Signals(-status).name}: "
                    "either the candidate did that, or the system, as it does if memory runs out"
                )
            return Result(make_verdict(*case, Finding.ERROR, because=because), 0.0)
        return result

    def interrupt(self) -> None:
        """End the worker: after its case is judged, or at once by an interrupt, as Ctrl-C sends."""
        with suppress(ConnectionError):
            # Closing the line would not end it: processes that were forked later have copies of it.
            self.line.send(None)
        if self.asked is not None:
            with suppress(ProcessLookupError):
                if self._process.is_alive():  # otherwise it is reaped, and its number may be another's
                    os.kill(self._process.ident or 0, signal.SIGINT)

    def end(self) -> None:
        """Wait until the worker has ended; kill it if that takes more than ``PARTING`` seconds."""
        self._process.join(PARTING)
        self._process.kill()
        self._process.join()
        self.line.close()
        WATCHDOG.release(self._process.ident or 0)


def _work(line: Connection, docket: Docket, candidate: Candidate | Isolated, processes: int) -> None:
    """Run a worker: judge each case whose number comes through ``line``, until None comes."""
    WATCHDOG.enlist()
    with suppress(EOFError, ConnectionError, KeyboardInterrupt):
        _handle_signals(signal.default_int_handler)
        pool.has_forked()
        try:
            if not isinstance(candidate, Isolated):
                candidate = reach(docket.request)  # a driver or an import of its own
            judge = docket.make_judge(candidate, processes)
            while told := line.recv():
                asked, known = told
                judge.knows(known)
                line.send(judge_case(docket.cases[asked], partial(docket.judge, judge)))
        except (CandidateError, TargetError) as error:
            line.send(Result(None, 0.0, describe(error)))
        finally:
            _handle_signals(signal.SIG_IGN)
            candidate.close()


def _handle_signals(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in SIGNALS:
        signal.signal(number, handler)
