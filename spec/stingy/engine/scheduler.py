"""Scheduler: exactly one controlled thread runs at a time; when none can, that is known at once.

Control passes by direct hand-off, with one raw lock per thread. The driving thread, which runs the
rule, is not controlled. It lets the others run until they are *quiet*: none can run unless time
passes. It also moves virtual time. So a rule can observe that a call still waits, and needs no
time-out to guess it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import PurePath
from threading import Thread
from types import FrameType

from stingy.contract import Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.testimony import describe
from stingy.engine import scarcity
from stingy.engine.busyloops import BusyLoops
from stingy.engine.carrier import frames_of, get_ident
from stingy.engine.frames import outside_engine
from stingy.engine.life import Life, plain_thread
from stingy.engine.lineup import Lineup
from stingy.engine.operands import Returned, Spot
from stingy.engine.places import Access, Holdable
from stingy.engine.polling import Polling
from stingy.engine.pool import POOL, abandon, must_end
from stingy.engine.record import Record
from stingy.engine.task import Abort, State, Task, Tracing
from stingy.engine.virtualtime import VirtualTime
from stingy.engine.watch import Watch

LONG = 100
"""Scheduling points after which a turn is long, and its loops make fewer points.

Further rounds of a loop would show nothing new.
"""
PINGS = 1_000
"""How often in a row busy loops may react to each other before control is given up."""


class LostControl(Exception):  # noqa: N818 - the candidate is no error
    """A thread blocks or spins where the scheduler cannot see it."""


_WAITS = (State.PARKED, State.JOINS)
"""States in which a thread waits for what others do, and not only for the release of a lock."""

NEVER = 1 << 62
"""The number of a scheduling point that no run reaches."""


class Fair:
    """Fair strategy: a thread runs until it blocks; then the one that has waited longest runs."""

    stop = NEVER
    """The number of the scheduling point from which on ``at_point`` is called."""
    looks = False
    """True if the strategy needs to know what threads are about to touch."""

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:  # noqa: ARG002
        """Return the thread to run, at a scheduling point where the current one can continue."""
        return current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        """Return the thread to run, as the current one cannot. ``ready`` is in fair order."""
        return ready[0]

    def released_by(self, task: Task, lock: Holdable) -> None: ...

    def started(self, name: str) -> None:
        """Called after the current thread has started a thread of this name."""

    def call_begins(self) -> None:
        """Called as the current thread begins a call to the candidate."""

    def call_ends(self) -> None: ...

    def time_passes(self) -> None:
        """Called before time passes to the next deadline, since no thread can run."""

    def over(self, scheduler: Scheduler) -> None:
        """Called as the run is over, or another strategy takes over."""


Witness = Callable[[Task, FrameType | None], None]
"""Called with the thread that stops running, and its frame in the candidate's files or None."""
Onlooker = Callable[[Task, Access, Spot], None]
"""Called with a thread, what its next instruction touches, and where in the candidate's code it is."""


