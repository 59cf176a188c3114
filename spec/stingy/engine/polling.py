"""Recognition of threads that poll, so that virtual time can jump over useless wake-ups.

A thread polls if its own deadline wakes it and it blocks again at the same place, while everything
that it can reach is unchanged except for readings of the clock. It will repeat that for ever unless
something else happens: another thread's deadline, the end of the time that is to pass, or an
instant that is stored in what the thread can reach. So its next wake-up, called a look, is put off
to the last one before that.

A thread may keep state where Python cannot see it, as in C or in a file. So a failure after a jump
does not count until it is seen again without jumps ("on foot").
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from types import CodeType, CoroutineType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

from stingy.contract import SECOND, Nanoseconds
from stingy.engine.carrier import frames_of
from stingy.engine.frames import SUITE, look_at_locals
from stingy.engine.lineup import Lineup
from stingy.engine.task import Task
from stingy.engine.virtualtime import MOMENT, VirtualTime

ALIKE = 2
"""Waits in a row, each as long as the one before it, after which a thread's state is compared."""
REMEMBERED = 24
"""The number of waits that are remembered for each thread.

Several coroutines may share a thread. The thread is in the same state again only after all of them
have waited.
"""
REACHED = 20_000
"""Objects examined per look, at most: to examine more would take longer than it saves."""
PAIRS = 8
"""The most past instants, and the most spans, that are added up to guess deadlines."""
LONG = 1e6
"""Seconds: a larger number is not taken to be a span of time."""

_NUMBERS = (int, float)
_ATOMS = (int, float, str, bytes, bool, type(None))
_CLOSED = (type, ModuleType, CodeType, FrameType)
"""Types whose objects lead to everything that exists, so that they are not followed."""
_CLOSED_MODULES = ("stingy", "logging", "_thread", "importlib", "_frozen_importlib")
"""Modules whose objects are not followed."""

Place = tuple[tuple[int, int], ...]
"""Where a thread is: the ``id`` of the code and the offset in it, by frame, innermost first."""


@dataclass(frozen=True)
class View:
    """The code position of a waiting thread, and all objects that it can reach there."""

    place: Place
    things: Sequence[Any]
    spans: frozenset[float]
    """Numbers among the constants of the code, which may be seconds."""

    def is_like(self, other: View, later: Nanoseconds) -> bool:
        """Return True if this view equals ``other``, which is ``later`` nanoseconds older.

        A number may have grown by that time, like a clock, or shrunk by it, like a remaining time.
        """
        if self.place != other.place or len(self.things) != len(other.things):
            return False
        return self.things == other.things or all(
            one == two or _has_moved(one, two, later) or _has_moved(two, one, later)
            for one, two in zip(self.things, other.things, strict=True)
        )

    def left_since(self, other: View, later: Nanoseconds) -> set[float]:
        """Return numbers that are lower than in ``other`` by ``later``, like a remaining time."""
        return {
            one
            for one, two in zip(self.things, other.things, strict=True)
            if one != two and _has_moved(two, one, later)
        }

    @property
    def numbers(self) -> set[float]:
        """The positive finite numbers that the thread can reach, which may be times."""
        return {it for it in self.things if type(it) in _NUMBERS and 0 < it < inf}


def view(stack: Iterable[FrameType]) -> View:
    """Return the view of a thread with these frames, which is about to continue in the first one."""
    frames = [it for it in stack if not it.f_code.co_filename.startswith(SUITE)]
    return View(
        tuple((id(it.f_code), it.f_lasti) for it in frames),
        _things([list(look_at_locals(it).values()) for it in frames]),
        frozenset(it for frame in frames for it in frame.f_code.co_consts if type(it) in _NUMBERS),
    )


def _things(roots: Sequence[Any]) -> list[Any]:
    """Return all objects that can be reached from ``roots``, in a form that can be compared.

    Numbers and texts stand for themselves. Other objects are replaced by a tuple with their type or
    their ``id``.
    """
    things: list[Any] = []
    seen: set[int] = set()
    waiting = list(roots)
    while waiting and len(things) < REACHED:
        thing = waiting.pop()
        kind = type(thing)
        if kind in _ATOMS:
            things.append(thing)
            continue
        name = id(thing)
        if name in seen:
            continue
        seen.add(name)
        if kind.__module__.partition(".")[0] in _CLOSED_MODULES:
            # A loop that creates a new lock for each wait still does the same each time.
            things.append((kind.__name__,))
        elif isinstance(thing, _CLOSED):
            things.append((name,))
        elif isinstance(thing, FunctionType):
            things.append((name,))
            waiting.extend(thing.__closure__ or ())
        else:
            things.append((kind.__name__, _offset_of(thing)))
            waiting.extend(gc.get_referents(thing))
    return things


