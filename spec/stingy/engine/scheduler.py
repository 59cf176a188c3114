"""Exactly one controlled thread runs at a time; when none can, that is known at once.

Control passes by direct hand-off, one raw lock per thread. The thread that drives (a rule's) is not
controlled: it lets the others run until they are *quiet* – nobody can go on unless time passes – and
moves virtual time. So "it still waits" is an observation, not a time-out.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import PurePath
from types import FrameType

from stingy.contract import SECOND, Nanoseconds
from stingy.engine.access import ANY_LOCK, Access, Holdable, place
from stingy.engine.pool import POOL, abandon, must_end
from stingy.engine.task import Abort, State, Task, Tracing, get_ident
from stingy.engine.watch import Watch
from stingy.language.order import Turn

YIELDS = 2_000
"""Scheduling points in a row after which a thread lets another one go on: it may be waiting for it."""

SPINS = 100
"""So many times in a row, and a thread that nobody has helped is taken to wait in a loop of its own."""
SPINS_KNOWN = 3
"""The same, where one has done so before."""

MOMENT: Nanoseconds = 1_000
"""Less than that is no wait to speak of."""
MOMENTS = 10_000
"""So many of them in a row, and a thread is taken to spin with a time-out that has long passed."""


class LostControl(Exception):  # noqa: N818 - the candidate is no error
    """A thread blocks or spins where the scheduler cannot see it."""


_GOES_ON = (State.READY, State.PARKED)
"""States in which whoever is awake can run."""

_turn = attrgetter("turn")

NEVER = 1 << 62
"""A scheduling point that no run comes to."""


class Fair:
    """Who goes next: each runs until it blocks; then who has waited longest."""

    stop = NEVER
    """The scheduling point from which on ``at_point`` is to be asked."""

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:  # noqa: ARG002
        """At a scheduling point, where the current thread could go on."""
        return current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        """Where it cannot. ``ready`` is in fair order."""
        return ready[0]

    def released_by(self, task: Task, lock: Holdable) -> None: ...

    def over(self, scheduler: Scheduler) -> None:
        """Nothing moves any more."""


Witness = Callable[[Task, FrameType | None], None]
"""Told which thread stops running, and where in the candidate's files."""


