"""Judge a candidate in its own process, so that it cannot end or change the judge's process.

The process is forked before the candidate is imported, so starting one costs next to nothing. A
candidate may end the process, hang it, fill its memory or leave it unfit for another rule. Only the
current rule is lost then: the judge's process keeps the verdicts, and starts a new process for the
next rule.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import selectors
import signal
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from stingy.contract.testimony import NAME, in_a_line, in_lines
from stingy.doctor import Condition, Examination, Found
from stingy.judging.isolation.lines import CUT_OFF, FULL, SHOW, Asked, Examined, Hello, Told
from stingy.judging.verdict import LIMIT, Finding, Verdict
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.rule import Row, Rule
from stingy.language.session import CandidateError
from stingy.process.ending import GUARD
from stingy.process.interrupt import Deferred
from stingy.request import Limits, Request
from stingy.transport import Candidate, MachineError, TargetError, is_driver, locate
from stingy.transport.child import Child
from stingy.transport.lines import Lines
from stingy.transport.part import Part
from stingy.transport.processes import CAN_BE_SEEN, Processes, Spending
from stingy.transport.watchdog import WATCHDOG

_FRAME = re.compile(r'File "(.+)", line (\d+) in (\S+)')
"""A line that faulthandler writes for a stack frame."""

Message = TypeVar("Message", Hello, Told, Examined)

CANNOT_FORK = (
    ""
    if hasattr(os, "fork")
    else "this system cannot fork, so the candidate is judged in the process of the command: "
    "a candidate that exits or changes that process ends the run or makes its verdicts unreliable"
)
"""Why this system cannot run a candidate in its own process; empty if it can."""

SILENCE = 20.0
"""Seconds without a heartbeat after which the candidate's process counts as hanging."""
GLANCE = 0.25
"""Seconds between two looks at the time that the candidate's process has used.

At most twice that counts for one look, so a pause of the whole machine hardly counts.
"""
LATE = 1.5
"""Seconds without a heartbeat after which to ask whether the process has ended.

Its pipe may still be open, if the candidate has forked a copy of the process.
"""
SHOWING = 0.2
"""Seconds without further output after which a dump of thread stacks counts as complete."""
LOOK = 0.05
"""Seconds between checks of the candidate's memory: too short to allocate many gigabytes."""
PARTING = 1.0
"""Seconds that the process may take to end after it closed its pipe, or to begin a dump."""
STUCK = 3
"""Number of rules in a row that reach the time limit at the same place before judging stops.

No further rule is tried then: each one is INCONCLUSIVE.
"""
LOOKING = 5.0
"""Seconds for the check whether the candidate offers anything that can be judged."""
LOSSES = 3
"""Number of rules in a row that lose control of the candidate's threads before it is given up.

After each earlier loss, a new process is started, with control. After the last one, the process is
kept, and the candidate is judged without control.
"""
LINES_KEPT = 8
"""Most lines of the process's output that a message quotes."""
BYTES_KEPT = 4096
"""Most bytes of the process's output that are kept: the last ones."""
LONGEST = 64 << 20
"""Most bytes of an answer; the longest stories have a thousandth of that."""


def prepare(rules: Iterable[Rule]) -> None:
    """Import Hypothesis if one of these rules needs it, before a process is forked.

    Otherwise each forked process would have to import it again.
    """
    if any(rule.for_all for rule in rules):
        import hypothesis  # noqa: F401


class _Ended(Exception):  # noqa: N818 - what it means depends on the caller
    """The candidate's process has ended, hangs or answers wrongly.

    The message continues a sentence that begins with "the candidate".
    """


class _Limited(_Ended):
    """The candidate's process has reached a limit of the suite, so nothing is known about it.

    ``option``: the option that raises this limit, with its placeholder, as in ``--limit S``.
    """

    def __init__(self, how: str, option: str, last_words: str = "") -> None:
        super().__init__(f"{how}: {option} lifts that limit{last_words}")
        self.option = option.partition(" ")[0]


def reach(request: Request) -> Candidate | Isolated:
    """Import or start the candidate that a request names, and return it.

    A driver always has its own process; another candidate only if the request asks for isolation.
    """
    seed, limits = request.seed or 0, request.limits
    if limits is None or is_driver(request.target):
        if not is_driver(request.target):
            GUARD.begin()
        bounds = Limits(request.limit, request.memory)
        return locate(request.target, seed, request.start, bounds, timed=request.timed)
    return Isolated(request.target, seed, limits, timed=request.timed)


