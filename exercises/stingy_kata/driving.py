"""A puzzle played so far: who went, who can go next, where each stands, and what has come of it.

Orders are deterministic. So nobody is parked while somebody thinks: one choice more is the same run again, with a
longer order; and a shorter one takes the last choice back.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import FrameType
from typing import Any

from msgspec import structs

from stingy.engine.carrier import frames_of, get_ident
from stingy.engine.frames import outwards
from stingy.engine.scheduler import Scheduler
from stingy.engine.task import State, Task
from stingy.language.account import Line, account
from stingy.language.linearizability import explanation
from stingy.language.order import Aside, Order
from stingy.language.stage import Setting, Stage, stage
from stingy.language.story import Step, Story
from stingy_kata import SEED
from stingy_kata.importing import Controlled, candidate
from stingy_kata.puzzle import Puzzle
from stingy_kata.scheduling import ByHand

SETS = ("_queue", "_dirty", "_processing")
"""Where the queues of the exercises keep what they hold."""

NOW = "now"
"""Who says in a story that it is told to here."""


@dataclass(frozen=True)
class Lane:
    name: str
    program: str
    can: bool
    """Whether it can go next."""
    waits: bool
    """Whether it waits to be woken."""
    says: str
    """How it is with it."""
    call: str = ""
    """The method it is in."""
    line: int = 0
    """The line that it stands before, or waits in; 0 where it is in none."""
    holds: tuple[str, ...] = ()
    """The items between its Get and its Done."""


@dataclass(frozen=True)
class Position:
    """How it is after some choices."""

    order: tuple[str, ...]
    """Who went, as far as they could."""
    lanes: Sequence[Lane]
    sets: Mapping[str, Sequence[str]]
    """What the code itself holds: not what it ought to."""
    story: Sequence[Line]
    """What has come of it so far, with what a right queue would hold beside it, and what is wrong marked."""

    @property
    def choices(self) -> Sequence[str]:
        return [lane.name for lane in self.lanes if lane.can]

    @property
    def broken(self) -> str:
        """The promise that is broken by now, if one is: what ought to have come instead."""
        return next((f"{line}; expected {line.expected}" for line in self.story if line.expected), "")


Drive = Callable[[Sequence[str]], Position]
"""Plays it from the beginning in this order. A choice that cannot be made is passed over."""


@contextmanager
def played(puzzle: Puzzle) -> Iterator[Drive]:
    """The puzzle, set out to be played as often as one likes."""
    with candidate(puzzle.script) as found:
        yield partial(_drive, puzzle, found)


def _drive(puzzle: Puzzle, found: Controlled, order: Sequence[str]) -> Position:
    story, driven = Story(f"{SEED} {puzzle.name}"), Driven(puzzle.lanes, order)
    run = Order(1, driven, aloud=True)
    driven.asides = run.asides
    setting = Setting(puzzle.profile, Stage.race, races=True)
    with stage(found.open, setting, story, run) as race:
        race.run(**{lane.replace(" ", "_"): program for lane, program in puzzle.programs.items()})
    now = next((n for n, step in enumerate(story.steps) if step.who == NOW), len(story.steps))
    waiting = {lane.name for lane in driven.lanes if lane.waits}
    return Position(
        tuple(driven.taken),
        [replace(lane, holds=tuple(_held(story.steps[:now], lane.name))) for lane in driven.lanes],
        {name: [story.plain(item) for item in items] for name, items in driven.sets.items()},
        [_as_of_now(line, waiting) for line in _account(story.steps, now)],
    )


class Driven(ByHand):
    """Takes these turns, and looks how it is when they are taken; what comes then is not asked for."""

    def __init__(self, programs: Mapping[str, str], order: Sequence[str]) -> None:
        super().__init__(order)
        self.taken: list[str] = []
        self.lanes: Sequence[Lane] = ()
        self.sets: Mapping[str, Sequence[object]] = {name.strip("_"): () for name in SETS}
        self.asides: list[Aside] = []
        self._programs = programs
        self._scheduler: Scheduler | None = None
        self._queue: Any = None

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        self._scheduler = scheduler
        if self._queue is None:
            self._queue = next((it.f_locals.get("self") for it in _own(scheduler, current)), None)
        return super().at_point(scheduler, current)

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:
        self._scheduler = scheduler
        return super().when_blocked(scheduler, ready)

    def over(self, scheduler: Scheduler) -> None:
        if not self.lanes:
            self._look(scheduler, ())

    def _next(self, ready: Sequence[Task]) -> Task | None:
        chosen = super()._next(ready)
        if self.lanes:
            return chosen
        if chosen is not None:
            self.taken.append(_name(chosen))
        elif self._scheduler is not None:
            self._look(self._scheduler, ready)
            self._mark(self._scheduler, ready[0])
        return chosen

    def _look(self, scheduler: Scheduler, ready: Collection[Task]) -> None:
        tasks = {_name(task): task for task in scheduler.tasks}
        self.lanes = [
            _describe(scheduler, tasks[name], name, program, can=tasks[name] in ready)
            for name, program in self._programs.items()
        ]
        if self._queue is not None:
            self.sets = {name.strip("_"): _items(getattr(self._queue, name)) for name in SETS}

    def _mark(self, scheduler: Scheduler, task: Task) -> None:
        """Have the story say where it is now: whoever tells of an interruption knows the stamp."""
        if scheduler.witness is not None:
            scheduler.witness(task, None)
            self.asides.append(structs.replace(self.asides.pop(), who=NOW, what=""))


def _name(task: Task) -> str:
    return task.name.replace("_", " ")


def _items(held: Any) -> Sequence[object]:
    return sorted(held) if isinstance(held, set) else list(held)


def _own(scheduler: Scheduler, task: Task) -> Iterator[FrameType]:
    """Where the task is in the candidate's own code, from the inside out."""
    frames = outwards(sys._getframe()) if task.ident == get_ident() else frames_of(task.ident)
    files = scheduler.tracer.files if scheduler.tracer else ()
    return (frame for frame in frames if frame.f_code.co_filename in files)


