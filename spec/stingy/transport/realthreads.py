"""A candidate in this process without control: real threads, and real time.

This is for candidates that cannot be controlled: they use locks made in C, extension modules or
busy loops. A wait for an event that must happen is long, because the candidate fails if it ends
without the event. A wait for an event that must not happen is short: if it ends without the event,
the rule is only "not refuted" (evidence *timed*).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from copy import copy
from functools import partial
from queue import SimpleQueue
from typing import Any, Self

from stingy.contract import Nanoseconds
from stingy.contract.ops import PAUSE
from stingy.engine.pool import evict
from stingy.engine.task import Abort
from stingy.engine.watch import is_debugged
from stingy.language.call import Call
from stingy.language.order import Order
from stingy.language.session import (
    CANNOT_CANCEL,
    CANNOT_SEE_ALARMS,
    CandidateError,
    NotOffered,
    Operation,
    Undecided,
)
from stingy.transport.beginning import NotAgainError
from stingy.transport.calling import Answered, Made
from stingy.transport.programs import Stamps, run_program
from stingy.transport.syncing import Meanwhile

GENEROUS = 5.0
"""Real seconds to wait for an event that must happen."""
QUIET = 0.5
"""Real seconds without any call beginning or ending, after which a race is over."""

LINGERS = 1.0
"""Real seconds that a lane has to end after its session, before its thread is stopped.

A busy machine may need that long.
"""


def _start_together(start: threading.Barrier, run: Callable[[], None], over: threading.Event) -> None:
    start.wait()
    run()
    over.set()


class _Lane:
    """The daemon thread of a lane, which makes one call after the other."""

    def __init__(self, name: str) -> None:
        self.jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._late = 0.0
        self._thread.start()

    def _work(self) -> None:
        with suppress(Abort):
            while (job := self.jobs.get()) is not None:
                job()

    def end(self) -> None:
        """Let the lane's thread end once its queued jobs are done."""
        self.jobs.put(None)
        self._late = time.monotonic() + LINGERS

    def is_over(self, *, at_once: bool) -> bool:
        """Return True if the lane's thread has ended, or if this call made it stop.

        A thread is stopped, even in the middle of a call, if it has not ended within ``LINGERS``
        seconds. With ``at_once``, it is stopped in any case.
        """
        if self._thread.is_alive() and self._thread.ident and (at_once or time.monotonic() > self._late):
            evict(self._thread.ident)
            return True
        return not self._thread.is_alive()

    @property
    def is_debugged(self) -> bool:
        return self._thread.ident is not None and is_debugged(self._thread.ident)


_lingering: list[_Lane] = []
"""Lanes of closed sessions, whose threads may not have ended yet."""


def stop_lingering(*, at_once: bool = False) -> None:
    """Stop lanes of closed sessions that have not ended in time; with ``at_once``, all such lanes."""
    _lingering[:] = [lane for lane in _lingering if not lane.is_over(at_once=at_once)]


class _Signalled(Answered):
    def __init__(self) -> None:
        super().__init__()
        self.over = threading.Event()

    def make(self, call: Callable[[], Any]) -> None:
        super().make(call)
        self.over.set()


class _SteppedClock:
    """The clock handed to a candidate: it moves only when a rule moves it."""

    def __init__(self) -> None:
        self.now: Nanoseconds = time.time_ns()
        self.was_read = False
        self._mono: Nanoseconds = 0

    def time_ns(self) -> Nanoseconds:
        self.was_read = True
        return self.now

    def monotonic_ns(self) -> Nanoseconds:
        self.was_read = True
        return self._mono

    def elapse(self, span: Nanoseconds) -> None:
        self.now += span
        self._mono += span


