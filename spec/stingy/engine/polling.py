"""Who looks again and again for what only others can bring about, so that time can jump to where it matters.

A thread polls when its own deadline wakes it, and it goes to rest at the same place again, while all that it can reach is as it was,
but for readings of the clock. Until something else happens it will do the same for ever, so its next look is put off to the last one
before that: another thread's deadline, the end of the time that is to pass, or an instant that stands among what it can reach.

What a thread keeps where nobody can see it – in C, in a file – is not known. So nothing may be held against a candidate because of
what came after a jump: it has to be seen again on foot.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from types import CodeType, CoroutineType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any, Protocol

from stingy.contract import SECOND, Nanoseconds
from stingy.engine.carrier import frames_of
from stingy.engine.frames import SUITE, look_at_locals, outwards
from stingy.engine.task import Task

MOMENT: Nanoseconds = 1_000
"""Two instants nearer than that are one: seconds since 1970 are told in floats, a quarter of that apart."""

ALIKE = 2
"""So many times a thread has to rest for as long as before, until it is looked at closely."""
REMEMBERED = 24
"""So many rests of a thread are remembered: several coroutines that take turns are one thread, and come round after as many."""
REACHED = 20_000
"""So many things a thread can reach are looked at; the time that it takes to see more is not well spent."""
PAIRS = 8
"""So many instants, and so many spans, are put together."""
ROUND = 300
"""Scheduling points of a loop that is recognised, at the most."""
TIMES = 3
"""So many times something may be another, and a thread gets on."""
STAYS = 20
"""So many points in a row at one place, and that is the loop."""
LOOK: Nanoseconds = 1_000_000
"""Whoever looks at the clock without a pause is shown how it goes on so often."""
LONG = 1e6
"""Seconds: a number above that is none."""

_NUMBERS = (int, float)
_ATOMS = (int, float, str, bytes, bool, type(None))
_CLOSED = (type, ModuleType, CodeType, FrameType)
"""What leads to everything there is."""
_CLOSED_MODULES = ("stingy", "logging", "_thread", "importlib", "_frozen_importlib")

Place = tuple[tuple[int, int], ...]
"""Where a thread stands: which code, and how far in it, from the inside out."""


@dataclass(frozen=True)
class View:
    """Where a thread stands, and what it can reach there."""

    place: Place
    things: Sequence[Any]
    spans: frozenset[float]
    """Numbers that stand in the code itself, and may be seconds."""

    def is_like(self, other: View, later: Nanoseconds) -> bool:
        """Whether it is the other one, ``later``: what reads like a clock may have moved on with it, or like the time that is left."""
        if self.place != other.place or len(self.things) != len(other.things):
            return False
        return self.things == other.things or all(
            one == two or _has_moved(one, two, later) or _has_moved(two, one, later)
            for one, two in zip(self.things, other.things, strict=True)
        )

    def left_since(self, other: View, later: Nanoseconds) -> set[float]:
        """Its numbers that are lower by the time that has passed since: so much of it is left."""
        return {
            one
            for one, two in zip(self.things, other.things, strict=True)
            if one != two and _has_moved(two, one, later)
        }

    @property
    def numbers(self) -> set[float]:
        return {it for it in self.things if type(it) in _NUMBERS and 0 < it < inf}


def view(stack: Iterable[FrameType], beside: Iterable[Any] = ()) -> View:
    """What the thread sees that is about to go on in the first of these frames. ``beside``: what else it will come to."""
    frames = [it for it in stack if not it.f_code.co_filename.startswith(SUITE)]
    return View(
        tuple((id(it.f_code), it.f_lasti) for it in frames),
        _things([*beside, *(list(look_at_locals(it).values()) for it in frames)]),
        frozenset(it for frame in frames for it in frame.f_code.co_consts if type(it) in _NUMBERS),
    )


def _things(roots: Sequence[Any]) -> list[Any]:
    """Numbers and texts as they are, and of the rest of what can be reached, which kind of thing it is."""
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
            things.append((kind.__name__,))  # whoever waits with a new lock each time does the same each time
        elif isinstance(thing, _CLOSED):
            things.append((name,))
        elif isinstance(thing, FunctionType):
            things.append((name,))
            waiting.extend(thing.__closure__ or ())
        else:
            things.append((kind.__name__, _stands_at(thing)))
            waiting.extend(gc.get_referents(thing))
    return things


def _stands_at(thing: Any) -> int:
    """How far a generator or a coroutine has come."""
    match thing:
        case GeneratorType():
            frame = thing.gi_frame
        case CoroutineType():
            frame = thing.cr_frame
        case _:
            return 0
    return frame.f_lasti if frame is not None else -1


def _has_moved(one: Any, two: Any, later: Nanoseconds) -> bool:
    if type(one) not in _NUMBERS or type(two) not in _NUMBERS:
        return False
    if isinstance(one, int) and isinstance(two, int):  # nanoseconds, or they count something
        return one - two == later
    try:
        return bool(abs((one - two) * SECOND - later) < MOMENT)
    except OverflowError:  # a whole number that is beyond what floats reach
        return False


@dataclass
class Round:
    """Whether a thread that goes on and on comes to where it was, with all that it can reach as it was: then it does nothing."""

    points: int = 0
    """So many scheduling points it has passed meanwhile."""
    times: int = 0
    """So many times it has come to the same place, and something was another."""
    stays: int = 0
    """So many points in a row were at that very place: to acquire a lock is two."""
    looks_at_clock: bool = False
    known_at: int = -1
    """How far others were when it last ended: whatever they have done since, it has not looked at."""
    begun: tuple[tuple[CodeType, int], View] | None = None

    def ends(self, frame: FrameType | None) -> bool:
        """Whether it does at the point where this frame stands."""
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
        """Another one, from the same place."""
        return Round(begun=self.begun)

    @property
    def is_none(self) -> bool:
        return self.points > ROUND or self.times > TIMES

    def next_look(self, now: Nanoseconds, origins: Iterable[Nanoseconds]) -> Nanoseconds:
        """When somebody who looks at the clock meanwhile is to look again: it may know an instant."""
        assert self.begun is not None
        seen = self.begun[1]
        known = _instants(seen.numbers, seen.spans, now, [*origins])
        return min([now + LOOK, *(it for it in known if it > now)])


@dataclass(frozen=True)
class Rest:
    """A thread has come to rest for so long."""

    look: int
    """The how manieth time that all was quiet."""
    at: Nanoseconds
    over: Nanoseconds
    """How much of the time before that it has jumped over."""
    span: Nanoseconds
    view: View

    @property
    def on_foot(self) -> Nanoseconds:
        """When it would have been without what was jumped over."""
        return self.at - self.over

    def repeats(self, other: Rest) -> bool:
        alike = abs(self.span - other.span) < MOMENT
        comes_round = self.on_foot > other.on_foot
        return alike and comes_round and self.view.is_like(other.view, self.at - other.at)


FOREVER: Nanoseconds = -1
"""How long somebody rests who has no deadline."""


@dataclass
class Sleeper:
    """A thread that goes to rest again and again."""

    span: Nanoseconds = FOREVER
    alike: int = 0
    """How often in a row it has rested for so long."""
    rests: deque[Rest] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    before: Rest | None = None
    """The last rest that was like the present one."""
    over: Nanoseconds = 0
    """How much time it has been let jump over."""

    def goes_on_resting(self, span: Nanoseconds) -> bool:
        """Whether it rests for as long as the last few times."""
        self.alike = self.alike + 1 if abs(span - self.span) < MOMENT else 0
        self.span = span
        return self.alike >= ALIKE

    def rests_as(self, rest: Rest) -> None:
        self.before = next((it for it in reversed(self.rests) if rest.repeats(it)), None)
        self.rests.append(rest)

    @property
    def period(self) -> Nanoseconds:
        """How long it takes to come round."""
        assert self.before is not None
        return self.rests[-1].on_foot - self.before.on_foot

    def numbers(self) -> set[float]:
        """All that it can reach that are what they were one round ago: none of them follows the clock."""
        assert self.before is not None
        return self.rests[-1].view.numbers & self.before.view.numbers

    def has_missed(self, instants: Iterable[Nanoseconds], now: Nanoseconds) -> bool:
        """Whether one of these has come since it looked last: then its next look is not in vain."""
        looked = self.rests[-1].at - MOMENT
        return any(looked < it <= now for it in instants)

    def ends(self) -> Iterator[Nanoseconds]:
        """When nothing is left of the time that it sees run down."""
        assert self.before is not None
        last = self.rests[-1]
        for number in last.view.left_since(self.before.view, last.at - self.before.at):
            yield last.at + (number if isinstance(number, int) else round(number * SECOND))


class Timed(Protocol):
    """Threads that run one after the other, in virtual time."""

    @property
    def now(self) -> Nanoseconds: ...

    def timed(self) -> Iterable[Task]:
        """Those that have a deadline."""

    def put_off(self, task: Task, due: Nanoseconds) -> None:
        """Let its deadline be then."""

    def origins(self) -> Iterable[Nanoseconds]:
        """What its clocks show when virtual time is at 0."""


class Polling:
    """What is known of those who look again and again."""

    def __init__(self, threads: Timed) -> None:
        self.allowed = True
        """Whether time may jump."""
        self.jumped = False
        """Whether it has."""
        self.keeps: dict[Task, Callable[[], Iterable[Any]]] = {}
        """What a thread will come to that does not stand in its frames."""
        self._threads = threads
        self._sleepers: dict[Task, Sleeper] = {}
        self._look = 0
        self._news = 0
        """At which look there was something new."""

    def disturbed(self, ran: Iterable[Task]) -> None:
        """These have run, and not because their time had come: what has been seen until now counts no more."""
        for task in ran:
            self._sleepers.pop(task, None)
            self._news = self._look + 1

    def look(self, ran: Iterable[Task]) -> None:
        """All is quiet again after some time; these have run."""
        if not self.allowed:
            return
        self._look += 1
        ended = [self._sleepers.pop(task) for task in ran if not task.busy and task in self._sleepers]
        for task in ran:
            if task.busy:
                # Who starts a timer anew each time polls like one who sleeps.
                heir = self._sleepers.get(task) or (ended.pop() if ended else Sleeper())
                self._sleepers[task] = heir
                self._look_at(task, heir)
        if ended:
            self._news = self._look

    def _look_at(self, task: Task, sleeper: Sleeper) -> None:
        now = self._threads.now
        span = FOREVER if task.deadline is None else task.deadline - now
        sleeper.before = None
        if sleeper.goes_on_resting(span):
            beside = self.keeps[task]() if task in self.keeps else ()
            seen = view(frames_of(task.ident), beside)
            sleeper.rests_as(Rest(self._look, now, sleeper.over, span, seen))
        if sleeper.before is None:
            self._news = self._look

    def jump(self, end: Nanoseconds) -> bool:
        """Put off looks that would be in vain, to the last before something else happens or time is at its end; whether any were."""
        calm = self._calm()
        until = self._next_other(calm, end)
        if not any(_rounds(task, sleeper, until) for task, sleeper in calm.items()):
            return False
        instants = {*self._instants(calm.values())}
        calm = {task: it for task, it in calm.items() if not it.has_missed(instants, self._threads.now)}
        until = min([self._next_other(calm, end), *(it for it in instants if it > self._threads.now)])
        jumps = False
        for task, sleeper in calm.items():
            if rounds := _rounds(task, sleeper, until):
                span = rounds * sleeper.period
                sleeper.over += span
                self._threads.put_off(task, (task.deadline or 0) + span)
                self.jumped = jumps = True
        return jumps

    def _calm(self) -> dict[Task, Sleeper]:
        """Those that have come round, with nothing new to anybody in the meantime."""
        return {
            task: sleeper
            for task, sleeper in self._sleepers.items()
            if task.deadline is not None and sleeper.before is not None and sleeper.before.look >= self._news
        }

    def _next_other(self, calm: Mapping[Task, Sleeper], end: Nanoseconds) -> Nanoseconds:
        """When it is the turn of somebody else, or the time that is to pass is over."""
        others = [task.deadline for task in self._threads.timed() if task not in calm and task.deadline]
        return min([end + 1, *others])

    def _instants(self, sleepers: Iterable[Sleeper]) -> Iterator[Nanoseconds]:
        """Those that their numbers may mean: alone, or one that is past and a span together."""
        now, origins = self._threads.now, [*self._threads.origins()]
        for sleeper in sleepers:
            yield from sleeper.ends()
            yield from _instants(sleeper.numbers(), sleeper.rests[-1].view.spans, now, origins)


def _instants(
    numbers: Iterable[float], spans: Iterable[float], now: Nanoseconds, origins: Sequence[Nanoseconds]
) -> Iterator[Nanoseconds]:
    meant = [it for number in numbers for it in _meant(number, origins)]
    begun = sorted(it for it in meant if 0 <= it <= now)[-PAIRS:]
    seconds = {*spans, *(it for it in numbers if isinstance(it, float))}
    lasting = sorted(round(it * SECOND) for it in seconds if 0 < it < LONG)[:PAIRS]
    yield from meant
    yield from (begin + span for begin in begun for span in lasting)


def _rounds(task: Task, sleeper: Sleeper, until: Nanoseconds) -> int:
    """How many more rounds there are for it before then."""
    return max(0, (until - 1 - (task.deadline or 0)) // sleeper.period)


def _meant(number: float, origins: Iterable[Nanoseconds]) -> Iterator[Nanoseconds]:
    """The instants that it is, read as seconds and as nanoseconds."""
    for origin in origins:
        yield round(number * SECOND) - origin
        yield round(number) - origin
