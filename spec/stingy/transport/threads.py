"""A candidate in this process whose threads run one at a time, in virtual time, by a schedule."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, Self

from stingy.contract import SECOND, Nanoseconds
from stingy.contract.kinds import is_a
from stingy.engine.blocks import leaves_a_block
from stingy.engine.clocks import sleep
from stingy.engine.escapes import noticed_at_an_error
from stingy.engine.onlooker import Onlooker
from stingy.engine.patches import Binding, patched, running
from stingy.engine.pool import POOL
from stingy.engine.scheduler import Fair, LostControl, Scheduler
from stingy.engine.task import Abort, State, Task, Tracing
from stingy.engine.touching import is_harmless
from stingy.engine.tracing import tracer
from stingy.engine.virtualtime import VirtualTime
from stingy.language.call import Call
from stingy.language.order import Order
from stingy.language.session import (
    CANNOT_CANCEL,
    PATIENCE,
    TO_BE_MADE,
    CandidateError,
    NotOffered,
    Operation,
    Uncontrolled,
)
from stingy.language.story import Aside
from stingy.transport.beginning import NotAgainError
from stingy.transport.calling import Answered, Made, describe_raised
from stingy.transport.programs import Stamps, run_program
from stingy.transport.shortcuts import Shortcuts
from stingy.transport.syncing import A_MOMENT, Meanwhile


@dataclass
class Habits:
    """Habits that a candidate has shown in earlier sessions: how it waits, and what it starts."""

    spins: bool = False
    """It waits in busy loops."""
    hides: bool = False
    """Its busy loops can be followed only if its code is traced all the time."""
    escapes: bool = False
    """It does something that the scheduler cannot control."""
    added: Any = None
    """The item that the last Add passed; None before the first."""
    shortcuts: Shortcuts = field(default_factory=Shortcuts)


_NO_LONGER = Made(None)


class VirtualClock:
    """The clock handed to a candidate: it shows the same virtual time as the module ``time``."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time

    def time_ns(self) -> Nanoseconds:
        return self._time.wall_ns()

    def monotonic_ns(self) -> Nanoseconds:
        return self._time.monotonic_ns()


is_harmless(VirtualClock.time_ns, VirtualClock.monotonic_ns)


