"""One exploration, many oracles: what the orders of a race have shown to one rule need not be brought about for the next.

A rule that looks at nothing but the history of a program is asked about those that there were when another rule had the
same program run, on the same stage and in as many orders. It only ever comes to "kept" in this way: what it objects to is
run for it, and told from that.
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

PLAIN = (NoneType, bool, int, str)
"""What can be kept: nobody can alter it later, and to compare it calls none of the candidate's code."""


Program = tuple[str, str]
"""What comes before, and at once."""


class Forgotten(Exception):  # noqa: N818 - it is no error
    """Not what was looked at when the program ran."""


@dataclass(frozen=True)
class Memorable:
    """A program of which all orders that were run are known."""

    histories: Sequence[Sequence[Call]]
    """Those that differ."""
    runs: int
    exhaustive: bool
    steps: Sequence[Step]
    """Of the story of the last run."""
    unseen: str
    """Code in which no lane could be interrupted."""


class Memory:
    """What the races of one candidate have shown with one seed."""

    def __init__(self) -> None:
        self._known: dict[tuple[Setting, int], dict[Program, Memorable]] = {}
        """By the stage, and in how many orders races were run on it."""

    def recall(self, check: Callable[[object], object], setting: Setting, orders: int) -> Memorable | None:
        """What a rule has been asked about and keeps to; None if it has to be run for it."""
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
        """The same, and what it explores to the end is remembered."""

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
    """What is noted while one program is run in many orders."""

    def __init__(self) -> None:
        self.histories: dict[object, Sequence[Call]] = {}
        self.last: Played | None = None
        """None where something cannot be kept, or was no program that is written down."""
        self._is_whole = True

    def take(self, played: Played | None) -> None:
        self._is_whole = self._is_whole and played is not None and all(map(_is_plain, played.calls))
        self.last = played if self._is_whole else None
        if self.last is not None:
            kinds = tuple(type(call.result) for call in self.last.calls)  # 1 is True
            self.histories.setdefault((self.last.calls, kinds), self.last.calls)


class Recalled:
    """Stands where a rule is handed a race, and plays what was played before: one of the histories that there were."""

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
