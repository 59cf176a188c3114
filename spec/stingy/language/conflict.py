"""Conflict of a race: the accesses to one variable by which the failing order differs from a correct one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from pathlib import PurePath
from typing import Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from stingy.contract.testimony import NAME, in_a_line

Does = Literal["reads", "changes"]


class Access(Struct, frozen=True):
    """One access to a variable, attribute or container of the candidate's code."""

    who: str
    """The lane, or the candidate's own thread, that makes the access."""
    does: Does
    what: str
    """The variable, attribute or container as the code spells it, such as ``self._items``."""
    file: str
    """The file from the current folder; only its name if it is elsewhere."""
    line: int
    within: str
    """Name of the function."""

    def __post_init__(self) -> None:
        """Escape control characters in every text: an access may come from a file or another process."""
        for name in ("who", "what", "file", "within"):
            force_setattr(self, name, in_a_line(getattr(self, name), NAME))


class Conflict(Struct, frozen=True, omit_defaults=True):
    """Accesses of two threads that show that a call is not atomic, in the order in which they were made.

    One thread makes ``first``, and is interrupted. Another one makes ``between``, on the same
    variable. Then the first thread goes on and makes ``then``. One of the two accesses to a variable
    changes it.
    """

    first: Access
    between: Access
    then: Access
    other: bool = False
    """True if ``then`` is an access to another variable, which the second thread has used as well."""

    def __str__(self) -> str:
        """Return the conflict as a clause; nothing else words it."""
        first, between, then = self.first, self.between, self.then
        return (
            f"{first.who} {_describe(first)}, "
            f"then {between.who} {_describe(between, first.what)}, "
            f"before {then.who} {_describe(then, '' if self.other else first.what)}"
        )


def _describe(access: Access, before: str = "") -> str:
    """Describe an access, as in ``reads it at queue.py:17 (get)``.

    ``before`` is the name by which the variable was described before; empty if it was not.
    """
    what = "it" if access.what == before else f"it as {access.what}" if before else access.what
    return f"{access.does} {what} at {PurePath(access.file).name}:{access.line} ({access.within})"


class Touch(Struct, frozen=True):
    """An access that was recorded in a run, with what it takes to compare it with others."""

    access: Access
    place: Hashable
    """Identity of the variable: two touches of an equal place touch the same one."""
    variable: Hashable
    """Identity of the variable or attribute by which the place was found; the place itself if there is none."""
    call: int
    """Number of the thread's call that makes the access."""
    turn: int
    """Index of the turn, in the trail of the run, in which the access is made."""

    def conflicts(self, other: Touch) -> bool:
        """Return True if the order of the two matters: both touch one place, and one changes it."""
        return self.place == other.place and "changes" in (self.access.does, other.access.does)


class Cut(Struct, frozen=True):
    """An interruption within a call: at the end of its turn the thread could have continued."""

    call: int
    turn: int


def find_conflict(touches: Sequence[Touch], cuts: Sequence[Cut], turns: Sequence[str]) -> Conflict | None:
    """Return the conflict that explains the failure of a run; None if none is certain.

    ``turns`` are the threads of the turns. Such a conflict is a cycle: ``then`` conflicts with an
    access that the second thread makes in the call of ``between``, or later. So in no order of whole calls, one
    after the other, are both calls as they are here. Of the accesses before the interruption, the
    last one counts: interruptions come as early as possible, so the rule would be kept without it.
    Then the last one between, and the next one of the same place, or else of another. Of several
    interruptions, the last one with a cycle counts.
    """
    return next((found for cut in reversed(cuts) if (found := _find(touches, cut, turns)) is not None), None)


def _find(touches: Sequence[Touch], cut: Cut, turns: Sequence[str]) -> Conflict | None:
    """Return the conflict at one interruption; None if there is none."""
    who = turns[cut.turn]
    resumed = next((n for n in range(cut.turn + 1, len(turns)) if turns[n] == who), len(turns))
    own = [it for it in touches if turns[it.turn] == who and it.call == cut.call]
    between = [it for it in touches if cut.turn < it.turn < resumed]
    after = [it for it in own if it.turn >= resumed]
    for first in reversed([it for it in own if it.turn <= cut.turn]):
        seconds = [it for it in reversed(between) if it.conflicts(first)]
        for second, then in product(seconds, after):
            if second.conflicts(then):
                return Conflict(first.access, second.access, then.access)
        for second, then in product(seconds, after):
            if any(it.conflicts(then) for it in between if _follows(it, second, turns)):
                other = then.variable != first.variable
                if other == (then.access.what != first.access.what):
                    return Conflict(first.access, second.access, then.access, other)
    return None


def _follows(touch: Touch, second: Touch, turns: Sequence[str]) -> bool:
    """Return True if the thread of ``second`` makes ``touch`` in the same call, or in a later one."""
    return turns[touch.turn] == turns[second.turn] and touch.call >= second.call
