"""A candidate in a process of its own, which may come to any end: what came of each rule is kept out here.

The process is forked before the candidate is imported, so it costs next to nothing, and a new one as little:
a candidate that ends the process, hangs it, fills its memory or leaves it unfit for another rule spoils the
rule in hand, and no other.
"""

from __future__ import annotations

import contextlib
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

from stingy.interrupt import Deferred
from stingy.isolation.lines import CUT_OFF, FULL, SHOW, Asked, Hello, Told
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.rule import Row, Rule
from stingy.language.session import CandidateError
from stingy.request import Limits, Request
from stingy.testimony import NAME, in_a_line
from stingy.transport import Candidate, TargetError, is_driver, locate
from stingy.transport.part import Part
from stingy.transport.processes import CAN_BE_SEEN, Processes, kill_all
from stingy.transport.watchdog import WATCHDOG
from stingy.verdict import Finding, Verdict

_FRAME = re.compile(r'File "(.+)", line (\d+) in (\S+)')
"""A line that faulthandler writes."""

Message = TypeVar("Message", Hello, Told)

CANNOT_FORK = (
    ""
    if hasattr(os, "fork")
    else "this system cannot fork a process for the candidate, and so it is judged in the command's own: "
    "if it ends or spoils that, it ends or spoils the run"
)
"""Why no candidate can have a process of its own here."""

SILENCE = 20.0
"""Seconds without a heartbeat, after which a process is taken to hang as a whole; those that a busy machine owes it do not count."""
LATE = 1.5
"""Seconds without one, from which on it is asked what the machine gave it."""
GLANCE = 0.25
"""A wait is counted in steps of so many seconds: what a machine that stands still adds to one is not counted."""
SHOWING = 0.2
"""Seconds to wait for more of what a process shows of its threads."""
LOOK = 0.05
"""Seconds from one look at its memory to the next: not many gigabytes are filled in them."""
PARTING = 1.0
"""Seconds that a process may take to end, once its line is closed."""
LIMIT = "--limit"
STUCK = 3
"""After so many rules in a row that came to the limit in the same place, no other is tried."""
LOOKING = 5.0
"""Seconds for a look at what a candidate offers, before any rule."""
LOSSES = 3
"""So many rules, one after the other, may lose control of a candidate before no other process is to try: then it is judged as it is."""
LINES_KEPT = 8
BYTES_KEPT = 4096
LONGEST = 64 << 20
"""Bytes of an answer; the longest stories are a thousandth of that."""


def prepare(rules: Iterable[Rule]) -> None:
    """Import what these rules take, before a process is forked for the candidate, or each would import it."""
    if any(rule.for_all for rule in rules):
        import hypothesis  # noqa: F401


class _Ended(Exception):  # noqa: N818 - what it means depends on who asked
    """The process is gone; the message says how, after "the candidate"."""


class _Limited(_Ended):
    """It came upon a limit of ours, which says nothing about it; ``option`` lifts it."""

    def __init__(self, how: str, option: str, last_words: str = "") -> None:
        super().__init__(f"{how}: {option} lifts that limit{last_words}")
        self.option = option.partition(" ")[0]


def reach(request: Request, known: str | None = None) -> Candidate | Isolated:
    """Whom the request is about; in a process of its own, if that is asked for and it has none already.

    ``known``: which Kubernetes it follows, where another process has asked it who it is: that takes a process, each time.
    """
    seed, limits = request.seed or 0, request.limits
    if limits is None or is_driver(request.target):
        return locate(request.target, seed, request.start, Limits(request.limit, request.memory))
    return Isolated(request.target, seed, limits, known)