class ControlledThreads:
    """A session whose lanes are threads that the suite's scheduler controls."""

    timed = False
    shares = True

    def __init__(
        self,
        make: Callable[[Any], Made],
        bindings: Sequence[Binding],
        habits: Habits,
        around: AbstractContextManager[object] = nullcontext(),  # noqa: B008 - it holds nothing
        beside: Callable[[Any], object] | None = None,
    ) -> None:
        """Create the candidate by ``make``, on controlled threads.

        ``around``: a context that is entered first and left when the session is closed. ``beside``
        makes a second candidate from the same modules before the one under test, so that a state
        shared by both is noticed; None to make none.
        """
        self._make = make
        self._beside = beside
        self._others: object = None
        self._not_its_own: Sequence[Task] = ()
        self._habits = habits
        self._scheduler = Scheduler(Fair())
        if habits.spins:
            self._scheduler.loops.expect()
        self._scheduler.polling.allowed = habits.shortcuts.may_jump
        self._lanes: dict[str, Task] = {}
        self._pausing: list[Nanoseconds] = []
        """Virtual instants, in nanoseconds, at which pauses of lanes end."""
        self._open = ExitStack()
        self._open.enter_context(around)
        self._open.callback(self._scheduler.close)
        self._open.enter_context(running(self._scheduler))
        self._open.enter_context(patched(bindings))
        self._open.callback(self._scheduler.close)
        self._made: Made
        try:
            self._construct()
        except BaseException:
            self.close()
            raise

    @property
    def looks(self) -> int:
        return self._scheduler.time.looks

    @property
    def deaths(self) -> Sequence[tuple[str, str]]:
        return self._scheduler.deaths

    @cached_property
    def _tracer(self) -> Tracing:
        """Tracer that makes scheduling points in the candidate's code; created on first use.

        It is slow to create, because all of that code is read.
        """
        return tracer(self._made.kind)

    def call(self, lane: str, op: str, *args: Any) -> Answered:
        answer = Answered()
        call = self._made.operation(op, args, Meanwhile(self._elapse, A_MOMENT))
        if op == "add":
            self._habits.added = args[0]
        self._run_on(lane, lambda: answer.make(call))
        return answer

    def cancel(self, call: object, turns: int = 0, after: Nanoseconds = 0) -> None:  # noqa: ARG002
        raise NotOffered(CANNOT_CANCEL)

    def settle(self, awaiting: Any = None, patience: Nanoseconds = 0) -> None:
        try:
            self._scheduler.settle(patience, lambda: awaiting is not None and awaiting.returned)
        except LostControl as lost:
            raise Uncontrolled(str(lost)) from None

    def advance(self, span: Nanoseconds) -> None:
        try:
            self._scheduler.advance(span)
        except LostControl as lost:
            raise Uncontrolled(str(lost)) from None

    def now_ns(self) -> Nanoseconds:
        return self._scheduler.time.wall_ns()

    def step(self, span: Nanoseconds) -> None:
        self._scheduler.time.stepped += span

    def restart(self) -> None:
        del self._made
        self._construct()

    def another(self) -> Self:
        """Return a session of another candidate, on the same scheduler; it ends with this one."""
        other = copy(self)
        other._lanes = {}
        del other._made
        other._construct()
        return other

    def race(self, programs: Mapping[str, Sequence[Operation]], order: Order) -> Sequence[Call]:
        scheduler, traced = self._scheduler, self._tracer if order.turns is not None else None
        turns = order.turns or Fair()
        stamps = Stamps(turns)
        self._follow(turns, traced)
        if order.aloud:
            self._record(order, stamps)
        for lane, program in programs.items():
            self._run_on(lane, run_program(self._made.whole, lane, program, stamps, self._begins))
        self.settle(stamps if order.step else None, PATIENCE)
        while order.straight and stamps.has_gone_on():
            self.settle(patience=PATIENCE)
        while self._pausing:
            self.settle(patience=max(self._pausing) - scheduler.time.now + PATIENCE)
        if order.aloud and (circle := _deadlock(scheduler.tasks)):
            order.asides.append(Aside(stamps.drawn, "all", circle))
        order.trail = tuple(scheduler.record.trail)
        order.exact = scheduler.record.exact and traced is not None
        order.unseen = self._made.unseen or scheduler.record.unseen
        scheduler.witness = scheduler.onlooker = None
        self._follow(Fair())
        return stamps.calls()

    def _record(self, order: Order, stamps: Stamps) -> None:
        """Record in ``order`` where threads stop in the race that begins, and what they touch."""
        onlooker = Onlooker(self._scheduler.record, stamps.number_of)
        order.touches, order.cuts = onlooker.touches, onlooker.cuts

        def note_stop(task: Task, frame: FrameType | None) -> None:
            order.asides.append(_aside(stamps, task, frame))
            onlooker.stops(task, frame)

        self._scheduler.witness, self._scheduler.onlooker = note_stop, onlooker.sees

    def _follow(self, strategy: Fair, traced: Tracing | None = None) -> None:
        self._scheduler.follow(strategy, self._tracer if self._habits.hides else traced)

    def _begins(self, called: Any, begin: Callable[[], None]) -> None:
        """Stamp the begin of a call, by ``begin``, when the call first touches something.

        Stamp it immediately if the code of the method ``called`` is not traced.
        """
        task = self._scheduler.current
        code = getattr(called, "__code__", None)
        if (
            task is None
            or self._scheduler.tracer is None
            or code is None
            or code.co_filename not in self._tracer.files
        ):
            begin()
        else:
            self._scheduler.will_begin(task, begin)

    def close(self) -> None:
        self._habits.spins |= self._scheduler.loops.known
        self._habits.escapes |= bool(self._scheduler.escaped)
        self._habits.shortcuts.jumped |= self._scheduler.polling.jumped
        self._open.close()
        # Its functions refer to the session, which would keep itself alive. That is wanted only if a
        # thread was given up: the candidate must not be freed there, since a finalizer would be ended.
        if not self._scheduler.lost:
            self._made = _NO_LONGER

    @staticmethod
    def dismiss_spare_threads() -> None:
        POOL.dismiss()

    def _construct(self) -> None:
        raised: list[BaseException] = []

        made = Answered()

        def construct() -> None:
            try:
                clock = VirtualClock(self._scheduler.time)
                if self._beside is not None:
                    self._make_another(self._beside, clock)
                    self._beside = None
                self._made = self._make(clock)
            except Abort:
                raise
            except BaseException as error:  # noqa: BLE001
                noticed_at_an_error(error)
                raised.append(error)

        self._run_on("producer", lambda: made.make(construct))
        self.settle(made, TO_BE_MADE)
        if raised:
            error = raised[0]
            if is_a(error, NotOffered, CandidateError, NotAgainError):
                raise error
            raise CandidateError(f"it cannot be made: {describe_raised(error)}") from error
        if not hasattr(self, "_made"):
            raise CandidateError("it cannot be made: its constructor does not return")
        self._made = self._made.telling(running=self._count_running, pause=self._pause)
        self._scheduler.files = self._made.files
        self._follow(Fair())

    def _make_another(self, beside: Callable[[Any], object], clock: VirtualClock) -> None:
        """Make a second candidate from the same modules, whose threads are named differently.

        So the threads of the candidate under test have the same names as without a second one.
        """
        self._scheduler.count_threads("thread of another")
        try:
            self._others = beside(clock)
        finally:
            self._scheduler.count_threads("thread")
            self._not_its_own = tuple(self._scheduler.tasks)

    def _count_running(self) -> int:
        """Return how many of the candidate's own threads have not ended."""
        others = {*self._lanes.values(), *self._not_its_own}
        return sum(task.busy and task not in others for task in self._scheduler.tasks)

    def _run_on(self, lane: str, job: Callable[[], None]) -> None:
        task = self._lanes.get(lane)
        if task is not None and task.busy:
            raise RuntimeError(f"{lane} has a call under way")
        self._lanes[lane] = self._scheduler.start(lane, job, task)

    def _pause(self, seconds: float = 0.0) -> None:
        """Pause for ``seconds`` of virtual time; with 0, until the next deadline of any thread."""
        now = self._scheduler.time.now
        until = now + round(seconds * SECOND) if seconds else self._scheduler.lineup.next_deadline()
        if until is not None and until > now:
            self._pausing.append(until)
            sleep((until - now) / SECOND)
            self._pausing.remove(until)

    def _elapse(self, span: Nanoseconds, stepped: Nanoseconds) -> None:
        """Let ``span`` of virtual time pass inside a call; step the wall clock forward by ``stepped``."""
        self._scheduler.time.now += span
        self._scheduler.time.stepped += stepped