def _describe(scheduler: Scheduler, task: Task, name: str, program: str, *, can: bool) -> Lane:
    frames = list(_own(scheduler, task))
    if task.state is State.IDLE:
        return Lane(name, program, can=False, waits=False, says="is through")
    if not frames:
        return Lane(name, program, can=can, waits=False, says="has not begun")
    code, line = frames[0].f_code, frames[0].f_lineno
    text = linecache.getline(code.co_filename, line).strip()
    waits = not can and task.state is State.PARKED
    return Lane(
        name, program, can, waits, f"{_standing(task)} line {line}: {text}", frames[-1].f_code.co_name, line
    )


def _standing(task: Task) -> str:
    """How it is with whoever is in the midst of a call, in words that the line follows."""
    wants = task.wants or (task.access.lock if task.access else None)
    if task.state is State.PARKED:
        return "waits to be woken in"
    if wants is not None and wants.held:
        return f"wants the lock that {_name(wants.owner)} holds, before"
    return "was woken in" if task.state is State.WANTS_LOCK and task.awake else "stands before"


def _account(steps: Sequence[Step], now: int) -> Sequence[Line]:
    """The lines so far. What is wrong is wrong by now, and stays so: a call that is under way may have done its work already."""
    if now == len(steps):
        return account(steps)
    begun = list(_so_far(steps, now))
    trouble = explanation([step.call for step in begun if step.call]).trouble
    stays = any(line.expected for line in account(steps)[:now])
    is_wrong = stays and trouble is not None and not trouble.waits
    return [replace(line, expected=line.expected if is_wrong else "") for line in account(begun)]


def _so_far(steps: Sequence[Step], now: int) -> Iterator[Step]:
    """The steps by now. One that a call has only begun with tells of that call, which has not returned."""
    later = {step.who: step.call for step in reversed(steps[now:]) if step.call}
    for step in steps[:now]:
        under_way = later.get(step.who)
        begins = under_way and step.did == f"{under_way.did} begins"
        yield (
            structs.replace(step, call=structs.replace(under_way, end=None)) if under_way and begins else step
        )


def _as_of_now(line: Line, waiting: Collection[str]) -> Line:
    """A call that does not return later on has only begun by now, unless it waits already."""
    if line.outcome != "waits" or line.lane in waiting:
        return line
    return replace(line, did=f"{line.did} begins", outcome="")


def _held(steps: Sequence[Step], lane: str) -> Sequence[str]:
    """What the lane has been handed, and is not done with."""
    held: list[str] = []
    for call in (step.call for step in steps if step.call and step.call.lane == lane):
        if call.op == "get" and call.end is not None and not call.shutdown:
            held.append(str(call.result))
        elif call.op == "done" and call.item in held:
            held.remove(call.item)
    return held
