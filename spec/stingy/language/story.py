"""The numbered calls that led to a verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stingy.contract import SECOND, Nanoseconds
from stingy.language.call import Call
from stingy.testimony import LINE, NAME, cut_short, in_a_line

if TYPE_CHECKING:
    from stingy.language.order import Aside

Told = tuple[float, str, str, str, Call | None]
"""When, and a step."""


MEANT = frozenset(
    {"", " ", "0", "NaN", "false", "null", "nil", "None", "undefined", "__proto__", "constructor"}
)
"""Names that some language takes for nothing, for a number, or for a part of its own: to be seen at all, they cannot be changed."""


@dataclass(frozen=True)
class Step:
    """One line: who did what, and what came of it (nothing, where the outcome is no news)."""

    who: str
    did: str
    outcome: str = ""
    call: Call | None = None
    """The call of a queue that it tells of, with the rule's own names."""
    many: bool = False
    """Whether it tells of many calls, of which what the queue holds cannot be read off."""

    def __str__(self) -> str:
        return f"{self.who}: {self.did}" + (f" → {self.outcome}" if self.outcome else "")


class Story:
    """What happened on one stage, told in the rule's own names."""

    def __init__(self, salt: str) -> None:
        self.steps: list[Step] = []
        self.deaths: list[str] = []
        """What has ended threads of the candidate, told in a line for each."""
        self._moments = 0
        self._longest = 0
        """Characters of a name that the rule has given: one that comes back is never cut."""
        self._salt = hashlib.sha256(salt.encode()).hexdigest()[:4]

    def tell(self, who: str, did: str, outcome: str = "", call: Call | None = None) -> None:
        self.steps.append(_step(who, did, outcome, call))

    def tell_many(self, who: str, did: str) -> None:
        """Many calls in one line."""
        self.steps.append(replace(_step(who, did, ""), many=True))

    def tell_in_order(self, lines: Iterable[Told], asides: Iterable[Aside]) -> None:
        """What several lanes did at once, by when each did it; beside it what was said of the order."""
        said = ((aside.at + 0.5, aside.who, aside.what, "", None) for aside in asides)
        for _, who, did, outcome, call in sorted([*said, *lines], key=lambda line: line[0]):
            self.tell(who.replace("_", " "), did, outcome, call)

    def end_threads(self, deaths: Iterable[tuple[str, str]]) -> None:
        """Tell which threads of the candidate were ended by what they raised."""
        for who, error in deaths:
            self.tell(who, f"ended: {self.unsalt(error)}")
            self.deaths.append(str(self.steps[-1]).replace(": ", " ", 1))

    def look(self, who: str, did: str, outcome: str) -> None:
        """Tell of a look at something; once, where nothing has happened since the same look."""
        step = _step(who, did, outcome)
        if self.steps[-1:] != [step]:
            self.steps.append(step)

    def moment(self) -> int:
        """A number greater than any before: when a call begins, or ends."""
        self._moments += 1
        return self._moments

    def not_before(self, moment: int) -> None:
        """Something has happened that was stamped elsewhere: what comes now is later."""
        self._moments = max(self._moments, moment)

    def salt_name(self, name: str) -> str:
        """The name that the candidate sees: another one each run, so that no suite can be learned by heart.

        Always a new object, so that items are equal, never identical. What means something to a language stays as it is.
        """
        self._longest = max(self._longest, len(name))
        return "".join(list(name)) if name in MEANT else f"{self._salt}-{name}"

    def instant(self) -> Nanoseconds:
        """A whole second of 2023 or 2024: another one each run, like the names."""
        return 1_672_531_200 * SECOND + int(self._salt, 16) * 900 * SECOND

    def unsalt(self, text: str) -> str:
        """What a candidate said, with the rule's own names in it."""
        return text.replace(f"{self._salt}-", "")

    def plain(self, name: object) -> str:
        """The rule's own name for what a candidate returned."""
        text = str(name).removeprefix(f"{self._salt}-")
        return cut_short(text, max(LINE, self._longest))


def _step(who: str, did: str, outcome: str, call: Call | None = None) -> Step:
    """A candidate has a say in each of them: a lane can be a thread of its own, and what was done be told by its code."""
    return Step(in_a_line(who, NAME), in_a_line(did), in_a_line(outcome), call)
