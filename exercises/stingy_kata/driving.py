"""Play a scheduling puzzle: run its lanes in a given order, and describe the position reached.

The same order always leads to the same position. So no thread is kept waiting while the player
thinks: each choice runs the puzzle again from the start, with an order that is one choice longer.
To take a choice back is to run it with a shorter order.
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
from stingy.language.account import Line, account, find_wrong
from stingy.language.linearizability import explanation
from stingy.language.order import Order
from stingy.language.stage import Setting, Stage, stage
from stingy.language.story import Aside, Step, Story
from stingy_kata import SEED
from stingy_kata.importing import Controlled, candidate
from stingy_kata.puzzle import Puzzle
from stingy_kata.scheduling import ByHand

SETS = ("_queue", "_dirty", "_processing")
"""Attributes in which the queues of the exercises keep their items."""

NOW = "now"
"""Lane name of the step that marks the current position in a story."""


@dataclass(frozen=True)
class Lane:
    """State of one lane of a puzzle, after some choices of the player."""

    name: str
    program: str
    """The calls of the lane, in the notation of the rules."""
    can: bool
    """True if it can run next."""
    waits: bool
    """True if it is blocked until another lane wakes it."""
    says: str
    """Its state in words, as in ``stands before line 12: with self._lock:``."""
    call: str = ""
    """Name of the method that the lane is in; empty if it is in none."""
    line: int = 0
    """Number of the line that the lane runs next, or waits in; 0 if it is in no call."""
    holds: tuple[str, ...] = ()
    """Items that the lane has got from the queue, and not yet marked as done."""


@dataclass(frozen=True)
class Position:
    """State of a puzzle after the player has chosen some lanes, one after the other."""

    order: tuple[str, ...]
    """The lanes that were chosen, in order; choices of lanes that could not run are left out."""
    lanes: Sequence[Lane]
    sets: Mapping[str, Sequence[str]]
    """Items in the sets of the puzzle's own code, which may differ from a correct queue's."""
    story: Sequence[Line]
    """The steps so far, each with the sets of a correct queue; the first wrong step is marked."""

    @property
    def choices(self) -> Sequence[str]:
        return [lane.name for lane in self.lanes if lane.can]

    @property
    def broken(self) -> str:
        """Text of the first wrong step, with what was expected; empty if nothing is wrong so far."""
        return next((f"{line}; expected {line.wanted}" for line in self.story if line.expected), "")


Drive = Callable[[Sequence[str]], Position]
"""Runs a puzzle from its start in the given order of lanes. Skips a lane that cannot run."""


@contextmanager
def played(puzzle: Puzzle) -> Iterator[Drive]:
    """Load a puzzle, and yield a function that plays it; the function may be called any number of times.

    The function takes the names of the lanes to run, in order, and returns a Position.
    """
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
    """Runs the lanes in the given order, and records their state after the last choice.

    The run then continues to its end in some order, which is not recorded.
    """

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
        """Add a remark to the story that marks the current position.

        Its lane is ``NOW``: the scheduler's witness adds a remark with the current stamp, and its lane
        and text are then replaced.
        """
        if scheduler.witness is not None:
            scheduler.witness(task, None)
            self.asides.append(structs.replace(self.asides.pop(), who=NOW, what=""))


def _name(task: Task) -> str:
    return task.name.replace("_", " ")


def _items(held: Any) -> Sequence[object]:
    return sorted(held) if isinstance(held, set) else list(held)


def _own(scheduler: Scheduler, task: Task) -> Iterator[FrameType]:
    """Yield the task's stack frames in the candidate's own code, innermost first."""
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
    """Return the state of a task in a call, such as ``stands before``, to precede a line of code."""
    wants = task.wants or (task.access.lock if task.access else None)
    if task.state is State.PARKED:
        return "waits to be woken in"
    if wants is not None and wants.held:
        return f"wants the lock that {_name(wants.owner)} holds, before"
    return "was woken in" if task.state is State.WANTS_LOCK and task.awake else "stands before"


def _account(steps: Sequence[Step], now: int) -> Sequence[Line]:
    """Return the lines of the story up to ``now``, the index of the step that marks the position.

    A step is shown as wrong only if it is wrong in this part, and also at the end of the run: a
    call in progress may have had its effect already, which shows only when it returns.
    """
    if now == len(steps):
        return account(steps)
    begun = list(_so_far(steps, now))
    trouble = explanation([step.call for step in begun if step.call]).trouble
    stays = find_wrong(account(steps)[:now]) is not None
    is_wrong = stays and trouble is not None and not trouble.waits
    return [line if is_wrong else replace(line, expected="", expected_of="") for line in account(begun)]


def _so_far(steps: Sequence[Step], now: int) -> Iterator[Step]:
    """Yield the steps of a run before the index ``now``.

    If a call returns only after ``now``, the step that begins it gets this call, marked as not yet
    returned.
    """
    later = {step.who: step.call for step in reversed(steps[now:]) if step.call}
    for step in steps[:now]:
        under_way = later.get(step.who)
        begins = under_way and step.did == f"{under_way.did} begins"
        yield (
            structs.replace(step, call=structs.replace(under_way, end=None)) if under_way and begins else step
        )


def _as_of_now(line: Line, waiting: Collection[str]) -> Line:
    """Return a line of a story as it was at the position that is shown.

    A call that never returns is shown as begun, not as waiting, unless its lane is in ``waiting``.
    """
    if line.outcome != "waits" or line.lane in waiting:
        return line
    return replace(line, did=f"{line.did} begins", outcome="")


def _held(steps: Sequence[Step], lane: str) -> Sequence[str]:
    """Return the items that the lane has got from the queue, and not yet marked as done."""
    held: list[str] = []
    for call in (step.call for step in steps if step.call and step.call.lane == lane):
        if call.op == "get" and call.end is not None and not call.shutdown:
            held.append(str(call.result))
        elif call.op == "done" and call.item in held:
            held.remove(call.item)
    return held