def _aside(stamps: Stamps, task: Task, frame: FrameType | None) -> Aside:
    return Aside(stamps.drawn, task.name, " ".join(filter(None, (_doing(task), _whereabouts(task, frame)))))


def _doing(task: Task) -> str:
    match task.state:
        case State.READY:
            return "is interrupted"
        case State.WANTS_LOCK:
            owner = task.wants.owner if task.wants is not None else None
            return f"waits for a lock that {owner.name} holds" if owner else "waits for a lock"
        case State.JOINS:
            return f"waits for the end of {task.joins.name}" if task.joins else "waits for a thread"
        case _:
            return "waits" if task.deadline is None else "waits or sleeps"


def _whereabouts(task: Task, frame: FrameType | None) -> str:
    if frame is None:
        return ""
    file, line = frame.f_code.co_filename, frame.f_lineno
    interrupted = "as it leaves" if leaves_a_block(frame) else "before"
    where = interrupted if task.state is State.READY else "at"
    return (
        f"{where} {linecache.getline(file, line).strip()} ({Path(file).name}:{line}, {frame.f_code.co_name})"
    )


def _deadlock(tasks: Sequence[Task]) -> str:
    """Describe threads that wait in a circle for each other's locks; empty if none do."""
    waits_for = {
        task: task.wants.owner for task in tasks if task.state is State.WANTS_LOCK and task.wants is not None
    }
    for task in waits_for:
        chain: list[Task] = [task]
        while (other := waits_for.get(chain[-1])) is not None and other not in chain:
            chain.append(other)
        if other is task:
            names = [each.name for each in (*chain, task)]
            return "deadlock: " + ", ".join(f"{one} waits for {two}" for one, two in pairwise(names))
    return ""
