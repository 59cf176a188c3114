"""Conflict of a race: the accesses to one variable by which the failing order differs from a correct one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, islice, product
from pathlib import PurePath
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from stingy.contract.testimony import in_a_line
from stingy.process.file import from_here

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
            force_setattr(self, name, in_a_line(getattr(self, name)))


class Conflict(Struct, frozen=True, omit_defaults=True):
    """Accesses of two threads that show that a call is not atomic, in the order in which they were made.

    One thread makes ``first``, and is interrupted. Another one makes ``between``, on the same
    variable. Then the first thread goes on.
    """

    first: Access
    between: Access
    then: Access | None = None
    """An access of the first thread to what the other thread has used meanwhile; None if unknown."""
    other: bool = False
    """True if ``then`` is an access to another variable than ``first`` and ``between``."""

    def __str__(self) -> str:
        """Return the conflict as a clause; nothing else words it."""
        first, between, then = self.first, self.between, self.then
        end = "goes on" if then is None else _describe(then, "" if self.other else first.what)
        return (
            f"{first.who} {_describe(first)}, "
            f"then {between.who} {_describe(between, first.what)}, "
            f"before {first.who} {end}"
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
    step: int
    """Number of the thread's step that makes the access."""
    path: tuple[tuple[int, int], ...] = ()
    """Where the functions that make the access are, the outermost first: later places are greater."""

    def conflicts(self, other: Touch) -> bool:
        """Return True if the order of the two matters: both touch one place, and one changes it."""
        return self.place == other.place and "changes" in (self.access.does, other.access.does)


class Cut(Struct, frozen=True):
    """The end of a turn within a call, at which another thread may come in between."""

    call: int
    turn: int
    step: int
    """Number of the thread's last step before it."""
    unknown: int = 0
    """Number of the thread's last step before it that may have changed anything; 0 for none."""
    waits: bool = False
    """True if the thread waits for a lock; False if it is interrupted."""


def find_conflict(touches: Sequence[Touch], cuts: Sequence[Cut], turns: Sequence[str]) -> Conflict | None:
    """Return the conflict that explains the failure of a shortened run; None if none is certain.

    ``turns`` are the threads of the turns. The conflict is a cycle at the last possible
    interruption, or else at the last possible wait for a lock. If there is no cycle, the last step
    before an interruption is certain by itself: in a shortened run, an interruption comes as early
    as possible, so the rule is kept if it comes one step earlier.
    """
    interruptions = [_Sides.of(touches, cut, turns) for cut in reversed(cuts) if not cut.waits]
    waits = [_Sides.of(touches, cut, turns) for cut in reversed(cuts) if cut.waits]
    cycles = map(_find_cycle, (*interruptions, *waits))
    steps = map(_find_conflicting_step, interruptions)
    return next((found for found in chain(cycles, steps) if found is not None), None)


class _Sides(NamedTuple):
    """The accesses of a call before and after it was cut, and those of other threads between."""

    before: Sequence[Touch]
    """The last one comes first."""
    between: Sequence[Touch]
    """The last one comes first."""
    after: Sequence[Touch]
    step: int
    """Number of the call's last step before the cut."""
    turns: Sequence[str]

    @staticmethod
    def of(touches: Sequence[Touch], cut: Cut, turns: Sequence[str]) -> _Sides:
        who = turns[cut.turn]
        resumed = next((n for n in range(cut.turn + 1, len(turns)) if turns[n] == who), len(turns))
        own = [it for it in touches if turns[it.turn] == who and it.call == cut.call]
        return _Sides(
            [it for it in reversed(own) if it.turn <= cut.turn and it.step > cut.unknown],
            [it for it in reversed(touches) if cut.turn < it.turn < resumed],
            [it for it in own if it.turn >= resumed],
            cut.step,
            turns,
        )

    def conflicting(self, touch: Touch) -> Sequence[Touch]:
        """Return the accesses of other threads that conflict with ``touch``, the last one first."""
        return [it for it in self.between if it.conflicts(touch)]

    def comes_before(self, second: Touch, then: Touch) -> bool:
        """Return True if the thread of ``second`` conflicts with ``then``, in the same call or later."""
        return any(
            self.turns[it.turn] == self.turns[second.turn] and it.call >= second.call
            for it in self.conflicting(then)
        )


def _find_cycle(sides: _Sides) -> Conflict | None:
    """Return a conflict for which neither call can come before the other as a whole; None for none.

    ``first`` is the last step before the cut. If that is in no cycle, it may have released a lock:
    then one of the accesses under the lock matters. The nearest one with a cycle of one variable is
    chosen; or else the nearest one of all, unless they are to several variables.
    """
    cycles = [*_cycles(sides)]
    sure = [it for it in cycles if it[0].step == sides.step]
    sure = sure or [it for it in cycles if it[0].place == it[2].place]
    if not sure and len({first.variable for first, _, _ in cycles}) > 1:
        return None
    return next((_show(*it) for it in (*sure, *cycles)), None)


def _cycles(sides: _Sides) -> Iterator[tuple[Touch, Touch, Touch]]:
    """Yield ``first``, ``between`` and ``then`` of each cycle; for each ``first``, the plainest one.

    ``first`` comes before ``between``, and ``then`` after ``between`` or a later access of the same
    thread. ``between`` is the last access that conflicts. For ``then``, the same variable is
    preferred, and a change. It must be further on in the code: in another round of a loop, a call
    may look at everything anew.
    """
    for first in sides.before:
        later = sorted((it for it in sides.after if it.path > first.path), key=lambda it: it.access.does)
        pairs = [*product(sides.conflicting(first), later)]
        of_one = ((second, then) for second, then in pairs if second.conflicts(then))
        of_two = (
            (second, then)
            for second, then in pairs
            if _is_clear(first, then) and sides.comes_before(second, then)
        )
        for second, then in islice(chain(of_one, of_two), 1):
            yield first, second, then


def _is_clear(first: Touch, then: Touch) -> bool:
    """Return False if two variables have the same name, so that a sentence would confuse them."""
    return (then.variable == first.variable) == (then.access.what == first.access.what)


def _find_conflicting_step(sides: _Sides) -> Conflict | None:
    """Return the conflict of the last step before the cut; None if it does not conflict."""
    last = (it for it in sides.before if it.step == sides.step)
    return next((_show(it, others[0]) for it in last if (others := sides.conflicting(it))), None)


def _show(first: Touch, second: Touch, then: Touch | None = None) -> Conflict:
    """Return the conflict of these accesses, with their files as the user sees them."""
    other = then is not None and then.place != first.place and then.variable != first.variable
    return Conflict(_from_here(first), _from_here(second), _from_here(then) if then else None, other)


def _from_here(touch: Touch) -> Access:
    return replace(touch.access, file=from_here(touch.access.file))
