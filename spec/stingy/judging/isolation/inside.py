"""The code that runs in a candidate's process: it judges on request and sends heartbeats."""

from __future__ import annotations

import _thread
import contextlib
import faulthandler
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import NoReturn, TextIO

import msgspec

from stingy.contract.testimony import NAME, in_a_line, in_lines
from stingy.doctor import Examination
from stingy.engine import codes, pool, scarcity
from stingy.judging.isolation.fitness import Fitness
from stingy.judging.isolation.lines import CUT_OFF, FULL, SHOW, Asked, Examined, Hello, Told
from stingy.judging.printing import overheard
from stingy.judging.verdict import Finding
from stingy.language.memory import Memory
from stingy.language.session import CandidateError
from stingy.process import interrupt
from stingy.transport import Candidate, TargetError, locate
from stingy.transport.inprocess import InProcess
from stingy.transport.part import in_part
from stingy.transport.processes import CAN_BE_SEEN
from stingy.transport.watchdog import WATCHDOG

CANNOT_STOP = (
    "it calls breakpoint(), but it is judged in a process of its own, which has no terminal: "
    "add -s or --no-isolate to stop there"
)

HEARTBEAT = 1.0
"""Seconds between heartbeats."""

DESCRIPTORS = 4096
"""Most file descriptors to close where the open ones are not known: a limit can be a thousand million."""

_end = os._exit
_write = os.write
_sleep = time.sleep


class _Breakpoints:
    """The ``sys.breakpointhook`` of this process, which has no terminal for a debugger."""

    def __init__(self) -> None:
        self.were_called = False
        """True if the candidate has called ``breakpoint()`` since this was last set to False."""
        self._usual = sys.breakpointhook

    def __call__(self, *args: object, **named: object) -> object:
        if os.environ.get("PYTHONBREAKPOINT"):
            return self._usual(*args, **named)  # the user has chosen another debugger, or none
        self.were_called = True
        raise RuntimeError(CANNOT_STOP)


class _Line:
    """The pipe from the candidate's process to the judge's; two threads write lines to it."""

    def __init__(self, answers: int, memory: int) -> None:
        """Write to the pipe with file descriptor ``answers``.

        ``memory`` is the limit of this process's resident memory, in bytes.
        """
        self._answers = answers
        self._memory = memory
        self._free = _thread.allocate_lock()

    def say(self, message: msgspec.Struct | None = None) -> None:
        """Write a message; a heartbeat if it is None. End this process if the judge closed the pipe."""
        line = (b"" if message is None else msgspec.json.encode(message)) + b"\n"
        with self._free:
            while line:
                try:
                    line = line[_write(self._answers, line) :]
                except OSError:
                    _end(CUT_OFF)

    def tell(self, told: Told) -> None:
        """Send a rule's outcome to the judge; end this process if it has used too much memory."""
        self.look()
        self.say(told)

    def beat(self) -> None:
        """Send heartbeats until the judge closes the pipe."""
        while True:
            self.look()
            self.say()
            _sleep(HEARTBEAT)

    def look(self) -> None:
        """End this process if it uses too much memory, where the judge cannot measure that."""
        if not CAN_BE_SEEN and _most_resident() > self._memory:
            _end(FULL)


def live(
    target: str, seed: int, memory: int, requests: int, answers: int, output: int, *, timed: bool
) -> NoReturn:
    """Do all that the candidate's process does after the fork: import, judge on request, and exit.

    ``requests``, ``answers`` and ``output`` are file descriptors; ``memory`` is in bytes. ``timed``: run the
    candidate on real threads.
    """
    line = _Line(answers, memory)
    try:
        if refusal := _settle_in(line, requests, answers, output):
            line.say(refusal)
            _end(1)
        with overheard():
            _judge(target, seed, _read_requests(requests), line, timed=timed)
        _end(CUT_OFF)
    except BaseException:  # noqa: BLE001 - whatever a candidate raises
        sys.excepthook(*sys.exc_info())
    finally:
        while True:
            try:  # noqa: SIM105 - at the recursion limit, entering suppress() could fail
                _end(1)
            except BaseException:  # noqa: BLE001, S110
                pass


def _judge(target: str, seed: int, asked: Iterator[Asked], line: _Line, *, timed: bool) -> None:
    fitness, memory = Fitness(), Memory()
    sys.breakpointhook = breakpoints = _Breakpoints()
    try:
        candidate = _locate(target, seed, fitness, timed=timed)
    except TargetError as error:
        return line.say(Hello(refused=str(error)))
    except CandidateError as error:
        return line.say(Hello(unusable=str(error)))
    line.say(Hello())
    fitness.is_imported()
    refused: set[tuple[str, str]] = set()
    for one in asked:
        if one.looks or one.examines:
            from stingy.doctor.inprocess import examine, find_refusal

            assert isinstance(candidate, InProcess)
            line.say(
                Hello(unusable=find_refusal(candidate))
                if one.looks
                else Examined(_in_text(examine(candidate)))
            )
            continue
        if not one.rule:
            line.say(_introduce(candidate))
            continue
        from stingy.guarantees import all_rules  # imported late: name and version do not need it
        from stingy.judging.trial import Trial, make_verdict

        rule = all_rules()[one.rule]
        row = next((row for row in rule.each if row.name == one.case), None)
        candidate.kubernetes, candidate.share = one.kubernetes, one.share
        candidate.limit = inf if one.limit is None else one.limit
        controlled = candidate.controlled
        breakpoints.were_called = False
        remembered = memory if one.part is None else None  # a part runs only some of the orders
        trial = Trial(in_part(candidate, one.part), seed, remembered)
        try:
            verdict, fault = trial.judge(rule, row, one.order, one.allowance), ""
            if verdict.verdict is Finding.NOT_OFFERED and not trial.has_opened:
                if (why := (verdict.profile, verdict.because)) in refused:
                    line.tell(Told(verdict))  # no code of the candidate has run since the last check
                    continue
                refused.add(why)
        except BaseException as error:  # noqa: BLE001 - an error that Trial does not handle
            verdict, fault = None, f"raised {type(error).__name__} in its judge"
        if breakpoints.were_called and verdict is not None:
            verdict = make_verdict(rule, row, Finding.ERROR, because=CANNOT_STOP)
        changed, taken = fitness.find_changed(), fitness.find_taken(rule.check.__module__)
        if verdict is None or taken or (verdict.fault and changed):
            because = f"the candidate {taken or changed or fault}"
            verdict = make_verdict(rule, row, Finding.ERROR, because=because)
        lost = controlled and not candidate.controlled
        line.tell(Told(verdict, unfit=bool(trial.replaced or taken or changed or fault), lost=lost))
    return None