def _offset_of(thing: Any) -> int:
    """Return the code offset of a generator or coroutine: -1 if it has ended; 0 for anything else."""
    match thing:
        case GeneratorType():
            frame = thing.gi_frame
        case CoroutineType():
            frame = thing.cr_frame
        case _:
            return 0
    return frame.f_lasti if frame is not None else -1


def _has_moved(one: Any, two: Any, later: Nanoseconds) -> bool:
    """Return True if ``one`` is greater than ``two`` by ``later``, as nanoseconds or seconds."""
    if type(one) not in _NUMBERS or type(two) not in _NUMBERS:
        return False
    if isinstance(one, int) and isinstance(two, int):  # nanoseconds, or a count
        return one - two == later
    try:
        return bool(abs((one - two) * SECOND - later) < MOMENT)
    except OverflowError:  # an int that is too large for a float
        return False


@dataclass(frozen=True)
class Rest:
    """One wait of a thread that polls, as it was found."""

    look: int
    """The number of the look (see ``Polling.look``) at which the thread was seen to wait."""
    at: Nanoseconds
    """When the thread was seen to wait."""
    over: Nanoseconds
    """Total nanoseconds by which this thread's wake-ups had been put off until then."""
    span: Nanoseconds
    """How long it has to wait; FOREVER without a deadline."""
    view: View

    @property
    def on_foot(self) -> Nanoseconds:
        """The virtual time at which this wait would have begun without any jump of time."""
        return self.at - self.over

    def repeats(self, other: Rest) -> bool:
        """Return True if this wait is like ``other``, an earlier one: same state, same length."""
        alike = abs(self.span - other.span) < MOMENT
        comes_round = self.on_foot > other.on_foot
        return alike and comes_round and self.view.is_like(other.view, self.at - other.at)


FOREVER: Nanoseconds = -1
"""The length of a wait without a deadline."""


@dataclass
class Sleeper:
    """The recent waits of a thread that waits again and again, so that it may be polling."""

    span: Nanoseconds = FOREVER
    """The length of its last wait; FOREVER without a deadline."""
    alike: int = 0
    """Waits in a row that were as long as the one before."""
    rests: deque[Rest] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    """Its last waits, the current one last."""
    before: Rest | None = None
    """The last earlier wait that the current one repeats; None if there is none."""
    over: Nanoseconds = 0
    """Total nanoseconds by which its wake-ups have been put off."""

    def goes_on_resting(self, span: Nanoseconds) -> bool:
        """Count a wait of this length; return True if ALIKE waits in a row were as long."""
        self.alike = self.alike + 1 if abs(span - self.span) < MOMENT else 0
        self.span = span
        return self.alike >= ALIKE

    def rests_as(self, rest: Rest) -> None:
        """Record ``rest`` as the current wait, and find the last earlier one that it repeats."""
        self.before = next((it for it in reversed(self.rests) if rest.repeats(it)), None)
        self.rests.append(rest)

    @property
    def period(self) -> Nanoseconds:
        """Nanoseconds from the earlier equal wait (``before``) to the current one, without jumps."""
        assert self.before is not None
        return self.rests[-1].on_foot - self.before.on_foot

    def numbers(self) -> set[float]:
        """Reachable numbers that have not changed since ``before``, so that they are no clocks."""
        assert self.before is not None
        return self.rests[-1].view.numbers & self.before.view.numbers

    def has_missed(self, instants: Iterable[Nanoseconds], now: Nanoseconds) -> bool:
        """Return True if one of these instants has come since the thread last looked.

        If so, the thread may find something new at its next look, which must not be put off.
        """
        looked = self.rests[-1].at - MOMENT
        return any(looked < it <= now for it in instants)

    def ends(self) -> Iterator[Nanoseconds]:
        """Yield the instants at which a number that counts down the time left reaches 0."""
        assert self.before is not None
        last = self.rests[-1]
        for number in last.view.left_since(self.before.view, last.at - self.before.at):
            yield last.at + (number if isinstance(number, int) else round(number * SECOND))