def examine(target: str, seconds: float, option: str) -> Examination:
    """Examine a candidate as ``stingy doctor`` does, in a process of its own.

    ``seconds``: the time for the import, and again for all checks; ``option``: the option that sets
    it. Raises TargetError if TARGET names nothing.
    """
    process = _Process(target, 0, Limits())
    try:
        hello = process.read_hello(seconds, option)
        _refuse(hello)
        process.write(Asked(examines=True))
        return process.read(Examined, seconds, option).examination
    except (_Ended, CandidateError) as error:
        says, *output = in_lines(_the_candidate(error)).splitlines()
        shows = ["", *(f"  {line}" for line in output)] if output else []
        return Examination(target, [Found("can be examined", Condition.ILL, says, shows)])
    finally:
        process.end()


class Isolated:
    """A candidate in its own process; the judge's process does not import it."""

    def __init__(
        self, target: str, seed: int = 0, limits: Limits | None = None, *, timed: bool = False
    ) -> None:
        """Start the process, and find out the candidate's name, version and files.

        Raises CandidateError if the candidate cannot be imported or judged.
        """
        self.target = target
        self.share: float | None = None
        self.part: Part | None = None
        """Part of the orders of each race to run; None for all."""
        self.processes = 0
        """Number of processes that have been started."""
        self._seed = seed
        self._timed = timed
        self._lost_by: frozenset[str] = frozenset()
        self._stuck: list[str] = []
        """The place in the code where the last rules reached the time limit, once per rule.

        Empty if the last rule got a verdict in time. A rule whose place is unknown changes nothing.
        """
        self.limits = limits or Limits()
        self.limit = self.limits.seconds
        self._read: dict[str, bytes] = {}
        """Content of each file of the candidate, as its first process imported it."""
        self._process: _Process | None = None
        try:
            hello = self._ask_who_it_is()
        except BaseException:
            self.close()
            raise
        # The candidate may have forged the answer.
        self.name, self.version = in_a_line(hello.name, NAME), in_a_line(hello.version, NAME)
        self.kubernetes = hello.kubernetes
        self.files = [in_a_line(file) for file in hello.files]
        self._read = {file: _read(file) for file in self.files}

    def judge(self, rule: Rule, row: Row | None, order: str = "", allowance: Allowance = NOTHING) -> Verdict:
        """Have the candidate's process judge the rule, and return its verdict.

        ERROR if the process ends, hangs or forges an answer. INCONCLUSIVE if it reaches a limit of
        the suite, or if the last ``STUCK`` rules reached the time limit in the same place.
        """
        from stingy.judging.trial import (
            make_verdict,
        )  # imported late: pytest has to rewrite the asserts of its imports first

        if len(self._stuck) >= STUCK:
            because = f"not tried: {STUCK} rules in a row have reached the limit, {self._stuck[-1]}"
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=because)
        if self._process is None and (edited := self._find_edited()):
            because = f"not tried: {edited} was edited during the run: start a new one"
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=because)
        asked = Asked(
            rule.id,
            row.name if row else "",
            order,
            self.kubernetes,
            self.share,
            allowance,
            self.part,
            limit=self.limit,
        )
        try:
            if self._process is None:
                self._start()
            told = self._ask(asked, self.limit + (self.share or 0.0) * rule.shares)
        except _Limited as limited:
            whole = limited.option == LIMIT and self.limit >= self.limits.seconds
            place, line = self._find_place() if whole else ("", "")
            if place:
                self._stuck = [*self._stuck, place] if place in self._stuck else [place]
            self.close()
            because = _the_candidate(limited) + (f"; it is {place}:{line}" if place else "")
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=because, limit=limited.option)
        except MachineError as error:
            self.close()
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=str(error))
        except (_Ended, CandidateError, TargetError) as error:
            self.close()
            return make_verdict(rule, row, Finding.ERROR, because=_the_candidate(error))
        self._stuck = []
        if told.lost:
            self._lost_by |= {rule.id}
        elif rule.id not in self._lost_by:
            self._lost_by = frozenset()
        if told.unfit or (told.lost and len(self._lost_by) < LOSSES):
            self.close()
        verdict = told.verdict
        if (verdict.rule, verdict.case, verdict.level) != (rule.id, asked.case, rule.level):
            self.close()
            return make_verdict(
                rule, row, Finding.ERROR, because="the candidate forged an answer of its judge"
            )
        return verdict

    def _find_edited(self) -> str:
        """Return the name of a file of the candidate that was edited since its first import, or empty text.

        A new process would import the new version, and two versions would be judged as one.
        """
        return next((Path(file).name for file, read in self._read.items() if _read(file) != read), "")

    def _find_place(self) -> tuple[str, str]:
        """Return where the candidate is stuck: the function with its file, and the line number.

        For example ``("in get, queue.py", "12")``. Both are empty if no thread is in a file of the
        candidate, or if the process shows no stacks.
        """
        assert self._process is not None
        for file, line, name in _FRAME.findall(self._process.show_threads()):
            if file in self.files:
                return f"in {name}, {Path(file).name}", line
        return "", ""

    def close(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process = None

    def _ask_who_it_is(self) -> Hello:
        try:
            process = self._start()
            process.write(Asked())
            hello = process.read(Hello, self.limits.seconds)
            why = self._look_what_it_offers(process)
        except _Ended as how:
            raise CandidateError(f"{self.target} cannot be imported: {_the_candidate(how)}") from None
        if why:
            raise CandidateError(why)
        return hello

    def _look_what_it_offers(self, process: _Process) -> str:
        """Ask the process what the candidate offers; return why nothing can be judged, or empty text.

        Empty, too, if the process does not answer: judging the rules will show why.
        """
        process.write(Asked(looks=True))
        try:
            return process.read(Hello, LOOKING).unusable
        except _Ended:
            self.close()
            return ""

    def _start(self) -> _Process:
        """Start the candidate's process, wait until it has imported the candidate, and return it.

        Raises CandidateError or TargetError if the process answers that this is impossible.
        """
        self._process = process = _Process(self.target, self._seed, self.limits, timed=self._timed)
        self.processes += 1
        _refuse(process.read_hello(self.limits.start, "--start S"))
        return process

    def _ask(self, asked: Asked, seconds: float) -> Told:
        assert self._process is not None
        self._process.write(asked)
        # ``limit`` is less than the option says if earlier attempts have taken a part of it.
        return self._process.read(Told, seconds, named=self.limits.seconds)


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""


def _the_candidate(error: Exception) -> str:
    return f"the candidate {error}" if isinstance(error, _Ended) else str(error)


def _refuse(hello: Hello) -> None:
    """Raise an error if a process says that it cannot judge the candidate, or any.

    CandidateError if the candidate is to blame, TargetError if TARGET or the machine is, and
    RuntimeError if the suite is.
    """
    if hello.fault:
        raise RuntimeError(f"the process that judges a candidate cannot begin:\n{hello.fault}")
    if hello.lacks:
        raise MachineError(hello.lacks)
    if hello.unusable:
        raise CandidateError(hello.unusable)
    if hello.refused:
        raise TargetError(hello.refused)


def _decode(line: bytes, kind: type[Message]) -> Message:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError):
        raise _Ended(f"forged an answer of its judge: {line[:80]!r}") from None


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child has no other thread
        return os.fork()