class Scheduler:
    """Runs the threads of one candidate in one session, one at a time."""

    def __init__(self, strategy: Fair) -> None:
        self.strategy = strategy
        self.record = Record()
        """The turns under this strategy."""
        self.points = 0
        """How many scheduling points there have been under this strategy."""
        self.stop = 0
        """The scheduling point from which on ``at_point`` has to be called."""
        self.time = VirtualTime()
        self.lineup = Lineup(self.time)
        self.polling = Polling(self.time, self.lineup)
        self.loops = BusyLoops(self.time, self.lineup, self.polling)
        self.watch = Watch()
        self.tasks: list[Task] = []
        """All threads of the session; one without a job may get another."""
        self.locks: list[Holdable] = []
        """All locks that were created in the session."""
        self.current: Task | None = None
        self.aborting = False
        self.lost = False
        """True if a thread is out of control: it blocks or spins where this cannot be seen."""
        self.tracer: Tracing | None = None
        """Makes scheduling points in the candidate's own code; None while there are to be none."""
        self.witness: Witness | None = None
        """Called whenever a thread stops running; None while nothing has to be recorded."""
        self.onlooker: Onlooker | None = None
        """Called before each instruction that touches something; None while nothing has to be recorded."""
        self.driver = get_ident()
        """Ident of the driving thread."""
        self.files: frozenset[str] = frozenset()
        """Files with the candidate's own code; empty until they are known."""
        self.escaped = ""
        """A clause that names what the candidate did outside control, such as "it starts another process".

        Empty if it did nothing of the kind.
        """
        self.deaths: list[tuple[str, str]] = []
        """Name and exception of each thread of the candidate that an exception has ended."""
        self._long = LONG
        """The scheduling point at which the current turn is long; NEVER once it is."""
        self.count_threads("thread")

    # Called by the driving thread.

    def follow(self, strategy: Fair, tracer: Tracing | None = None) -> None:
        """Use this strategy from now on, and count points and turns anew.

        ``tracer`` makes scheduling points in the candidate's own code.
        """
        self.strategy.over(self)
        self._end_long_turn()
        self.strategy = strategy
        self.tracer = tracer
        self.record = Record()
        self.points = 0
        self.loops.restart(0)

    def start(
        self, name: str, job: Callable[[], None], task: Task | None = None, thread: Thread | None = None
    ) -> Task:
        """Give a job to a thread; it runs when the scheduler next lets threads run.

        Without ``task``, a new thread is taken, and ``thread`` is what its code sees as the current
        Thread. RuntimeError if there can be no more threads.
        """
        if task is None:
            task = self.start_raw(name, job)
            task.life = Life(thread or plain_thread(name), name, task.ident, task.native_id)
            return task
        return self._give(task, name, job)

    def start_raw(self, name: str, job: Callable[[], None]) -> Task:
        """Give a job to a new thread without a Thread object.

        RuntimeError if there can be no more threads.
        """
        scarcity.look_at_threads(len(self.tasks))
        task = POOL.take()
        self.tasks.append(task)
        return self._give(task, name, job)

    def _give(self, task: Task, name: str, job: Callable[[], None]) -> Task:
        task.name = name
        task.job, task.host = job, self
        self.lineup.enter(task)
        return task

    def settle(self, patience: Nanoseconds = 0, over: Callable[[], bool] = lambda: False) -> None:
        """Let threads run until all are quiet.

        Up to ``patience`` nanoseconds of virtual time may pass for threads that sleep or wait with
        a time-out. No more time passes once ``over`` returns True. LostControl is raised if a
        thread blocks or spins where the scheduler cannot see it.
        """
        end = self.time.now + patience
        self._run()
        self.polling.disturbed(self.lineup.take_ran())
        while not over() and self._run_next_deadline(end, self.strategy.time_passes):
            pass

    def advance(self, span: Nanoseconds) -> None:
        """Let ``span`` nanoseconds of virtual time pass, and stop at every deadline on the way.

        LostControl is raised if a thread blocks or spins where the scheduler cannot see it.
        """
        end = self.time.now + span
        self._run()
        self.polling.disturbed(self.lineup.take_ran())
        while self._run_next_deadline(end):
            pass
        self.time.now = end
        self._run()

    def close(self) -> None:
        """Unwind every thread and return it to the pool; give up those that do not unwind."""
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
        for lock in self.locks:
            lock.forget()
        self.tasks, self.locks = [], []
        self.lineup.clear()
        self.current = None

    def _run_next_deadline(self, end: Nanoseconds, time_passes: Callable[[], None] = lambda: None) -> bool:
        """Let time pass to the next deadline and run threads; False if none comes by ``end``."""
        if self.polling.jump(end):
            self.record.exact = False  # orders within the time jumped over are not known
        due = self.lineup.next_deadline()
        if due is None or due > end:
            return False
        time_passes()
        if not self.time.move_to(due):
            raise LostControl("a thread of the candidate waits for next to no time, again and again")
        self._run()
        self.polling.look(self.lineup.take_ran())
        return True

    def _run(self) -> None:
        """Let threads run until none can, unless time passes."""
        if self.escaped:
            raise LostControl(self.escaped)
        if self.lost:
            raise LostControl("a thread of the candidate is out of control")
        spinning = self.lineup.in_state(State.SPINS)
        for _ in range(PINGS):
            for task in spinning:
                task.state, task.deadline = State.READY, None
            self.loops.restart(self.points)
            if ready := self.lineup.ready():
                self._hand_to(self.strategy.when_blocked(self, ready))
                if self.escaped:
                    raise LostControl(self.escaped)
                if self.lost:
                    raise LostControl(self._whereabouts())
            spinning = [*filter(self.loops.must_look_again, self.lineup.in_state(State.SPINS))]
            if not spinning:
                return
        raise LostControl("threads of the candidate wait in loops, and keep each other busy")

    def _hand_to(self, task: Task) -> None:
        """Let a thread run, and those it hands over to; return when none can run."""
        self._switch_to(task)
        try:
            self.lost = not self.watch.wait_until_quiet(self) or self.lost
        except BaseException:  # such as KeyboardInterrupt: the session is over
            self.aborting = True
            self.stop = 0
            self.lost = not self.watch.waits()
            raise

    def _whereabouts(self) -> str:
        task = self.current
        if task is not None and self.loops.has_given_up(task):
            return f"{task.name} spins, and looks at the clock"
        frames = frames_of(task.ident) if task else ()
        where = f" at {PurePath(frames[0].f_code.co_filename).name}:{frames[0].f_lineno}" if frames else ""
        return f"{task.name if task else 'a thread'} blocks or runs on{where}, where it cannot be followed"

    # Called by controlled threads.

    def me(self) -> Task | None:
        """Return the calling thread if it is under control; None otherwise."""
        task = self.current
        return task if task is not None and task.ident == get_ident() else None

    def point(self, task: Task, access: Access | None = None) -> None:
        """Make a scheduling point: before ``task`` makes ``access``, another thread may run."""
        self.points += 1
        if self.points >= self.stop:
            self.at_point(task, access)

    def at_point(self, task: Task, access: Access | None, frame: FrameType | None = None) -> None:
        """Handle a scheduling point at which the strategy or one of the limits has to be checked.

        ``frame`` is the frame of the candidate's own code at the point; None if it is not known.
        """
        if self.aborting:
            raise Abort
        strategy = self.strategy
        if self.points >= strategy.stop:
            if access is not None and strategy.looks:
                access = self._resolve(task, access, frame)
            task.access = access
            chosen = strategy.at_point(self, task)
            if chosen is not task:
                self._pass_on(task, chosen)
            task.access = None
        if self.points >= self._long:
            self._long = NEVER
            if self.tracer is not None:
                self.tracer.thin()
        loops = self.loops
        if loops.suspects and task in loops.suspects:
            self.record.exact = False
            if loops.recognise(task, self.points):
                self._spin(task)
        elif self.points >= loops.limit:
            self._let_others_run(task)
        if access is not None and access.lock is None and task.begin is not None:
            self.begins(task)
        if self.onlooker is not None and access is not None:
            self._show(self.onlooker, task, access, frame)
        self._arm(task)

    def _show(self, onlooker: Onlooker, task: Task, access: Access, frame: FrameType | None) -> None:
        """Show the onlooker an access that no other thread can come before any more."""
        returned, task.returned = task.returned, None
        spot = self._find_spot(frame, returned)
        if spot is not None:
            onlooker(task, access, spot)

    def _let_others_run(self, task: Task) -> None:
        """Let others run after this thread has run for long."""
        self.record.exact = False
        others = [other for other in self.lineup.ready() if other is not task]
        self.loops.stop(task, self.points, others)
        if others:
            self._pass_on(task, others[0])

    def _spin(self, task: Task) -> None:
        """Let a thread in a busy loop stand still until it has to look again."""
        if not self.loops.stand_still(task, self.points):
            self.lost = True
            self.watch.is_over()
            task.gate.acquire()
            raise Abort
        self.block(task)
        self.loops.go_on(task)

    def will_begin(self, task: Task, begin: Callable[[], None]) -> None:
        """Arrange that ``begin`` is called when the thread next touches something.

        ``begin`` records the start of the thread's call to the candidate.
        """
        task.begin = begin
        self._arm(task)

    def begins(self, task: Task) -> None:
        """Record that the thread's call to the candidate begins now, unless it has begun before."""
        begin, task.begin = task.begin, None
        if begin is not None:
            begin()

    def new_name(self) -> str:
        """Return a name for a thread that the candidate starts."""
        return next(self._names)

    def count_threads(self, kind: str) -> None:
        """Name threads that are started from now on "{kind} 1", "{kind} 2" and so on."""
        self._names = (f"{kind} {number}" for number in count(1))

    def escapes(self, how: str) -> None:
        """Record what the candidate does that cannot be controlled; ``how`` is a clause.

        Observations made from now on prove nothing.
        """
        self.escaped = self.escaped or how

    def ends_by(self, name: str, error: BaseException) -> None:
        """Record that an exception other than SystemExit ended a thread of the candidate."""
        if not is_a(error, SystemExit):
            self.deaths.append((name, describe(error)))

    def block(self, task: Task) -> None:
        """Block a thread until its wait may be over, which the caller then checks.

        ``task.state`` says what the thread waits for.
        """
        if task.state in _WAITS or (task.state is State.WANTS_LOCK and task.deadline is not None):
            self.loops.note_progress(task, self.points)
        if task.state is State.PARKED:
            self.lineup.park(task)
        if self.witness is not None:
            self.witness(task, self._where())
        if not self._give_way(task, self.lineup.ready()):
            self._wait_for_its_turn(task)
        if self.aborting:
            raise Abort
        self._arm(task)

    def leave(self, task: Task) -> None:
        """End the job of a thread, and let another one run."""
        self.loops.note_progress(task, self.points)
        task.state = State.IDLE
        self.lineup.leave(task)
        task.deadline = task.access = task.begin = None
        self._give_way(task, [] if self.aborting else self.lineup.ready())

    def _give_way(self, task: Task, ready: Sequence[Task]) -> bool:
        """Let one of the ready threads run, as ``task`` cannot; return whether it is ``task`` after all."""
        chosen = self.strategy.when_blocked(self, ready) if ready else None
        self.record.end_turn(task.name, self.points, blocked=True)
        if chosen is None:
            self.watch.is_over()
        elif chosen is not task:
            self._switch_to(chosen)
        return chosen is task

    def _pass_on(self, task: Task, chosen: Task) -> None:
        if self.witness is not None:
            self.witness(task, self._where())
        self.record.end_turn(task.name, self.points, blocked=False)
        self._switch_to(chosen)
        self._wait_for_its_turn(task)
        if self.aborting:
            raise Abort

    def _wait_for_its_turn(self, task: Task) -> None:
        """Wait for the calling thread's turn, then switch its tracing if a race began or ended."""
        task.gate.acquire()
        task.be_traced(self.tracer)

    def _switch_to(self, task: Task) -> None:
        """Let a thread run from now on; the caller must wait."""
        self.lineup.take_turn(task)
        self.current = task
        self._end_long_turn()
        self._long = self.points + LONG
        self._arm(task)
        task.gate.release()

    def _end_long_turn(self) -> None:
        if self._long == NEVER and self.tracer is not None:
            self.tracer.thicken()

    def _arm(self, task: Task) -> None:
        """Set ``stop`` for the thread that runs."""
        asked, loops = self.strategy.stop, self.loops
        if asked == 0 or self.aborting or task.begin or self.onlooker or task in loops.suspects:
            self.stop = 0
        else:
            self.stop = min(asked, loops.limit, self._long)

    def _resolve(self, task: Task, access: Access, frame: FrameType | None) -> Access | None:
        """Return the access with the objects that the thread is about to touch.

        None if it touches nothing that can change. ``access`` itself while no code is traced.
        """
        returned, task.returned = task.returned, None
        if self.tracer is None:
            return access
        spot = self._find_spot(frame, returned)
        return access.by_others() if spot is None else access.seen_from(spot)

    def _find_spot(self, frame: FrameType | None, returned: Returned | None) -> Spot | None:
        """Return where the calling thread is; None if that is in no code that is traced.

        ``frame`` is the frame of the candidate's own code, if it is known.
        """
        if self.tracer is None:
            return None
        files = self.tracer.files
        if frame is None:
            frame = outside_engine()
            if frame is None or frame.f_code.co_filename not in files:
                return None
        return Spot(frame, files, returned)

    def _where(self) -> FrameType | None:
        """Return the innermost frame of the calling thread in the candidate's files, or None."""
        frame = outside_engine()
        while frame is not None and self.tracer and frame.f_code.co_filename not in self.tracer.files:
            frame = frame.f_back
        return frame


active: Scheduler | None = None
"""The scheduler of the candidate that runs in this process; None if none runs."""


def find_caller() -> tuple[Scheduler, Task] | None:
    """Return the scheduler and the calling thread; None if the thread is not under control.

    Abort is raised in a thread that was given up.
    """
    scheduler = active
    if scheduler is not None:
        task = scheduler.current
        if task is not None and task.ident == get_ident():
            return scheduler, task
    if must_end():
        raise Abort
    return None