class Scheduler:
    """The threads of one candidate."""

    def __init__(self, strategy: Fair) -> None:
        self.strategy = strategy
        self.now: Nanoseconds = 0
        self.stepped: Nanoseconds = 0
        """By how much the wall clock has been set forward since."""
        self.current: Task | None = None
        self.aborting = False
        self.lost = False
        """A thread cannot be got at any more."""
        self.known_to_spin = False
        self.tasks: list[Task] = []
        self._awake: dict[Task, None] = {}
        """Those that may be able to run; one that is parked is none until it is notified, or its time has come."""
        self._in_order = True
        """Whether they stand in the fair order."""
        self._alarms: list[tuple[Nanoseconds, int, Task]] = []
        """A heap: when whoever was parked is to look again; it may have been notified since."""
        self.tracer: Tracing | None = None
        """Makes scheduling points in the candidate's own code, for jobs that begin while it is set."""
        self.watch = Watch(self)
        self.points = 0
        """How many scheduling points there have been under this strategy."""
        self.stop = 0
        """At which of them somebody has to be asked."""
        self.exact = True
        """Whether the same choices would surely lead to the same again, and no time has passed."""
        self.trail: list[Turn] = []
        """The turns taken under this strategy."""
        self.witness: Witness | None = None
        self._limit = YIELDS
        self._yields = 0
        """How often since something last came of it a thread had to be stopped."""
        self._watches_time = False
        self._moments = 0
        """How many deadlines in a row were next to no time apart."""
        self._since = 0
        """The scheduling point at which the current turn began."""
        self._turns = 0
        self._locks = self._threads = 0

    # For the thread that drives.

    @property
    def traced(self) -> bool:
        return self.tracer is not None

    def follow(self, strategy: Fair, tracer: Tracing | None = None) -> None:
        """Run in this order from now on, with scheduling points in the candidate's own code if it is traced."""
        self.strategy.over(self)
        self.strategy = strategy
        self.tracer = tracer
        self.points = self._since = 0
        self.trail = []
        self.exact = True

    def start(self, name: str, job: Callable[[], None], task: Task | None = None) -> Task:
        """Give a job to a thread; it runs when the scheduler is next let run."""
        if task is None:
            task = POOL.take()
            self.tasks.append(task)
        task.name = name
        task.job, task.host = job, self
        task.state = State.READY
        self._turns += 1
        task.turn = self._turns
        self._awake[task] = None
        return task

    def settle(self, patience: Nanoseconds = 0, over: Callable[[], bool] = lambda: False) -> None:
        """Let threads run until nothing moves.

        Up to ``patience`` of virtual time may pass for threads that sleep or wait with a time-out, and
        less where ``over`` says that what was awaited has come.
        """
        end = self.now + patience
        self._run()
        while not over():
            due = self._next_deadline()
            if due is None or due > end:
                return
            self.exact = False
            self._run_at(due)

    def advance(self, span: Nanoseconds) -> None:
        """Let virtual time pass, stopping at every deadline on the way."""
        end = self.now + span
        self._run()
        while (due := self._next_deadline()) is not None and due <= end:
            self._run_at(due)
        self.now = end
        self._run()

    def close(self) -> None:
        """Unwind every thread and give it back; one that does not come out is abandoned."""
        self.aborting = True
        self.stop = 0
        for task in self.tasks:
            if task.busy and not self.lost:
                self._hand_to(task)
                self.lost = self.lost or task.busy
        for task in self.tasks:
            if not task.busy:
                POOL.give_back(task)
            elif task.ident:
                abandon(task.ident)
        self.tasks = []
        self._awake.clear()
        self._alarms.clear()
        self.current = None

    def _run_at(self, due: Nanoseconds) -> None:
        """Let time pass until then, and those run whose time has come."""
        self._moments = self._moments + 1 if due - self.now < MOMENT else 0
        if self._moments > MOMENTS:
            raise LostControl("a thread of the candidate waits for next to no time, again and again")
        self.now = max(self.now, due)
        self._run()

    def _run(self) -> None:
        if self.lost:
            raise LostControl("a thread of the candidate is out of control")
        for task in self._awake:
            if task.state is State.SPINS:
                task.state = State.READY
        self._yields = 0
        self._watches_time = False
        ready = self.ready()
        if ready:
            self._hand_to(self.strategy.when_blocked(self, ready))
            if self.lost:
                raise LostControl(self._whereabouts())

    def _hand_to(self, task: Task) -> None:
        """Let a thread run, and those that it hands on to; comes back when nobody can go on."""
        self._switch_to(task)
        task.gate.release()
        try:
            self.lost = not self.watch.sees_the_end() or self.lost
        except BaseException:  # whoever interrupts that ends it all
            self.aborting = True
            self.stop = 0
            self.lost = not self.watch.waits()
            raise

    def _whereabouts(self) -> str:
        task = self.current
        if self._watches_time:
            return f"{task.name if task else 'a thread'} spins, and looks at the clock"
        frame = sys._current_frames().get(task.ident) if task else None
        where = f" at {PurePath(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""
        return f"{task.name if task else 'a thread'} blocks or runs on{where}, where it cannot be followed"

    def _next_deadline(self) -> Nanoseconds | None:
        while self._alarms and not self._sleeps_until(*self._alarms[0]):
            heapq.heappop(self._alarms)
        deadlines = [task.deadline for task in self._awake if task.deadline is not None]
        return min((*deadlines, *(alarm[0] for alarm in self._alarms[:1])), default=None)

    def _sleeps_until(self, due: Nanoseconds, _: int, task: Task) -> bool:
        return task.deadline == due and task not in self._awake

    # For the threads under control.

    def me(self) -> Task | None:
        """The controlled thread that calls, if it is one."""
        task = self.current
        return task if task is not None and task.ident == get_ident() else None

    def ready(self) -> list[Task]:
        """Those that can run, in the fair order."""
        while self._alarms and self._alarms[0][0] <= self.now:
            alarm = heapq.heappop(self._alarms)
            if self._sleeps_until(*alarm):
                self.wake(alarm[-1], State.PARKED)
        if not self._in_order:
            self._awake = dict.fromkeys(sorted(self._awake, key=_turn))
            self._in_order = True
        return [task for task in self._awake if task.state in _GOES_ON or self._is_let(task)]

    def wake(self, task: Task, state: State) -> None:
        """Whoever is parked has been notified, or has waited long enough."""
        task.state = state
        self._awake[task] = None
        self._in_order = False

    def point(self, task: Task, access: Access | None = None) -> None:
        """A scheduling point: before it touches this, another thread may go first."""
        self.points += 1
        if self.points >= self.stop:
            self.at_point(task, access)

    def at_point(self, task: Task, access: Access | None) -> None:
        """A point at which somebody has to be asked."""
        if self.aborting:
            raise Abort
        if self.points >= self.strategy.stop:
            task.access = access if access is None or self._is_seen() else access.by_others()
            chosen = self.strategy.at_point(self, task)
            if chosen is not task:
                self._pass_on(task, chosen)
            task.access = None
        if self.points >= self._limit:
            self._stop_spinning(task)
        if access is not None and access.lock is None:
            self.begins(task)
        self._arm(task)

    def _stop_spinning(self, task: Task) -> None:
        """It has gone on for long: let others go on, and if that changes nothing, take it to wait."""
        self._yields += 1
        self.exact = False
        if self._yields >= (SPINS_KNOWN if self.known_to_spin else SPINS):
            self.known_to_spin = True
            if self._watches_time:  # it would see time pass, where only waiting lets time pass
                self.lost = True
                self.watch.is_over()
                task.gate.acquire()
                raise Abort
            task.state = State.SPINS
            self.block(task)
            task.state = State.READY
        elif others := [other for other in self.ready() if other is not task]:
            self._pass_on(task, others[0])
        self._limit = self.points + YIELDS

    def time_is_looked_at(self) -> None:
        self._watches_time = True

    def will_begin(self, task: Task, begin: Callable[[], None]) -> None:
        """``begin`` is to be called when the task next touches something."""
        task.begin = begin
        self._arm(task)

    def begins(self, task: Task) -> None:
        """The task touches something: whatever it was asked to do begins here, and not earlier."""
        begin, task.begin = task.begin, None
        if begin is not None:
            begin()

    def new_lock(self, lock: Holdable) -> Access:
        """What it is to acquire a lock made just now."""
        self._locks += 1
        return Access(ANY_LOCK if self.tracer else place(f"lock {self._locks}"), writes=True, lock=lock)

    def new_name(self) -> str:
        """For a thread that the candidate starts."""
        self._threads += 1
        return f"thread {self._threads}"

    def block(self, task: Task) -> None:
        """The state of the task says what it waits for; returns when it may look again."""
        if task.state is not State.SPINS:
            self._yields = 0
        if task.state is State.PARKED:
            self._park(task)
        if self.witness is not None:
            self.witness(task, self._where())
        ready = self.ready()
        if ready:
            chosen = self.strategy.when_blocked(self, ready)
            self._take_turn(task, None)
            if chosen is not task:
                self._hand_over(task, chosen)
        else:
            self._take_turn(task, None)
            self.watch.is_over()
            task.gate.acquire()
        if self.aborting:
            raise Abort
        self._arm(task)

    def due(self, task: Task) -> bool:
        return task.deadline is not None and task.deadline <= self.now

    def in_future(self, seconds: float) -> Nanoseconds:
        """The instant so many seconds from now; never now, unless it is to be now."""
        span = round(seconds * SECOND)
        return self.now + (span or int(seconds > 0))

    def time_out(self, task: Task, seconds: float) -> Nanoseconds:
        """When a wait of the task for so many seconds is over.

        Who waits for no time at all, and at once again, would do so for ever if none passed: the clock goes on.
        """
        if seconds > 0:
            return self.in_future(seconds)
        again, task.impatient = task.impatient == self.now, self.now
        return self.now + again

    def leave(self, task: Task) -> None:
        """The task has done its job: somebody else's turn."""
        self._yields = 0
        task.state = State.IDLE
        self._awake.pop(task, None)
        task.deadline = task.access = task.begin = None
        ready = [] if self.aborting else self.ready()
        if ready:
            chosen = self.strategy.when_blocked(self, ready)
            self._take_turn(task, None)
            self._switch_to(chosen)
            chosen.gate.release()
        else:
            self._take_turn(task, None)
            self.watch.is_over()

    def _park(self, task: Task) -> None:
        self._awake.pop(task, None)
        if task.deadline is not None:
            heapq.heappush(self._alarms, (task.deadline, task.turn, task))

    def _is_let(self, task: Task) -> bool:
        """Whether what it waits for, though it is not parked, has come."""
        match task.state:
            case State.WANTS_LOCK:
                return not (task.wants and task.wants.held) or self.due(task)
            case State.JOINS:
                return task.joins is None or task.joins.state is State.IDLE or self.due(task)
        return False

    def _pass_on(self, task: Task, chosen: Task) -> None:
        if self.witness is not None:
            self.witness(task, self._where())
        self._take_turn(task, self.points - self._since)
        self._hand_over(task, chosen)

    def _hand_over(self, task: Task, chosen: Task) -> None:
        self._switch_to(chosen)
        chosen.gate.release()
        task.gate.acquire()
        if self.aborting:
            raise Abort

    def _take_turn(self, task: Task, points: int | None) -> None:
        self.trail.append((task.name, points))
        self._since = self.points

    def _switch_to(self, task: Task) -> None:
        self._turns += 1
        task.turn = self._turns
        if task in self._awake:
            del self._awake[task]
            self._awake[task] = None
        self.current = task
        self._limit = self.points + YIELDS
        self._arm(task)

    def _arm(self, task: Task) -> None:
        asked = 0 if task.begin is not None or self.aborting else self.strategy.stop
        self.stop = min(asked, self._limit)

    def _is_seen(self) -> bool:
        """Whether it is the candidate's own code that comes to this point, and no library's."""
        frame = _outside_engine()
        return self.tracer is None or (frame is not None and frame.f_code.co_filename in self.tracer.files)

    def _where(self) -> FrameType | None:
        """Where in the candidate's files the thread that calls is."""
        frame = _outside_engine()
        while frame is not None and self.tracer and frame.f_code.co_filename not in self.tracer.files:
            frame = frame.f_back
        return frame


_HERE = str(PurePath(__file__).parent)


def _outside_engine() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame


active: Scheduler | None = None
"""The scheduler whose candidate is running: one at a time in a process."""


def controlled() -> tuple[Scheduler, Task] | None:
    """The scheduler and the controlled thread that calls; None for every other thread."""
    if must_end():
        raise Abort
    scheduler = active
    if scheduler is None:
        return None
    task = scheduler.me()
    return None if task is None else (scheduler, task)
