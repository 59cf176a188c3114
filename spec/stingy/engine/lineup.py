"""Lineup of the controlled threads: those that can run, in the fair order, and those that wait."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from operator import attrgetter

from stingy.contract import Nanoseconds
from stingy.engine.task import State, Task
from stingy.engine.virtualtime import VirtualTime

# Looked up once: at each scheduling point, the attributes would cost time.
_READY, _PARKED, _WANTS_LOCK = State.READY, State.PARKED, State.WANTS_LOCK

_turn = attrgetter("turn")


class Lineup:
    """The threads of one session that have a job.

    In the fair order, the thread that has waited longest for its turn is the first.
    """

    def __init__(self, time: VirtualTime) -> None:
        self.turn = 0
        """Number of the current turn; it rises whenever another thread runs."""
        self._time = time
        self._awake: dict[Task, None] = {}
        """Threads that may be able to run, in the fair order if ``_in_order``.

        A parked thread is not among them before it is notified or its deadline has come.
        """
        self._in_order = True
        """True if ``_awake`` is in the fair order."""
        self._alarms: list[tuple[Nanoseconds, int, Task]] = []
        """A heap of deadlines of parked threads; entries of threads notified since are ignored."""
        self._ran: dict[Task, None] = {}
        """Threads that have run since the last call of ``take_ran``."""

    def ready(self) -> list[Task]:
        """Return the threads that can run, in the fair order."""
        while self._alarms and self._alarms[0][0] <= self._time.now:
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
            if (state := task.state) is _READY or state is _PARKED or self._can_run(task)
        ]

    def in_state(self, state: State) -> list[Task]:
        """Return the threads in this state; parked threads are not kept by state."""
        return [task for task in self._awake if task.state is state]

    def enter(self, task: Task) -> None:
        """Add a thread that has been given a job, at the end."""
        task.state = State.READY
        task.turn = self.turn = self.turn + 1
        self._awake[task] = None

    def take_turn(self, task: Task) -> None:
        """Move the thread that is to run now to the end."""
        task.turn = self.turn = self.turn + 1
        if task in self._awake:
            del self._awake[task]
            self._awake[task] = None
        self._ran[task] = None

    def leave(self, task: Task) -> None:
        """Remove a thread whose job has ended."""
        self._awake.pop(task, None)

    def clear(self) -> None:
        """Remove all threads: the session is over."""
        self._awake.clear()
        self._alarms.clear()

    def park(self, task: Task) -> None:
        """Set a thread aside until ``wake`` is called or its deadline has come."""
        self._awake.pop(task, None)
        if task.deadline is not None:
            heapq.heappush(self._alarms, (task.deadline, task.turn, task))

    def wake(self, task: Task, state: State) -> None:
        """Wake a parked thread: it has been notified, or its deadline has come."""
        task.state = state
        self._awake[task] = None
        self._in_order = False

    def take_ran(self) -> Sequence[Task]:
        """Return the threads that have run since the last call of this method, and forget them."""
        ran, self._ran = tuple(self._ran), {}
        return ran

    def next_deadline(self) -> Nanoseconds | None:
        """Return the earliest deadline of a thread, in virtual time; None if no thread has one."""
        while self._alarms and not self._sleeps_until(*self._alarms[0]):
            heapq.heappop(self._alarms)
        deadlines = [task.deadline for task in self._awake if task.deadline is not None]
        return min((*deadlines, *(alarm[0] for alarm in self._alarms[:1])), default=None)

    def timed(self) -> Iterator[Task]:
        """Yield the threads that have a deadline."""
        yield from (task for task in self._awake if task.deadline is not None)
        yield from (alarm[-1] for alarm in self._alarms if self._sleeps_until(*alarm))

    def put_off(self, task: Task, due: Nanoseconds) -> None:
        """Move a thread's deadline to ``due``."""
        task.deadline = due
        if task not in self._awake:
            heapq.heappush(self._alarms, (due, task.turn, task))

    def _sleeps_until(self, due: Nanoseconds, _: int, task: Task) -> bool:
        return task.deadline == due and task not in self._awake

    def _can_run(self, task: Task) -> bool:
        """Return whether a thread that is neither ready nor parked can run."""
        if task.state is _WANTS_LOCK:
            return not (task.wants and task.wants.held) or self._time.is_due(task)
        if task.state is State.SPINS:
            return self._time.is_due(task)
        if task.state is State.JOINS:
            return task.joins is None or task.joins.is_over or self._time.is_due(task)
        return False