def _describe_scarcity(target: str, error: OSError) -> str:
    scarce = {errno.EMFILE: "open files: raise ulimit -n", errno.ENFILE: "open files"}
    of = scarce.get(error.errno or 0, "processes: raise ulimit -u, or the pids limit of its container")
    return f"{target} cannot be judged, because the machine allows no more {of} ({error.strerror})"


class _Process:
    """The process that runs the candidate, as seen by the process that judges.

    Requests and answers are lines of JSON; an empty line from the process is a heartbeat.
    """

    def __init__(self, target: str, seed: int, limits: Limits, *, timed: bool = False) -> None:
        from stingy.judging.isolation.inside import live  # imported here, once for all processes

        pipes: list[int] = []
        try:
            for _ in range(3):
                pipes += os.pipe()
            requests, self._requests, self._answers, answers, self._output, output = pipes
            with Deferred():
                WATCHDOG.stand_by()
                process = _fork()
                if process == 0:
                    live(target, seed, limits.megabytes << 20, requests, answers, output, timed=timed)
        except OSError as error:
            for each in pipes:
                os.close(each)
            raise MachineError(_describe_scarcity(target, error)) from None
        for theirs in (requests, answers, output):
            os.close(theirs)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._answers, selectors.EVENT_READ)
        self._selector.register(self._output, selectors.EVENT_READ)
        self._most = limits.megabytes
        self._child = Child(process)
        self._processes = Processes(process)
        self._lines, self._told = Lines(LONGEST), list[bytes]()
        """Splits what the process writes; its lines so far that nothing has read, without heartbeats."""
        self._said = b""

    def write(self, asked: Asked) -> None:
        with contextlib.suppress(BrokenPipeError):  # reading the answer reports how it ended
            os.write(self._requests, msgspec.json.encode(asked) + b"\n")

    def read_hello(self, seconds: float, option: str) -> Hello:
        """Return the first answer of the candidate's process, which comes after the import.

        Raises _Limited if none comes within ``seconds``, which ``option`` sets.
        """
        return _decode(self._line(seconds, "been imported", option), Hello)

    def read(
        self, kind: type[Message], seconds: float, option: str = f"{LIMIT} S", named: float = 0.0
    ) -> Message:
        """Return the next answer, of class ``kind``; raise _Limited if none comes within ``seconds``.

        ``option`` sets this time. ``named``: the seconds for the message, if they are more.
        """
        return _decode(self._line(seconds, "finished", option, named), kind)

    def _line(self, seconds: float, done: str, option: str, named: float = 0.0) -> bytes:
        """Return the next answer of the process as a line of JSON, skipping heartbeats.

        Raises _Ended if the process ends or hangs; _Limited if no answer comes within ``seconds``,
        or if the process uses too much memory. Time that a busy machine gives to others is not
        counted. ``done``: what the process has to do in this time, for the message "has not
        ``done`` within 5 s". ``option``: the option that raises this time.
        """
        spending, seen, heard = Spending(self._processes), time.monotonic(), 0.0
        while True:
            for key, _ in self._selector.select(LOOK):
                if key.fd == self._output:
                    self._keep()
                elif self._hear():
                    heard = spending.seconds
            if told := b"".join(self._told):  # a second line is a forgery: joined, they do not decode
                self._told.clear()
                return told
            if self._processes.hold_more(self._most << 20):
                raise self._describe_full()
            if (passed := time.monotonic() - seen) < GLANCE:
                continue
            spent, seen = spending.add(min(passed, 2 * GLANCE)), seen + passed
            silent = spent - heard
            if spent > seconds:
                raise _Limited(f"has not {done} within {max(seconds, named):g} s", option, self._last_words())
            if silent > LATE and (status := self._child.ended()) is not None:
                raise self._describe_end(status)  # and a copy of it keeps the pipe open
            if silent > SILENCE:
                raise _Ended(f"hangs with all threads of its process{self._last_words()}")

    def _hear(self) -> bool:
        heard = os.read(self._answers, 1 << 16)
        if not heard:
            raise self._end_of_it()
        for line in self._lines.split(heard):
            if not line.endswith(b"\n"):
                raise _Ended("forged an answer of its judge, and without end")
            if line != b"\n":
                self._told.append(line)
        return True

    def _keep(self) -> None:
        said = os.read(self._output, 1 << 16)
        if not said:
            self._selector.unregister(self._output)
        self._said = (self._said + said)[-BYTES_KEPT:]

    def _end_of_it(self) -> _Ended:
        status = self._child.ended(PARTING)
        return self._describe_end(CUT_OFF if status is None else status)

    def _describe_end(self, status: int) -> _Ended:
        if status == FULL and not CAN_BE_SEEN:
            return self._describe_full()
        how = f"ended the process (exit status {status})"
        if status == CUT_OFF:
            how = "closed the pipe to its judge"
        if status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        return _Ended(how + self._last_words())

    def _describe_full(self) -> _Limited:
        return _Limited(f"has more than {self._most} MB resident", "--memory MB", self._last_words())

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            os.set_blocking(self._output, False)
            self._said = (self._said + os.read(self._output, 1 << 20))[-BYTES_KEPT:]
        said = self._said.decode(errors="replace")
        _, fatal, how = said.rpartition("Fatal Python error")
        lines = (fatal + how).splitlines()[:LINES_KEPT] if fatal else said.splitlines()[-LINES_KEPT:]
        return "".join(f"\n  output: {in_a_line(line)}" for line in lines)

    def show_threads(self) -> str:
        """Make the candidate's process print the stacks of all its threads, and return that text.

        Empty if nothing comes within ``PARTING`` seconds.
        """
        shown = b""
        with contextlib.suppress(OSError):
            os.set_blocking(self._output, False)
            self._child.send(SHOW)
            waits = selectors.DefaultSelector()
            waits.register(self._output, selectors.EVENT_READ)
            while waits.select(SHOWING if shown else PARTING) and (read := os.read(self._output, 1 << 16)):
                shown += read
            waits.close()
        return shown.decode(errors="replace")

    def end(self) -> None:
        """Kill the candidate's process and all processes that it has started."""
        for ours in (self._requests, self._answers, self._output):
            with contextlib.suppress(OSError):
                os.close(ours)
        self._selector.close()
        self._child.end()
