"""Reuse of histories: run a race's orders, or walks, once, and check several rules against them.

A rule that only looks at the history of a program is checked against the histories recorded when
another rule ran the same program, on the same stage and in the same number of orders. Only a PASS
can come from recorded histories: if a rule is broken by one of them, the race is run for this rule.
Walks are recorded only if they broke no promise at all, and then count for each rule that has the same walks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from types import NoneType

from stingy.language.call import Call
from stingy.language.history import History
from stingy.language.order import Attempt, Explored, Explorer, Failure, Order, Played
from stingy.language.session import Undecided
from stingy.language.stage import Setting
from stingy.language.story import Step
from stingy.language.values import Range

PLAIN = (NoneType, bool, int, str)
"""Types of results that can be recorded: immutable, and compared without the candidate's code."""


Program = tuple[str, str]
"""The texts ``before`` and ``at_once`` of ``Race.play``."""


class Forgotten(Exception):  # noqa: N818 - not an error
    """A rule needs something of a race that no recorded history can answer, so the race must run."""


@dataclass(frozen=True)
class Memorable:
    """A race's program, with the histories of all orders in which it was run."""

    histories: Sequence[Sequence[Call]]
    """The distinct histories, each once."""
    runs: int
    exhaustive: bool
    steps: Sequence[Step]
    """The story of the last run."""
    unseen: str
    """Code in which no thread could be preempted."""


@dataclass(frozen=True)
class Unbroken:
    """Walks on which a candidate broke no promise."""

    number: int
    steps: Sequence[Step]
    """The story of the last walk."""


class Memory:
    """What one candidate did in races and on walks, so that other rules need not do the same again."""

    def __init__(self) -> None:
        self._known: dict[tuple[Setting, int], dict[Program, Memorable]] = {}
        """By setting, and by the number of orders in which races were run."""
        self._walked: dict[tuple[Setting, Range], Unbroken] = {}

    def recall_walks(self, setting: Setting, walks: Range) -> Unbroken | None:
        """Return the record of walks on which the candidate broke no promise; None if they have to be walked."""
        return self._walked.get((setting, walks))

    def keep_walks(self, setting: Setting, walks: Range, walked: Unbroken) -> None:
        self._walked[setting, walks] = walked

    def recall(self, check: Callable[[object], object], setting: Setting, orders: int) -> Memorable | None:
        """Check a rule against the recorded histories of the program that it runs.

        Returns the record if no recorded history breaks the rule; None if its race has to be run.
        """
        known = self._known.get((setting, orders))
        if known is None:
            return None
        for number in count():
            recalled = Recalled(known, number)
            try:
                check(recalled)
            except (Forgotten, AssertionError, Undecided):
                return None
            if recalled.found is None or number + 1 == len(recalled.found.histories):
                return recalled.found
        raise AssertionError("count() does not end")

    def noting(self, explore: Explorer, setting: Setting) -> Explorer:
        """Return an explorer that works like ``explore`` and records the histories of passing races."""

        def explorer(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
            notes = Notes()

            def noted(order: Order) -> Failure | None:
                failure = attempt(order)
                notes.take(order.played)
                return failure

            found = explore(noted, runs, small=small)
            self._keep(setting, runs, notes, found)
            return found

        return explorer

    def _keep(self, setting: Setting, orders: int, notes: Notes, found: Explored) -> None:
        last = notes.last
        if last is None or found.by_chance or found.failure is not None:
            return
        known = self._known.setdefault((setting, orders), {})
        known[last.before, last.at_once] = Memorable(
            tuple(notes.histories.values()), found.runs, found.exhaustive, last.steps(), found.unseen
        )


class Notes:
    """Collects the different histories of one program while it is run in many orders."""

    def __init__(self) -> None:
        self.histories: dict[object, Sequence[Call]] = {}
        self.last: Played | None = None
        """The last program that ran.

        None if its result cannot be recorded, or if it is not written in ``notation``.
        """
        self._is_whole = True

    def take(self, played: Played | None) -> None:
        self._is_whole = self._is_whole and played is not None and all(map(_is_plain, played.calls))
        self.last = played if self._is_whole else None
        if self.last is not None:
            kinds = tuple(type(call.result) for call in self.last.calls)  # because 1 == True
            self.histories.setdefault((self.last.calls, kinds), self.last.calls)


class Recalled:
    """Replaces a race: ``play`` returns a recorded history; any other use raises Forgotten."""

    def __init__(self, known: Mapping[Program, Memorable], number: int) -> None:
        self.found: Memorable | None = None
        self._known = known
        self._number = number

    def play(self, before: str, at_once: str) -> History:
        if self.found is not None:
            raise Forgotten
        self.found = self._known.get((before, at_once))
        if self.found is None:
            raise Forgotten
        return History(self.found.histories[self._number])

    def __getattr__(self, name: str) -> object:
        raise Forgotten


def _is_plain(call: Call) -> bool:
    return type(call.result) in PLAIN and call.early is None