class Isolated:
    """A candidate that only another process has imported."""

    def __init__(
        self, target: str, seed: int = 0, limits: Limits | None = None, known: str | None = None
    ) -> None:
        """It is asked who it is, unless it is ``known`` which Kubernetes it follows: that is all that judges need."""
        self.target = target
        self.share: float | None = None
        self.part: Part | None = None
        """Of the orders of each race; None for all."""
        self.processes = 0
        """How many have judged so far."""
        self._seed = seed
        self._lost_by: frozenset[str] = frozenset()
        self._stuck: list[str] = []
        """The place at which it stood each time, of the last rules in a row that came to the limit in the same one."""
        self.limits = limits or Limits()
        self._process: _Process | None = None
        hello = self._ask_who_it_is() if known is None else Hello(kubernetes=known)
        self.name, self.version = in_a_line(hello.name, NAME), in_a_line(hello.version, NAME)
        self.kubernetes = hello.kubernetes
        self.files = [in_a_line(file) for file in hello.files]

    def judge(self, rule: Rule, row: Row | None, order: str = "", allowance: Allowance = NOTHING) -> Verdict:
        """The verdict that its process comes to; ERROR if it comes to none."""
        from stingy.trial import (
            make_verdict,
        )  # not before pytest has had a chance to rewrite what is imported with it

        if len(self._stuck) >= STUCK:
            because = f"not tried: {STUCK} rules in a row have come to the limit, {self._stuck[-1]}"
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=because)
        asked = Asked(
            rule.id, row.name if row else "", order, self.kubernetes, self.share, allowance, self.part
        )
        try:
            if self._process is None:
                self._start()
                self.processes += 1
            told = self._ask(asked, self.limits.seconds + (self.share or 0.0) * rule.shares)
        except _Limited as limited:
            place, line = self._find_place() if limited.option == LIMIT else ("", "")
            self._stuck = [*self._stuck, place] if place in self._stuck else [place] if place else []
            self.close()
            because = _the_candidate(limited) + (f"; it is {place}:{line}" if place else "")
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=because, limit=limited.option)
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
            return make_verdict(rule, row, Finding.ERROR, because="the candidate answered for its judge")
        return verdict

    def _find_place(self) -> tuple[str, str]:
        """Return where code of the candidate stands, as in ``in get, queue.py``, and the line; nothing if that cannot be seen."""
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
        """Which takes a while to find out."""
        try:
            process = self._start()
            process.write(Asked())
            hello = process.read(Hello, self.limits.seconds)
            why = self._look_what_it_offers(process)
        except _Ended as how:
            raise CandidateError(f"{self.target} cannot be imported: {_the_candidate(how)}") from None
        else:
            if why:
                raise CandidateError(why)
            return hello
        finally:
            self.close()  # the one that judges is forked under pytest's eyes, who tells a broken assert at length

    def _look_what_it_offers(self, process: _Process) -> str:
        """Return why nothing of it can be judged. Whoever does not answer is for the rules to judge."""
        process.write(Asked(looks=True))
        try:
            return process.read(Hello, LOOKING).unusable
        except _Ended:
            return ""

    def _start(self) -> _Process:
        """A process that has imported the candidate."""
        self._process = process = _Process(self.target, self._seed, self.limits)
        hello = process.read_hello(self.limits.start)
        if hello.refused or hello.unusable:
            raise CandidateError(hello.unusable) if hello.unusable else TargetError(hello.refused)
        return process

    def _ask(self, asked: Asked, seconds: float) -> Told:
        assert self._process is not None
        self._process.write(asked)
        return self._process.read(Told, seconds)


def _the_candidate(error: Exception) -> str:
    return f"the candidate {error}" if isinstance(error, _Ended) else str(error)


def _decode(line: bytes, kind: type[Message]) -> Message:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError):
        raise _Ended(f"answered for its judge: {line[:80]!r}") from None


