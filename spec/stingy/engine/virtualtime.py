"""Virtual time of one session: it moves only when no thread can run, from deadline to deadline."""

from __future__ import annotations

from collections.abc import Iterable

from stingy.contract import SECOND, Nanoseconds
from stingy.engine.task import Task

MONOTONIC_ORIGIN: Nanoseconds = 10 * SECOND
"""The reading of the monotonic clock at virtual time 0.

It is that of a machine which has just been started: then 0 is not long ago.
"""

MOMENT: Nanoseconds = 1_000
"""Nanoseconds: two instants that are closer than this count as one.

Seconds since 1970 are floats, and neighbouring floats are a quarter of this apart.
"""

MOMENTS = 10_000
"""Deadlines in a row, each within MOMENT of the last, after which a thread is taken to spin.

It then waits, again and again, with a time-out that has long passed.
"""


class VirtualTime:
    """The time that controlled threads see, and the deadlines of their waits."""

    wall_origin: Nanoseconds = 1_700_000_000 * SECOND
    """The wall clock's reading at virtual time 0, in nanoseconds since 1970."""

    def __init__(self) -> None:
        self.now: Nanoseconds = 0
        self.stepped: Nanoseconds = 0
        """Nanoseconds by which the wall clock has been set forward since virtual time 0."""
        self.looks = 0
        """How often virtual time has moved on to a deadline and woken threads."""
        self._moments = 0
        """How many deadlines in a row were within MOMENT of the one before."""

    def move_to(self, due: Nanoseconds) -> bool:
        """Move on to a deadline; return False if too many in a row were at the same moment."""
        self.looks += 1
        self._moments = self._moments + 1 if due - self.now < MOMENT else 0
        if self._moments > MOMENTS:
            return False
        self.now = max(self.now, due)
        return True

    def monotonic_ns(self) -> Nanoseconds:
        """Return the reading of the monotonic clock."""
        return MONOTONIC_ORIGIN + self.now

    def wall_ns(self) -> Nanoseconds:
        """Return the reading of the wall clock, in nanoseconds since 1970."""
        return self.wall_origin + self.now + self.stepped

    def origins(self) -> Iterable[Nanoseconds]:
        """Return the readings of the monotonic clock and the wall clock at virtual time 0."""
        return MONOTONIC_ORIGIN, self.wall_origin + self.stepped

    def is_due(self, task: Task) -> bool:
        """Return whether the thread's deadline has come."""
        return task.deadline is not None and task.deadline <= self.now

    def in_future(self, seconds: float) -> Nanoseconds:
        """Return the virtual time ``seconds`` from now, at least 1 ns later if ``seconds`` > 0."""
        span = round(seconds * SECOND)
        return self.now + (span or int(seconds > 0))

    def time_out(self, task: Task, seconds: float) -> Nanoseconds:
        """Return the virtual time at which a wait of the thread for ``seconds`` times out.

        The second wait for 0 seconds at the same instant takes 1 ns. Otherwise no time would pass
        in a loop of such waits, and it would never end.
        """
        if seconds > 0:
            return self.in_future(seconds)
        again, task.impatient = task.impatient == self.now, self.now
        return self.now + again
