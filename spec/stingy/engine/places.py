"""What a step of a thread has to do with, that steps of others may have to do with, too."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from msgspec import Struct

from stingy.engine.operands import Spot

Place = tuple[str, int | str | None]
"""A place of some kind, by its number or name; without one, all places of that kind."""


class Holdable(Protocol):
    """What a thread may want: a lock."""

    held: bool
    owner: Any
    """Who holds it."""
    holding: Holding


class Access(Struct, frozen=True):
    """What a step reads, and what it changes."""

    reads: tuple[Place, ...] = ()
    changes: tuple[Place, ...] = ()
    lock: Holdable | None = None
    """What must be free for it."""
    begins: bool = False
    """Whether a call begins with it."""
    ends: bool = False
    """Whether a call ends with it."""

    @property
    def acquires(self) -> tuple[Place, ...]:
        """The lock that it takes."""
        return self.lock.holding.acquire.changes if self.lock is not None else ()

    def covers(self, other: Access) -> bool:
        """Whether nothing more can be seen where the other comes first, and this right after it, than the other way round.

        A history in which one call is over before another begins shows all that it shows where they overlap.
        """
        return not (
            (self.begins and other.ends)
            or _meet(self.changes, other.changes + other.reads)
            or _meet(self.reads, other.changes)
        )

    def and_also(self, other: Access | None) -> Access:
        """What one or the other has to do with."""
        if other is None:
            return self
        return Access(
            _joined(self.reads, other.reads),
            _joined(self.changes, other.changes),
            self.lock or other.lock,
            self.begins or other.begins,
            self.ends or other.ends,
        )

    def by_others(self) -> Access:
        """The same, by code that cannot be looked into."""
        return Access(self.reads, (*self.changes, *BY_ANYBODY.changes), self.lock, self.begins, self.ends)

    def seen_from(self, spot: Spot) -> Access | None:  # noqa: ARG002
        """What it is for a thread that stands here, about to do it; None if it is nothing that could ever be another."""
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
    """What is known of the suite's own code."""

    def by_others(self) -> Access:
        return self


HEAP: Place = ("heap", None)
"""All containers, and all objects."""
SURROUNDINGS: Place = ("surroundings", None)
"""All that the suite hands to a candidate: only calls touch it."""
RELEASES = "releases"
"""The kind of places that releases of locks are."""

BEGINS_A_CALL, ENDS_A_CALL = Sure(begins=True), Sure(ends=True)
READS_HEAP, WRITES_HEAP = Access(reads=(HEAP,)), Access(changes=(HEAP,))
BY_ANYBODY = Access(changes=(HEAP, SURROUNDINGS))
"""What code may do that cannot be looked into."""


class Holding(Struct, frozen=True):
    """What is done to a lock, as places."""

    acquire: Access
    """To wait until it is free, and take it."""
    attempt: Access
    """To take it if it is free: what comes of it depends on when it was released, too."""
    look: Access
    """To ask whether it is free."""
    release: Access

    @staticmethod
    def of(lock: Holdable, name: int | str) -> Holding:
        taken, let_go = ("lock", name), (RELEASES, name)
        return Holding(
            Access(changes=(taken,), lock=lock),
            Access(changes=(taken, let_go)),
            Access(reads=(taken, let_go)),
            Access(changes=(let_go,)),
        )


def of_variable(name: str) -> Place:
    """A global, or a variable of an outer function, whichever has this name."""
    return f"variable {name}", None