def _locate(target: str, seed: int, fitness: Fitness, *, timed: bool) -> Candidate:
    """Import the candidate, and look at what it is.

    Raises TargetError or CandidateError if it cannot be judged.
    """
    try:
        candidate = locate(target, seed, timed=timed)
    except (TargetError, CandidateError):
        raise
    except Exception:  # noqa: BLE001 - whatever it is, it is raised again if nothing was replaced
        if not fitness.find_taken():
            fitness.is_imported()  # the import may have replaced what looking at it needs, such as os.stat
            candidate = locate(target, seed, timed=timed)
    if taken := fitness.find_taken():
        raise CandidateError(f"{target} cannot be judged: while being imported, it {taken}")
    return candidate


def _introduce(candidate: Candidate) -> Hello:
    """Return the candidate's name, version and files as text that JSON can hold: any may have a lone surrogate."""
    name, version = in_a_line(candidate.name, NAME), in_a_line(candidate.version, NAME)
    return Hello(name, version, in_a_line(candidate.kubernetes), tuple(map(in_a_line, candidate.files)))


def _in_text(examination: Examination) -> Examination:
    """Return the results of the doctor's checks as text that JSON can hold."""
    found = [
        replace(it, says=in_lines(it.says), shows=[in_lines(line) for line in it.shows])
        for it in examination.found
    ]
    summary = [(name, in_lines(says)) for name, says in examination.summary]
    return Examination(in_a_line(examination.title), found, summary)


def _read_requests(requests: int) -> Iterator[Asked]:
    with os.fdopen(requests, "rb", closefd=False) as lines:
        while True:
            try:
                line = lines.readline()
            except OSError:  # the candidate has closed the pipe
                _end(CUT_OFF)
            if not line:
                return
            yield msgspec.json.decode(line, type=Asked)


def _settle_in(line: _Line, requests: int, answers: int, output: int) -> Hello | None:
    """Make this process fit to judge a candidate; if that is impossible, return the answer that says why.

    Nothing that fails here is the candidate's fault: it has not been imported yet.
    """
    try:
        _detach(requests, answers, output)
        _thread.start_new_thread(line.beat, ())
    except Exception as error:  # noqa: BLE001 - the judge reports it
        if lacks := scarcity.describe_want(error):
            return Hello(lacks=lacks)
        return Hello(fault="".join(traceback.format_exception(error)))
    return None


def _detach(requests: int, answers: int, output: int) -> None:
    """Leave the judge's session, signals, files and terminal."""
    WATCHDOG.enlist()
    os.setsid()
    codes.freeze()  # objects older than the candidate live on: the collector need not search them
    pool.has_forked()
    os.register_at_fork(after_in_child=lambda: _close(requests, answers))
    for number in interrupt.SIGNALS:  # Ctrl-C is for the judge's process, not for this one
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    for standard, taken in enumerate((nothing, output, output)):
        os.dup2(taken, standard)
    _close(*_list_open() - {0, 1, 2, requests, answers})
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), _open_unbuffered(1), _open_unbuffered(2)
    sys.setrecursionlimit = _no_less_than(sys.getrecursionlimit(), sys.setrecursionlimit)
    faulthandler.enable(2, all_threads=False)
    if hasattr(faulthandler, "register"):  # not on Windows
        faulthandler.register(SHOW, 2)


def _list_open() -> set[int]:
    """Return the file descriptors that may be open; all small ones where the system does not say."""
    try:
        return set(map(int, os.listdir("/dev/fd")))  # noqa: PTH208
    except OSError:
        return set(range(min(os.sysconf("SC_OPEN_MAX"), DESCRIPTORS)))


def _most_resident() -> int:
    """Return the highest resident memory of this process so far, in bytes."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def _no_less_than(deep: int, set_limit: Callable[[int], None]) -> Callable[[int], None]:
    """Wrap ``setrecursionlimit`` so that a candidate can only set a limit of ``deep`` or more.

    The judge's own calls need that depth.
    """

    def setrecursionlimit(limit: int, /) -> None:
        set_limit(max(limit, deep))

    return setrecursionlimit


def _open_unbuffered(output: int) -> TextIO:
    return os.fdopen(output, "w", buffering=1, errors="replace", closefd=False)


def _close(*files: int) -> None:
    for file in files:
        with contextlib.suppress(OSError):
            os.close(file)
