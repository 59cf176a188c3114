"""Recognition of threads that wait in busy loops: they run, but only until others do something.

A thread that runs for long must let others run. If that does not help, it is checked. If it is in a
busy loop, it stands still until another thread has made progress, or virtual time has passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType

from stingy.contract import Nanoseconds
from stingy.engine.frames import outside_engine, outwards
from stingy.engine.lineup import Lineup
from stingy.engine.polling import Polling, View, instants, view
from stingy.engine.task import State, Task
from stingy.engine.virtualtime import VirtualTime

YIELDS = 2_000
"""Scheduling points in a row after which a thread must let others run: it may wait for them."""
YIELDS_KNOWN = 100
"""Like YIELDS, for a candidate that has waited in a busy loop before."""
HELPED = 3
"""Times in a row that a thread must let others run before it is checked for a busy loop."""
SPINS = 200_000
"""Scheduling points in a row after which a thread is taken to wait in a busy loop.

This holds even if something changes in each round of it, such as a counter.
"""
SPINS_ON_FOOT = 6_000
"""Like SPINS, for a loop whose rounds change nothing, while virtual time may not jump."""
ROUND = 300
"""The most scheduling points in one round of a busy loop; a longer one is not recognised."""
TIMES = 3
"""The most rounds of a loop that may change something; with more, the thread makes progress."""
STAYS = 20
"""Scheduling points in a row at one place after which a loop is taken to have no other place."""
LOOK: Nanoseconds = 1_000_000
"""Nanoseconds of virtual time between two looks of a thread that reads the clock in a busy loop."""


@dataclass
class Round:
    """Detects a busy loop: the thread comes back to a place, and what it can reach is unchanged."""

    points: int = 0
    """Scheduling points that the thread has passed since the round began."""
    times: int = 0
    """How often the thread has come back to the place and found something changed."""
    stays: int = 0
    """Scheduling points in a row at the place itself; one ``acquire`` makes two."""
    looks_at_clock: bool = False
    """True if the loop has read a clock."""
    known_at: int = -1
    """``BusyLoops._progress`` at the last unchanged round that ended with a lock held.

    Another thread waits for that lock. -1 if there was no such round.
    """
    keeps_lock: bool = False
    """True if the loop never releases a lock for which another thread waits."""
    given_up: bool = False
    """True if control was lost because the loop reads the clock, and time may not jump."""
    begun: tuple[tuple[CodeType, int], View] | None = None
    """The place where the round began, and the view there; None if it has not begun."""

    def ends(self, frame: FrameType | None) -> bool:
        """Count a scheduling point at this frame; return whether a round ends here unchanged."""
        self.points += 1
        if frame is None:
            return False
        here = frame.f_code, frame.f_lasti
        if self.begun is not None:
            if here != self.begun[0]:
                self.stays = STAYS
                return False
            self.stays += 1
            if self.stays <= STAYS:
                return False
        seen = view(outwards(frame))
        self.stays = 0
        if self.begun is not None and seen.is_like(self.begun[1], 0):
            return True
        self.times += self.begun is not None
        self.begun = here, seen
        return False

    def again(self) -> Round:
        """Return a new round that begins at the same place, with the same view."""
        return Round(begun=self.begun)

    @property
    def is_none(self) -> bool:
        """True if this is no busy loop: a round is too long, or too many change something."""
        return self.points > ROUND or self.times > TIMES

    def next_look(self, now: Nanoseconds, origins: Iterable[Nanoseconds]) -> Nanoseconds:
        """Return the virtual time at which a busy loop that reads the clock should run again.

        That is the next instant that it may be waiting for, but no later than LOOK from now.
        """
        assert self.begun is not None
        seen = self.begun[1]
        known = instants(seen.numbers, seen.spans, now, [*origins])
        return min([now + LOOK, *(it for it in known if it > now)])


class BusyLoops:
    """Tells which threads wait in busy loops, and when each has to look again."""

    def __init__(self, time: VirtualTime, lineup: Lineup, polling: Polling) -> None:
        self.limit = YIELDS
        """The scheduling point at which the current thread has to let others run."""
        self.suspects: dict[Task, Round] = {}
        """Threads that are checked for a busy loop, with the current round of each."""
        self._time = time
        self._lineup = lineup
        self._polling = polling
        self._patience = YIELDS
        """Scheduling points in a row after which a thread has to let others run."""
        self._yields = 0
        """How often a thread was stopped for running too long since a thread last made progress."""
        self._progress = 0
        """How often a thread has done something and then blocked or ended."""
        self._last_progress = 0
        """The scheduling point at which a thread last blocked or ended after some progress."""
        self._seen: dict[Task, int] = {}
        """The value of ``_progress`` when each thread was last taken to wait in a busy loop."""

    @property
    def known(self) -> bool:
        """True if the candidate has waited in a busy loop, in this session or an earlier one."""
        return self._patience == YIELDS_KNOWN

    def expect(self) -> None:
        """Suspect threads earlier from now on: the candidate is known to wait in busy loops."""
        self._patience = YIELDS_KNOWN

    def restart(self, point: int) -> None:
        """Begin to count at this scheduling point how long threads run."""
        self._yields = 0
        self._last_progress = point
        self.limit = point + self._patience

    def note_progress(self, task: Task, point: int) -> None:
        """Record progress: the thread has done something, and blocks or ends."""
        self.suspects.pop(task, None)
        self._progress += 1
        self.restart(point)

    def note_clock(self, task: Task) -> None:
        """Record that the thread has read a clock, if it is checked for a busy loop."""
        if task in self.suspects:
            self.suspects[task].looks_at_clock = True

    def stop(self, task: Task, point: int, others: Sequence[Task]) -> None:
        """Note that a thread has to let ``others`` run; check it if that does not help."""
        self._yields += 1
        self.limit = point + self._patience
        if not others or self._yields >= HELPED:
            self.suspects[task] = Round()

    def recognise(self, task: Task, point: int) -> bool:
        """Check a suspect; return whether it waits in a busy loop and can stand still."""
        round_ = self.suspects[task]
        going = point - self._last_progress
        ends = (round_.ends(outside_engine()) and self._may_spin(going)) or going > SPINS
        repeats = round_.known_at == self._progress
        if not (ends or repeats):
            if round_.is_none:
                del self.suspects[task]
            return False
        if not self._holds_wanted_lock(task):
            return True
        if ends and repeats:
            round_.keeps_lock = True
            return True
        round_.known_at = self._progress
        return False

    def stand_still(self, task: Task, point: int) -> bool:
        """Let a thread in a busy loop wait until another one has done something.

        If the loop reads the clock, the thread also continues after some virtual time. Return False
        if it is not known after how much.
        """
        self.expect()
        round_ = self.suspects[task]
        if round_.looks_at_clock:
            if not self._polling.allowed or round_.begun is None:
                round_.given_up = True
                return False
            task.deadline = round_.next_look(self._time.now, self._time.origins())
        self._progress += task not in self._seen or bool(round_.times)
        self._seen[task] = self._progress
        self.limit = point + self._patience
        task.state = State.SPINS
        return True

    def go_on(self, task: Task) -> None:
        """Let a thread that has stood still run another round."""
        task.state, task.deadline = State.READY, None
        self.suspects[task] = self.suspects[task].again()

    def must_look_again(self, task: Task) -> bool:
        """Return whether a thread that stands still has to run another round of its loop.

        It has to if another thread has done something since the last round, or waits for a lock
        that this thread holds.
        """
        return self._seen[task] < self._progress or (
            not self.suspects[task].keeps_lock and self._holds_wanted_lock(task)
        )

    def has_given_up(self, task: Task) -> bool:
        """Return whether control of the thread was lost because its loop reads the clock."""
        return task in self.suspects and self.suspects[task].given_up

    def _may_spin(self, going: int) -> bool:
        """Return whether an unchanged round is enough to take a thread to be in a busy loop.

        It is enough while virtual time may jump, because a failure is then tried again without
        jumps. Otherwise, there must also have been more than SPINS_ON_FOOT scheduling points since
        the last progress; ``going`` is their number.
        """
        self._polling.jumped |= self._polling.allowed
        return self._polling.allowed or going > SPINS_ON_FOOT

    def _holds_wanted_lock(self, task: Task) -> bool:
        """Return whether another thread waits for a lock that this one holds."""
        return any(
            other.wants is not None and other.wants.owner is task and other.wants.held
            for other in self._lineup.in_state(State.WANTS_LOCK)
        )
