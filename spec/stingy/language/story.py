"""The numbered calls that led to a verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Self

from msgspec import Struct
from msgspec.structs import replace

from stingy.contract import SECOND, Nanoseconds
from stingy.language.call import Call
from stingy.testimony import LINE, NAME, cut_short, in_a_line, show

if TYPE_CHECKING:
    from stingy.language.order import Aside

Told = tuple[float, str, str, str, Call | None]
"""When, and a step."""
Said = tuple[str, str, str, Call | None]
"""A step that is still to be put into words."""
Sayings = Callable[[], Sequence[Said]]


NO_LONGER_WAITS = "is cancelled"
"""Outcome of a call that a lane no longer waits for."""
MEANT = frozenset(
    {"", " ", "0", "NaN", "false", "null", "nil", "None", "undefined", "__proto__", "constructor"}
)
"""Names that some language takes for nothing, for a number, or for a part of its own: to be seen at all, they cannot be changed."""


class Compound(str):
    """A name of several parts, each of which is changed for itself: so two names can be the parts of another one."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        made = super().__new__(cls, "".join(parts))
        made.parts = parts
        return made


class Step(Struct, frozen=True):
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
        self._told: list[Step | Said | Sayings] = []
        """What has been told; most of it is never read, so it is put into words when it is."""
        self._in_words = True
        self.deaths: list[str] = []
        """What has ended threads of the candidate, told in a line for each."""
        self._moments = 0
        self._longest = 0
        """Characters of a name that the rule has given: one that comes back is never cut."""
        self._salt = hashlib.sha256(salt.encode()).hexdigest()[:4]

    @property
    def steps(self) -> Sequence[Step]:
        """All that has been told so far."""
        if not self._in_words:
            self._told = [*_put_into_words(self._told)]
            self._in_words = True
        return self._told  # type: ignore[return-value]

    def so_far(self) -> Callable[[], Sequence[Step]]:
        """What has been told by now, to be read later."""
        told = tuple(self._told)
        return lambda: [*_put_into_words(told)]

    @property
    def has_begun(self) -> bool:
        return bool(self._told)

    def tell(self, who: str, did: str, outcome: str = "", call: Call | None = None) -> None:
        self._told.append((who, did, outcome, call))
        self._in_words = False

    def tell_many(self, who: str, did: str) -> None:
        """Many calls in one line."""
        self._told.append(replace(_step(who, did, ""), many=True))

    def tell_again(self, steps: Iterable[Step]) -> None:
        """What has happened elsewhere in just this way."""
        self._told.extend(steps)

    def tell_in_order(self, lines: Iterable[Told], asides: Iterable[Aside]) -> None:
        """What several lanes did at once, by when each did it; beside it what was said of the order."""

        @cache
        def say() -> Sequence[Said]:
            said = ((aside.at + 0.5, aside.who, aside.what, "", None) for aside in asides)
            in_order = sorted([*said, *lines], key=lambda line: line[0])
            return [(who.replace("_", " "), did, outcome, call) for _, who, did, outcome, call in in_order]

        self._told.append(say)
        self._in_words = False

    def cut_back(self, steps: int) -> None:
        """Let only so many of the steps have been told."""
        del self._told[steps:]

    def end_threads(self, deaths: Iterable[tuple[str, str]]) -> None:
        """Tell which threads of the candidate were ended by what they raised."""
        for who, error in deaths:
            self.tell(who, f"ended: {self.unsalt(error)}")
            self.deaths.append(str(self.steps[-1]).replace(": ", " ", 1))

    def look(self, who: str, did: str, outcome: str) -> None:
        """Tell of a look at something; once, where nothing has happened since the same look."""
        step = _step(who, did, outcome)
        if self.steps[-1:] != [step]:
            self._told.append(step)

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
        if name in MEANT:
            return "".join(list(name))
        parts = name.parts if isinstance(name, Compound) else (name,)
        return "".join(f"{self._salt}-{part}" for part in parts)

    def instant(self) -> Nanoseconds:
        """A whole second of 2023 or 2024: another one each run, like the names."""
        return 1_672_531_200 * SECOND + int(self._salt, 16) * 900 * SECOND

    def unsalt(self, text: str) -> str:
        """What a candidate said, with the rule's own names in it."""
        return text.replace(f"{self._salt}-", "")

    def plain(self, name: object) -> str:
        """The rule's own name for what a candidate returned."""
        text = self.unsalt(name if isinstance(name, str) else show(name))
        return cut_short(text, max(LINE, self._longest))


def _put_into_words(told: Iterable[Step | Said | Sayings]) -> Iterator[Step]:
    for it in told:
        if isinstance(it, Step):
            yield it
        elif isinstance(it, tuple):
            yield _step(*it)
        else:
            yield from (_step(*said) for said in it())


def _step(who: str, did: str, outcome: str, call: Call | None = None) -> Step:
    """A candidate has a say in each of them: a lane can be a thread of its own, and what was done be told by its code."""
    return Step(in_a_line(who, NAME), in_a_line(did), in_a_line(outcome), call)