class RealThreads:
    """A session whose lanes are ordinary threads, scheduled by the operating system in real time."""

    timed = True
    shares = True
    looks = 0
    deaths = ()
    """Always empty: if an exception ends a thread, it is not recorded, but printed by Python."""

    def __init__(
        self,
        make: Callable[[Any], Made],
        grace: float,
        around: AbstractContextManager[object] = nullcontext(),  # noqa: B008 - it holds nothing
        *,
        waits: bool = False,
    ) -> None:
        """Create the candidate by ``make``, on real threads.

        ``around``: a context that is entered first and left when the session is closed. ``waits``:
        True if the candidate may wait for time to pass. Such a wait takes real time: to move the
        candidate's clock does not end it.
        """
        self._open = ExitStack()
        self._open.enter_context(around)
        self._grace = grace
        self._waits = waits
        self._lanes: dict[str, _Lane] = {}
        self._clock = _SteppedClock()
        self._make = make
        self._construct()

    def _construct(self) -> None:
        made = _Signalled()
        refused: list[Exception] = []

        def construct() -> Any:
            try:
                return self._make(self._clock)
            except (NotOffered, CandidateError, NotAgainError) as error:
                refused.append(error)
                raise

        self._run_on("producer", lambda: made.make(construct))
        if not self._waits_for(made.over, GENEROUS):
            self.close()
            raise CandidateError("it cannot be made: its constructor does not return")
        if refused:
            self.close()
            raise refused[0]
        if made.raised:
            self.close()
            raise CandidateError(f"it cannot be made: {made.raised}")
        self._made: Made = made.value.telling(pause=time.sleep)

    def call(self, lane: str, op: str, *args: Any) -> _Signalled:
        if op == "running":
            raise Undecided(
                "its threads cannot be controlled, so stingy cannot tell which threads it has started"
            )
        answer = _Signalled()
        call = self._made.operation(op, args, Meanwhile(self._elapse, self._grace))
        self._run_on(lane, lambda: answer.make(call))
        return answer

    def cancel(self, call: object, turns: int = 0, after: Nanoseconds = 0) -> None:  # noqa: ARG002
        raise NotOffered(CANNOT_CANCEL)

    def settle(self, awaiting: Any = None, patience: Nanoseconds = 0) -> None:
        if awaiting is None:
            time.sleep(self._grace)
        else:
            self._waits_for(awaiting.over, GENEROUS if patience else self._grace)

    def _waits_for(self, over: threading.Event, seconds: float) -> bool:
        """Wait until the event happens; return False after ``seconds``, unless a lane is debugged."""
        while not over.wait(seconds):
            if not self._is_debugged():
                return False
        return True

    def _is_debugged(self) -> bool:
        return any(lane.is_debugged for lane in self._lanes.values())

    def advance(self, span: Nanoseconds) -> None:
        if self._waits:
            raise Undecided("it cannot be controlled, so its waiting takes as long as it takes")
        self.now_ns()
        self._clock.elapse(span)

    def now_ns(self) -> Nanoseconds:
        if not self._clock.was_read:
            raise Undecided("it reads no clock that can be moved: let it take an argument named clock")
        return self._clock.now

    def step(self, span: Nanoseconds) -> None:
        self.now_ns()
        self._clock.now += span

    def restart(self) -> None:
        self._made.release()
        self._construct()

    def another(self) -> Self:
        """Return a session of another candidate; both have one clock, and end together."""
        other = copy(self)
        other._lanes = {}
        other._open = ExitStack()
        other._construct()
        self._open.callback(other.close)
        return other

    def race(self, programs: Mapping[str, Sequence[Operation]], order: Order) -> Sequence[Call]:  # noqa: ARG002
        if any(op == (PAUSE, 0) for program in programs.values() for op in program):
            raise NotOffered(CANNOT_SEE_ALARMS)
        stamps = Stamps()
        lanes: list[threading.Event] = []
        start = threading.Barrier(len(programs))
        for lane, program in programs.items():
            over = threading.Event()
            run = run_program(self._made.whole, lane, program, stamps)
            self._run_on(lane, partial(_start_together, start, run, over))
            lanes.append(over)
        drawn = -1
        while (drawn != stamps.drawn or self._is_debugged()) and not all(over.is_set() for over in lanes):
            drawn = stamps.drawn
            quiet = time.monotonic() + QUIET
            while time.monotonic() < quiet and not all(over.is_set() for over in lanes):
                time.sleep(0.001)
        return stamps.calls()

    def close(self) -> None:
        """Shut the candidate down, to release workers that wait, and let the lanes' threads end."""
        made: Made | None = getattr(self, "_made", None)
        if made is not None:
            made.release()
        candidate = made.candidate if made is not None else None
        shut_down = getattr(candidate, "shut_down", getattr(candidate, "stop", None))
        if shut_down is not None:
            self._run_on("closer", lambda: Answered().make(shut_down))
        for lane in self._lanes.values():
            lane.end()
        _lingering.extend(self._lanes.values())
        self._lanes.clear()
        self._open.close()

    def _run_on(self, lane: str, job: Callable[[], None]) -> None:
        if lane not in self._lanes:
            self._lanes[lane] = _Lane(lane)
        self._lanes[lane].jobs.put(job)

    def _elapse(self, span: Nanoseconds, stepped: Nanoseconds) -> None:
        self._clock.elapse(span)
        self._clock.now += stepped
