"""Places that a step of a thread reads or changes; two steps conflict if their places meet."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from msgspec import Struct

from stingy.engine.operands import Spot

Place = tuple[str, int | str | None]
"""A kind of place, and its number or name; None stands for all places of that kind."""


class Holdable(Protocol):
    """A lock that a thread may wait for."""

    held: bool
    owner: Any
    """The thread that holds it."""

    @property
    def holding(self) -> Holding:
        """The accesses of the operations on the lock."""

    def forget(self) -> None:
        """Forget ``holding`` until it is asked for again, since its accesses refer to the lock.

        Otherwise the collector of cyclic garbage would have to find each lock of each session.
        """


class Access(Struct, frozen=True):
    """The places in memory that a step of a thread reads, and those that it changes."""

    reads: tuple[Place, ...] = ()
    changes: tuple[Place, ...] = ()
    lock: Holdable | None = None
    """The lock that must be free before the step can be taken."""
    begins: bool = False
    """True if a call to the candidate begins with the step."""
    ends: bool = False
    """True if a call to the candidate ends with the step."""
    acquires: tuple[Place, ...] = ()
    """The places of the locks that this step takes: one, or none."""

    def covers(self, other: Access) -> bool:
        """Return True if this step before ``other`` shows all that the reverse order shows.

        That is so if the two steps do not conflict, except if ``other`` ends a call and this step
        begins one: a history in which one call ends before another begins can show more faults than
        a history in which they overlap.
        """
        return not (
            (self.begins and other.ends)
            or _meet(self.changes, other.changes + other.reads)
            or _meet(self.reads, other.changes)
        )

    def and_also(self, other: Access | None) -> Access:
        """Return one access that combines this one and ``other``."""
        if other is None:
            return self
        return Access(
            _joined(self.reads, other.reads),
            _joined(self.changes, other.changes),
            self.lock or other.lock,
            self.begins or other.begins,
            self.ends or other.ends,
            self.acquires or other.acquires,
        )

    def by_others(self) -> Access:
        """Return this access plus everything that code which cannot be inspected may touch."""
        return Access(
            self.reads,
            (*self.changes, *BY_UNKNOWN_CODE.changes),
            self.lock,
            self.begins,
            self.ends,
            self.acquires,
        )

    def seen_from(self, spot: Spot) -> Access | None:  # noqa: ARG002
        """Return this access with the very objects that a thread at ``spot`` would touch.

        None if it touches nothing that can change.
        """
        return self


def _joined(some: tuple[Place, ...], others: tuple[Place, ...]) -> tuple[Place, ...]:
    for place in others:
        if place not in some:
            some += (place,)
    return some


def _meet(some: Collection[Place], others: Collection[Place]) -> bool:
    return any(
        kind == also and (number == other or number is None or other is None)
        for kind, number in some
        for also, other in others
    )


class Sure(Access, frozen=True):
    """An access by the suite's own code, which certainly touches nothing but these places."""

    def by_others(self) -> Access:
        return self


HEAP: Place = ("heap", None)
"""All containers and objects."""
SURROUNDINGS: Place = ("surroundings", None)
"""Everything that the suite hands to a candidate, such as a rate limiter; only calls touch it."""
RELEASES = "releases"
"""The kind of place that stands for the release of a lock."""

BEGINS_A_CALL, ENDS_A_CALL = Sure(begins=True), Sure(ends=True)
READS_HEAP, WRITES_HEAP = Access(reads=(HEAP,)), Access(changes=(HEAP,))
BY_UNKNOWN_CODE = Access(changes=(HEAP, SURROUNDINGS))
"""Access of code that cannot be inspected: it may change everything."""


class Holding(Struct, frozen=True):
    """The accesses of the four operations on a lock."""

    acquire: Access
    """Access of a wait until the lock is free, and of taking it."""
    attempt: Access
    """Access of taking the lock only if it is free: the result depends on when it was released."""
    look: Access
    """Access of asking whether the lock is free."""
    release: Access
    """Access of releasing the lock."""

    @staticmethod
    def of(lock: Holdable, name: int | str) -> Holding:
        taken, let_go = ("lock", name), (RELEASES, name)
        return Holding(
            Access(changes=(taken,), lock=lock, acquires=(taken,)),
            Access(changes=(taken, let_go)),
            Access(reads=(taken, let_go)),
            Access(changes=(let_go,)),
        )


def of_variable(name: str) -> Place:
    """Return the place that stands for all globals and outer functions' variables of this name."""
    return f"variable {name}", None