class _Process:
    """The process of a candidate, seen from outside: lines of JSON in, lines of JSON out, empty ones as heartbeats."""

    def __init__(self, target: str, seed: int, limits: Limits) -> None:
        from stingy.isolation.inside import live  # imported here, once for all processes

        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._output, output = os.pipe()
        with Deferred():
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", DeprecationWarning
                )  # threads of others do not matter to the child
                self._id = os.fork()
            if self._id == 0:
                live(target, seed, limits.megabytes << 20, requests, answers, output)
            WATCHDOG.guard(self._id)
        for theirs in (requests, answers, output):
            os.close(theirs)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._answers, selectors.EVENT_READ)
        self._selector.register(self._output, selectors.EVENT_READ)
        self._most = limits.megabytes
        self._processes = Processes(self._id)
        self._heard = self._said = b""
        self._status: int | None = None

    def write(self, asked: Asked) -> None:
        with contextlib.suppress(BrokenPipeError):  # how it ended is said where the answer is read
            os.write(self._requests, msgspec.json.encode(asked) + b"\n")

    def read_hello(self, seconds: float) -> Hello:
        """The first answer; _Ended if there is none within so many seconds of a machine that lets it go on."""
        return _decode(self._line(seconds, "been imported", "--start S", of_their_own=True), Hello)

    def read(self, kind: type[Message], seconds: float) -> Message:
        """The next answer; _Ended if there is none within so many seconds."""
        return _decode(self._line(seconds, "come to an end", "--limit S"), kind)

    def _line(self, seconds: float, done: str, option: str, *, of_their_own: bool = False) -> bytes:
        """The next line; ``of_their_own``: what a busy machine gave to others is not counted."""
        spent = silent = 0.0
        while True:
            began = time.monotonic()
            for key, _ in self._selector.select(LOOK):
                if key.fd == self._output:
                    self._keep()
                elif self._hear():
                    silent = 0.0
            *lines, self._heard = self._heard.split(b"\n")
            if any(lines):
                return b"".join(lines)  # two of them are none
            passed = min(GLANCE, time.monotonic() - began)
            theirs = self._processes.own(passed) if of_their_own or silent > LATE else passed
            spent += theirs if of_their_own else passed
            silent += theirs
            if self._processes.hold_more(self._most << 20):
                raise self._describe_full()
            if spent > seconds:
                raise _Limited(f"has not {done} within {seconds:g} s", option, self._last_words())
            if silent > SILENCE:
                raise _Ended(f"hangs, with all that is in its process{self._last_words()}")

    def _hear(self) -> bool:
        heard = os.read(self._answers, 1 << 16)
        if not heard:
            raise self._end_of_it()
        self._heard += heard
        if len(self._heard) > LONGEST:
            raise _Ended("answered for its judge, and without end")
        return True

    def _keep(self) -> None:
        said = os.read(self._output, 1 << 16)
        if not said:
            self._selector.unregister(self._output)
        self._said = (self._said + said)[-BYTES_KEPT:]

    def _end_of_it(self) -> _Ended:
        late = time.monotonic() + PARTING
        while time.monotonic() < late:
            if self._has_ended():
                return self._describe_end(self._reap())
            time.sleep(0.005)
        return self._describe_end(CUT_OFF)

    def _has_ended(self) -> bool:
        """Whether there is only its status left of it, which stays there to be taken where that can be."""
        if hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self._id, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        process, status = os.waitpid(self._id, os.WNOHANG)  # macOS, before Python 3.13
        if process:
            self._status = os.waitstatus_to_exitcode(status)
            kill_all(self._id)
            WATCHDOG.release(self._id)
        return bool(process)

    def _describe_end(self, status: int) -> _Ended:
        if status == FULL and not CAN_BE_SEEN:
            return self._describe_full()
        how = f"ended the process (exit status {status})"
        if status == CUT_OFF:
            how = "closed the line to its judge"
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
        """Return what it shows of where its threads stand, as far as it does within a moment."""
        shown = b""
        with contextlib.suppress(OSError):
            os.set_blocking(self._output, False)
            os.kill(self._id, SHOW)
            waits = selectors.DefaultSelector()
            waits.register(self._output, selectors.EVENT_READ)
            while waits.select(SHOWING if shown else PARTING) and (read := os.read(self._output, 1 << 16)):
                shown += read
            waits.close()
        return shown.decode(errors="replace")

    def end(self) -> None:
        """End it, and whatever it has started."""
        for ours in (self._requests, self._answers, self._output):
            with contextlib.suppress(OSError):
                os.close(ours)
        self._selector.close()
        self._reap()

    def _reap(self) -> int:
        """Its exit status, once it and all of its group are gone."""
        if self._status is None:
            kill_all(self._id)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._id, 0)[1])
            WATCHDOG.release(self._id)
        return self._status