class Polling:
    """Finds threads that poll, and lets virtual time jump over polls that would find nothing new."""

    def __init__(self, time: VirtualTime, lineup: Lineup) -> None:
        self.allowed = True
        """True if looks may be put off, so that virtual time jumps; False "on foot"."""
        self.jumped = False
        """True if time has jumped, or a busy loop was recognised early.

        A failure must then be confirmed without jumps.
        """
        self._time = time
        self._lineup = lineup
        self._sleepers: dict[Task, Sleeper] = {}
        self._look = 0
        """How often ``look`` has examined threads."""
        self._news = 0
        """The number of the last look at which a thread was found in a new state."""

    def disturbed(self, ran: Iterable[Task]) -> None:
        """Forget the recorded waits of these threads: something other than a deadline woke them."""
        for task in ran:
            self._sleepers.pop(task, None)
            self._news = self._look + 1

    def look(self, ran: Iterable[Task]) -> None:
        """Record new waits of the threads that ran as time passed; all of them are blocked again."""
        if not self.allowed:
            return
        self._look += 1
        ended = [self._sleepers.pop(task) for task in ran if not task.busy and task in self._sleepers]
        for task in ran:
            if task.busy:
                # A timer that is started anew each time polls like one thread that sleeps: the new
                # timer thread takes over what is known of the one that has ended.
                heir = self._sleepers.get(task) or (ended.pop() if ended else Sleeper())
                self._sleepers[task] = heir
                self._look_at(task, heir)
        if ended:
            self._news = self._look

    def _look_at(self, task: Task, sleeper: Sleeper) -> None:
        now = self._time.now
        span = FOREVER if task.deadline is None else task.deadline - now
        sleeper.before = None
        if sleeper.goes_on_resting(span):
            seen = view(frames_of(task.ident))
            sleeper.rests_as(Rest(self._look, now, sleeper.over, span, seen))
        if sleeper.before is None:
            self._news = self._look

    def jump(self, end: Nanoseconds) -> bool:
        """Put off polls that would find nothing new; return True if any was put off.

        They are put off to the last poll before something else happens, or before ``end``.
        """
        calm = self._repeating()
        until = self._next_other(calm, end)
        if not any(_rounds(task, sleeper, until) for task, sleeper in calm.items()):
            return False
        instants = {*self._instants(calm.values())}
        calm = {task: it for task, it in calm.items() if not it.has_missed(instants, self._time.now)}
        until = min([self._next_other(calm, end), *(it for it in instants if it > self._time.now)])
        jumps = False
        for task, sleeper in calm.items():
            if rounds := _rounds(task, sleeper, until):
                span = rounds * sleeper.period
                sleeper.over += span
                self._lineup.put_off(task, (task.deadline or 0) + span)
                self.jumped = jumps = True
        return jumps

    def _repeating(self) -> dict[Task, Sleeper]:
        """Return the threads that repeat an earlier wait, if nothing new has happened since that wait."""
        return {
            task: sleeper
            for task, sleeper in self._sleepers.items()
            if task.deadline is not None and sleeper.before is not None and sleeper.before.look >= self._news
        }

    def _next_other(self, calm: Mapping[Task, Sleeper], end: Nanoseconds) -> Nanoseconds:
        """Return the first deadline of a thread not in ``calm``; at most, just after ``end``."""
        others = [task.deadline for task in self._lineup.timed() if task not in calm and task.deadline]
        return min([end + 1, *others])

    def _instants(self, sleepers: Iterable[Sleeper]) -> Iterator[Nanoseconds]:
        """Yield the instants that the threads may wait for, guessed from numbers they can reach."""
        now, origins = self._time.now, [*self._time.origins()]
        for sleeper in sleepers:
            yield from sleeper.ends()
            yield from instants(sleeper.numbers(), sleeper.rests[-1].view.spans, now, origins)


def instants(
    numbers: Iterable[float], spans: Iterable[float], now: Nanoseconds, origins: Sequence[Nanoseconds]
) -> Iterator[Nanoseconds]:
    """Yield the instants that numbers may stand for: a number alone, or a past instant plus a span."""
    meant = [it for number in numbers for it in _meant(number, origins)]
    begun = sorted(it for it in meant if 0 <= it <= now)[-PAIRS:]
    seconds = {*spans, *(it for it in numbers if isinstance(it, float))}
    lasting = sorted(round(it * SECOND) for it in seconds if 0 < it < LONG)[:PAIRS]
    yield from meant
    yield from (begin + span for begin in begun for span in lasting)


def _rounds(task: Task, sleeper: Sleeper, until: Nanoseconds) -> int:
    """Return how many more waits the thread makes before ``until``, after the current one."""
    return max(0, (until - 1 - (task.deadline or 0)) // sleeper.period)


def _meant(number: float, origins: Iterable[Nanoseconds]) -> Iterator[Nanoseconds]:
    """Yield the instants that a number may stand for: seconds or nanoseconds on each clock."""
    for origin in origins:
        yield round(number * SECOND) - origin
        yield round(number) - origin
