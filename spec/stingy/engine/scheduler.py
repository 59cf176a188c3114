"""Exactly one controlled thread runs at a time; when none can, that is known at once.

Control passes by direct hand-off, one raw lock per thread. The thread that drives (a rule's) is not
controlled: it lets the others run until they are *quiet* – nobody can go on unless time passes – and
moves virtual time. So "it still waits" is an observation, not a time-out.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from pathlib import PurePath
from threading import Thread
from types import FrameType

from stingy.contract import SECOND, Nanoseconds
from stingy.engine import scarcity
from stingy.engine.carrier import frames_of, get_ident
from stingy.engine.life import Life, plain_thread
from stingy.engine.operands import Spot
from stingy.engine.places import Access, Holdable
from stingy.engine.polling import MOMENT, Polling, Round
from stingy.engine.pool import POOL, abandon, must_end
from stingy.engine.task import Abort, State, Task, Tracing
from stingy.engine.wallclock import MONOTONIC_ORIGIN, WallClock
from stingy.engine.watch import Watch
from stingy.language.order import Turn
from stingy.testimony import describe

YIELDS = 2_000
"""Scheduling points in a row after which a thread lets another one go on: it may be waiting for it."""
LONG = 100
"""Scheduling points of a turn that is long: whatever it does in a loop has been seen by then."""
YIELDS_KNOWN = 100
"""The same, where one has waited so before."""

HELPED = 3
"""So many times in a row others may help a thread, until it is looked at whether it goes round in a loop."""
PINGS = 1_000
"""So many times in a row threads that wait in loops are let look what others have done."""
SPINS = 200_000
"""Scheduling points in a row after which a thread is taken to wait in a loop of its own, though it counts."""
SPINS_ON_FOOT = 6_000
"""The same where it goes round, as far as can be seen."""

MOMENTS = 10_000
"""So many of them in a row, and a thread is taken to spin with a time-out that has long passed."""


class LostControl(Exception):  # noqa: N818 - the candidate is no error
    """A thread blocks or spins where the scheduler cannot see it."""


_READY, _PARKED, _WANTS_LOCK = State.READY, State.PARKED, State.WANTS_LOCK  # to look them up takes its time

_WAITS = (State.PARKED, State.JOINS)
"""States in which somebody waits for what others do, and not only for their being done with it."""

_turn = attrgetter("turn")

NEVER = 1 << 62
"""A scheduling point that no run comes to."""


class Fair:
    """Who goes next: each runs until it blocks; then who has waited longest."""

    stop = NEVER
    """The scheduling point from which on ``at_point`` is to be asked."""
    looks = False
    """Whether it asks what threads are about to touch."""

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:  # noqa: ARG002
        """At a scheduling point, where the current thread could go on."""
        return current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        """Where it cannot. ``ready`` is in fair order."""
        return ready[0]

    def released_by(self, task: Task, lock: Holdable) -> None: ...

    def started(self, name: str) -> None:
        """The thread whose turn it is has started one of this name."""

    def call_begins(self) -> None:
        """A call of the thread whose turn it is does."""

    def call_ends(self) -> None: ...

    def time_passes(self) -> None:
        """Nobody could go on, until a deadline came."""

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
        self.looks = 0
        """How often a thread has woken because its time had come."""
        self.tracer: Tracing | None = None
        """Makes scheduling points in the candidate's own code while it is set."""
        self.watch = Watch(self)
        self.polling = Polling(self)
        self.points = 0
        """How many scheduling points there have been under this strategy."""
        self.stop = 0
        """At which of them somebody has to be asked."""
        self.exact = True
        """Whether the same choices would surely lead to the same again."""
        self.unseen = ""
        """Code that has run under this strategy, and in which no scheduling points are made."""
        self.trail: list[Turn] = []
        """The turns taken under this strategy."""
        self.witness: Witness | None = None
        self.driver = get_ident()
        """The thread that drives."""
        self.files: frozenset[str] = frozenset()
        """Those that the candidate's own code stands in, once they are known."""
        self.escaped = ""
        """What the candidate does that cannot be followed, if it has been seen to."""
        self.deaths: list[tuple[str, str]] = []
        """Which threads of the candidate have been ended by what they raised, and that."""
        self._limit = YIELDS
        self._long = LONG
        """The scheduling point at which the turn is long."""
        self._yields = 0
        """How often since something last came of it a thread had to be stopped."""
        self._rounds: dict[Task, Round] = {}
        """Those that are looked at, whether they go round."""
        self._rested_at = 0
        """The scheduling point at which somebody came to rest last, having done something."""
        self._progress = 0
        """How often somebody has done something, and come to rest or to its end."""
        self._keeping: set[Task] = set()
        """Those that wait in a loop with a lock that they never let go."""
        self._spun: dict[Task, int] = {}
        """How far progress was when somebody was taken to wait in a loop."""
        self._watches_time = False
        self._moments = 0
        """How many deadlines in a row were next to no time apart."""
        self._since = 0
        """The scheduling point at which the current turn began."""
        self._stirred: dict[Task, None] = {}
        """Those that have run since all was quiet."""
        self._turns = 0
        self._threads = 0
        self._kind = "thread"

    # For the thread that drives.

    @property
    def turn(self) -> int:
        """The number of the turn that somebody has."""
        return self._turns

    @property
    def traced(self) -> bool:
        return self.tracer is not None

    def follow(self, strategy: Fair, tracer: Tracing | None = None) -> None:
        """Run in this order from now on, with scheduling points in the candidate's own code if it is traced."""
        self.strategy.over(self)
        self._end_long_turn()
        self.strategy = strategy
        self.tracer = tracer
        self.points = self._since = self._rested_at = 0
        self._let_go_on()
        self.trail = []
        self.exact = True
        self.unseen = ""

    def start(
        self, name: str, job: Callable[[], None], task: Task | None = None, thread: Thread | None = None
    ) -> Task:
        """Give a job to a thread; it runs when the scheduler is next let run.

        A new one is ``thread`` to the code that runs in it.
        """
        if task is None:
            task = self.start_raw(name, job)
            task.life = Life(thread or plain_thread(name), name, task.ident, task.native_id)
            return task
        return self._give(task, name, job)

    def start_raw(self, name: str, job: Callable[[], None]) -> Task:
        """The same for a new thread that is no Thread to the code that runs in it. RuntimeError if there can be no more of them."""
        scarcity.look_at_threads(len(self.tasks))
        task = POOL.take()
        self.tasks.append(task)
        return self._give(task, name, job)

    def _give(self, task: Task, name: str, job: Callable[[], None]) -> Task:
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
        self.polling.disturbed(self._have_stirred())
        while not over() and self._goes_on_by(end, self.strategy.time_passes):
            pass

    def advance(self, span: Nanoseconds) -> None:
        """Let virtual time pass, stopping at every deadline on the way."""
        end = self.now + span
        self._run()
        self.polling.disturbed(self._have_stirred())
        while self._goes_on_by(end):
            pass
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
                task.bury()
                abandon(task.ident)
        self._end_long_turn()
        self.tasks = []
        self._awake.clear()
        self._alarms.clear()
        self.current = None

    def _goes_on_by(self, end: Nanoseconds, time_passes: Callable[[], None] = lambda: None) -> bool:
        """Let time pass until somebody's time has come, if it comes by then; whether it has."""
        if self.polling.jump(end):
            self.exact = False  # other orders of what was jumped over are not known
        due = self.next_deadline()
        if due is None or due > end:
            return False
        time_passes()
        self.looks += 1
        self._run_at(due)
        self.polling.look(self._have_stirred())
        return True

    def _have_stirred(self) -> Sequence[Task]:
        """Those that have run since this was asked last."""
        stirred, self._stirred = tuple(self._stirred), {}
        return stirred

    def _run_at(self, due: Nanoseconds) -> None:
        """Let time pass until then, and those run whose time has come."""
        self._moments = self._moments + 1 if due - self.now < MOMENT else 0
        if self._moments > MOMENTS:
            raise LostControl("a thread of the candidate waits for next to no time, again and again")
        self.now = max(self.now, due)
        self._run()

    def _run(self) -> None:
        if self.escaped:
            raise LostControl(self.escaped)
        if self.lost:
            raise LostControl("a thread of the candidate is out of control")
        spinning = [task for task in self._awake if task.state is State.SPINS]
        for _ in range(PINGS):
            for task in spinning:
                task.state, task.deadline = State.READY, None
            self._yields = 0
            self._rested_at = self.points
            self._let_go_on()
            if ready := self.ready():
                self._hand_to(self.strategy.when_blocked(self, ready))
                if self.escaped:
                    raise LostControl(self.escaped)
                if self.lost:
                    raise LostControl(self._whereabouts())
            spinning = [task for task in self._awake if self._may_be_helped(task)]
            if not spinning:
                return
        raise LostControl("threads of the candidate wait in loops, and keep each other busy")

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
        frames = frames_of(task.ident) if task else ()
        where = f" at {PurePath(frames[0].f_code.co_filename).name}:{frames[0].f_lineno}" if frames else ""
        return f"{task.name if task else 'a thread'} blocks or runs on{where}, where it cannot be followed"

    def next_deadline(self) -> Nanoseconds | None:
        """When the first of those wakes who sleep, or wait with a time-out; None if there is none."""
        while self._alarms and not self._sleeps_until(*self._alarms[0]):
            heapq.heappop(self._alarms)
        deadlines = [task.deadline for task in self._awake if task.deadline is not None]
        return min((*deadlines, *(alarm[0] for alarm in self._alarms[:1])), default=None)

    # For those who look again and again.

    def timed(self) -> Iterable[Task]:
        yield from (task for task in self._awake if task.deadline is not None)
        yield from (alarm[-1] for alarm in self._alarms if self._sleeps_until(*alarm))

    def put_off(self, task: Task, due: Nanoseconds) -> None:
        task.deadline = due
        if task not in self._awake:
            heapq.heappush(self._alarms, (due, task.turn, task))

    def origins(self) -> Iterable[Nanoseconds]:
        return MONOTONIC_ORIGIN, WallClock.origin + self.stepped

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
                task = alarm[-1]
                self.wake(task, State.PARKED if task.wants is None else State.WANTS_LOCK)
        if not self._in_order:
            self._awake = dict.fromkeys(sorted(self._awake, key=_turn))
            self._in_order = True
        return [
            task
            for task in self._awake
            if (state := task.state) is _READY or state is _PARKED or self._is_let(task)
        ]

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

    def at_point(self, task: Task, access: Access | None, frame: FrameType | None = None) -> None:
        """A point at which somebody has to be asked. ``frame``: where in the candidate's own code it is, if that is known."""
        if self.aborting:
            raise Abort
        strategy = self.strategy
        if self.points >= strategy.stop:
            if access is not None and strategy.looks:
                access = self._look_closely(task, access, frame)
            task.access = access
            chosen = strategy.at_point(self, task)
            if chosen is not task:
                self._pass_on(task, chosen)
            task.access = None
        if self.points >= self._long:
            self._long = NEVER
            if self.tracer is not None:
                self.tracer.thin()
        if self._rounds and task in self._rounds:
            self._look_at(task, self._rounds[task])
        elif self.points >= self._limit:
            self._stop_spinning(task)
        if access is not None and access.lock is None and task.begin is not None:
            self.begins(task)
        self._arm(task)

    def _stop_spinning(self, task: Task) -> None:
        """It has gone on for long: let others go on, and if that changes nothing, take it to wait."""
        self.exact = False
        self._yields += 1
        self._let_go_on()
        others = [other for other in self.ready() if other is not task]
        if not others or self._yields >= HELPED:
            self._rounds[task] = Round()
        if others:
            self._pass_on(task, others[0])

    def _look_at(self, task: Task, round_: Round) -> None:
        """Whether it goes round."""
        self.exact = False
        going = self.points - self._rested_at
        ends = (round_.ends(_outside_engine()) and self._may_spin(going)) or going > SPINS
        known = round_.known_at == self._progress
        if not (ends or known):
            if round_.is_none:
                del self._rounds[task]
        elif not self._is_in_the_way(task):
            self._spin(task, round_)
        elif ends and known:  # it keeps the lock for ever
            self._keeping.add(task)
            self._spin(task, round_)
        else:
            round_.known_at = self._progress

    def _spin(self, task: Task, round_: Round) -> None:
        """It waits in a loop of its own: until somebody else has done something, or time has passed if it looks at the clock."""
        self.known_to_spin = True
        if round_.looks_at_clock:
            if not self.polling.allowed or round_.begun is None:
                self.lost = self._watches_time = True
                self.watch.is_over()
                task.gate.acquire()
                raise Abort
            task.deadline = round_.next_look(self.now, self.origins())
        self._progress += task not in self._spun or bool(round_.times)
        self._spun[task] = self._progress
        self._let_go_on()
        task.state = State.SPINS
        self.block(task)
        task.state, task.deadline = State.READY, None
        self._keeping.discard(task)
        self._rounds[task] = round_.again()

    def _may_spin(self, going: int) -> bool:
        """Whether it is enough that it goes round, as far as can be seen: nothing is to be held against it then."""
        self.polling.jumped |= self.polling.allowed
        return self.polling.allowed or going > SPINS_ON_FOOT

    def _may_be_helped(self, task: Task) -> bool:
        """Whether it waits in a loop, and somebody has done something since."""
        if task.state is not State.SPINS:
            return False
        return self._spun[task] < self._progress or (task not in self._keeping and self._is_in_the_way(task))

    def _is_in_the_way(self, task: Task) -> bool:
        """Whether somebody waits for a lock that it holds."""
        return any(
            other.wants is not None and other.wants.owner is task and other.wants.held
            for other in self._awake
            if other.state is State.WANTS_LOCK
        )

    def _let_go_on(self) -> None:
        """Nobody is looked at, whether he goes round, before so many more points."""
        self._limit = self.points + (YIELDS_KNOWN if self.known_to_spin else YIELDS)

    def _gets_on(self, task: Task) -> None:
        """It has done something, and comes to rest or to its end."""
        self._rounds.pop(task, None)
        self._yields = 0
        self._progress += 1
        self._rested_at = self.points
        self._let_go_on()

    def time_is_looked_at(self) -> None:
        if self.current is not None and self.current in self._rounds:
            self._rounds[self.current].looks_at_clock = True

    def will_begin(self, task: Task, begin: Callable[[], None]) -> None:
        """``begin`` is to be called when the task next touches something."""
        task.begin = begin
        self._arm(task)

    def begins(self, task: Task) -> None:
        """The task touches something: whatever it was asked to do begins here, and not earlier."""
        begin, task.begin = task.begin, None
        if begin is not None:
            begin()

    def new_name(self) -> str:
        """For a thread that the candidate starts."""
        self._threads += 1
        return f"{self._kind} {self._threads}"

    def count_threads(self, kind: str) -> None:
        """From the first on: those that are started from now on are of this kind."""
        self._kind, self._threads = kind, 0

    def escapes(self, how: str) -> None:
        """It does what cannot be followed: nobody is to be judged by what is seen from now on."""
        self.escaped = self.escaped or how

    def ends_by(self, name: str, error: BaseException) -> None:
        """Nobody is there to catch what a thread of the candidate has raised; to exit is its good right."""
        if not isinstance(error, SystemExit):
            self.deaths.append((name, describe(error)))

    def block(self, task: Task) -> None:
        """The state of the task says what it waits for; returns when it may look again."""
        if task.state in _WAITS or (task.state is State.WANTS_LOCK and task.deadline is not None):
            self._gets_on(task)
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
            self._wait_for_its_turn(task)
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
        self._gets_on(task)
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
        if task.state is _WANTS_LOCK:
            return not (task.wants and task.wants.held) or self.due(task)
        if task.state is State.SPINS:
            return self.due(task)
        if task.state is State.JOINS:
            return task.joins is None or task.joins.is_over or self.due(task)
        return False

    def _pass_on(self, task: Task, chosen: Task) -> None:
        if self.witness is not None:
            self.witness(task, self._where())
        self._take_turn(task, self.points - self._since)
        self._hand_over(task, chosen)

    def _hand_over(self, task: Task, chosen: Task) -> None:
        self._switch_to(chosen)
        chosen.gate.release()
        self._wait_for_its_turn(task)
        if self.aborting:
            raise Abort

    def _wait_for_its_turn(self, task: Task) -> None:
        """Come back in its own thread; a race may have begun meanwhile, or ended."""
        task.gate.acquire()
        task.be_traced(self.tracer)

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
        self._stirred[task] = None
        self._end_long_turn()
        self._long = self.points + LONG
        self._arm(task)

    def _end_long_turn(self) -> None:
        if self._long == NEVER and self.tracer is not None:
            self.tracer.thicken()

    def _arm(self, task: Task) -> None:
        asked = self.strategy.stop
        if asked == 0 or task.begin is not None or self.aborting or task in self._rounds:
            self.stop = 0
        else:
            self.stop = min(asked, self._limit, self._long)

    def _look_closely(self, task: Task, access: Access, frame: FrameType | None) -> Access | None:
        """What it is that the thread is about to touch, as it stands."""
        returned, task.returned = task.returned, None
        if self.tracer is None:
            return access
        files = self.tracer.files
        if frame is None:
            frame = _outside_engine()
            if frame is None or frame.f_code.co_filename not in files:
                return access.by_others()
        return access.seen_from(Spot(frame, files, returned))

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


def find_caller() -> tuple[Scheduler, Task] | None:
    """The scheduler and the controlled thread that calls; None for every other thread."""
    scheduler = active
    if scheduler is not None:
        task = scheduler.current
        if task is not None and task.ident == get_ident():
            return scheduler, task
    if must_end():
        raise Abort
    return None
