"""Paths: walks that are drawn along the model, so that each call meets an item in each of its states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from stingy.contract import SECOND
from stingy.language.choices import Choices
from stingy.language.model import State, at, hand_out
from stingy.language.values import Range
from stingy.language.walk import follow, read
from stingy.language.walked import WORKERS

ITEMS = ("a", "a", "ab", "abcdef")
"""Items of walks: with fewer of them, more happens to each; with many, several are ready beside each other."""

FAILURES = 3
"""Failures of an item until it is forgotten: each doubles its delay, and some queues poll meanwhile."""

AGAIN = ("ITEM fails", "ITEM ends error", "ITEM ends requeue")
"""Beginnings of calls after which an item comes again later."""


def walks(*calls: str, most: int, merges: bool = False, once: str = "") -> Range:
    """Return a range of walks of up to ``most`` steps.

    ``calls``: steps that the walk may have besides time that passes, with ITEM for an item. Without ``get``,
    workers ask by themselves. ``merges``: as in ``State``. ``once``: a step that each walk has once, after
    some of the others.
    """

    def draw(choices: Choices) -> list[str]:
        path = Path(calls, choices.pick(ITEMS), merges)

        def go(least: int, most: int) -> list[str]:
            return choices.repeat(lambda: path.choose(choices), least, most, simplest=0)

        if not once:
            return go(most // 2, most)
        before = go(most // 4, most * 3 // 4)
        path.take(once)
        return [*before, once, *go(0, most // 4)]

    numbers = f"{len(ITEMS[0])} to {len(ITEMS[-1])}"
    words = f"up to {most} steps with {numbers} items, in every mix: {', '.join(calls)}, time passes"
    words += f"; {once} once" * bool(once)
    return Range(words, draw, walks=True)


class Path:
    """The course of a drawn walk, on a queue that keeps as much as it may."""

    def __init__(self, calls: Sequence[str], items: str, merges: bool) -> None:
        self._calls = calls
        self._items = items
        self._state = State(merges=merges)
        self._now = 0
        self._waiting = 0 if "get" in calls else WORKERS
        """Number of workers that wait for an item."""
        self._last = dict.fromkeys(items, "")
        self.gone: Counter[tuple[str, str]] = Counter()
        """How often each way was gone: the place of an item, and the step that led on from there."""

    def choose(self, choices: Choices) -> str:
        """Choose the next step; one that was hardly ever taken from where an item is."""
        ways = [(place, way, item) for item in self._items for place, way in self._ways(item)]
        gone = [self.gone[place, way] for place, way, _ in ways]
        few = min(gone) + 1
        place, way, item = choices.pick([it for it, times in zip(ways, gone, strict=True) if times <= few])
        self.gone[place, way] += 1
        self._last[item] = way
        said = way.replace("ITEM", item)
        self.take(said)
        return said

    def _ways(self, item: str) -> Iterator[tuple[str, str]]:
        """Yield the ways on from where this item is: its place, and a step."""
        state = self._state
        place = "queued" if item in state.queue else "held" if item in state.processing else "absent"
        place += (
            " dirty" * (item in state.owed)
            + " waits" * state.waits(item)
            + " failed" * bool(state.failed(item))
            + " in shutdown" * state.shutting_down
        )
        place += f" by {self._last[item]}"
        for call in self._calls:
            if call == "len":
                yield f"{bool(state.queue)}", call
            elif self._makes_sense(call, item):
                yield place, call
        if state.waiting:
            yield place, "until due"
            yield place, "until nearly due"
        if state.waiting or state.shutting_down:
            yield place, "60 s pass"

    def _makes_sense(self, call: str, item: str) -> bool:
        if call == "get":
            return self._waiting < WORKERS
        if call.startswith(AGAIN) and self._state.failed(item) >= FAILURES:
            return False
        return not call.startswith(("done", "ITEM ends")) or item in self._state.processing

    def take(self, said: str) -> None:
        """Follow a step."""
        match read(said):
            case ["get"]:
                self._waiting += 1
            case ["pass", span]:
                self._now += span
            case ["until due"]:
                self._now = self._state.waiting[0].ends
            case ["until nearly due"]:
                self._now = max(self._now, self._state.waiting[0].ends - SECOND)
            case step:
                self._waiting += step[0] == "ends"
                self._state = _fullest(follow(self._state, step, self._now, self._now))
        self._state = _fullest(at(self._state, self._now))
        while self._waiting and self._state.queue:
            self._waiting -= 1
            first = max(self._state.queue, key=self._state.priority)
            came = [(first, self._state.priority(first))]
            self._state = _fullest(hand_out(self._state, came, 0))
        if self._state.shutting_down:
            self._waiting = 0


def _fullest(states: Iterable[State]) -> State:
    return max(states, key=_fullness)


def _fullness(state: State) -> tuple[object, ...]:
    """Return a key that differs for states that differ: the order of a set is another in each process."""
    sets = (state.owed, state.urgent, state.failures, state.processing, state.late, state.early, state.ahead)
    fullness = len(state.waiting), len(state.dirty)
    return *fullness, state.queue, state.waiting, *(sorted(it) for it in sets)
