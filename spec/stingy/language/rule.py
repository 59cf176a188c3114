"""A rule: one normative sentence, and the function that finds out whether a candidate keeps it."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property, partial
from random import Random
from typing import Any

from stingy.contract import Profile
from stingy.kubernetes import WAYS
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.examples import try_examples
from stingy.language.order import Explorer, Failure, Order
from stingy.language.session import Opener
from stingy.language.stage import ROW, WORDS, profile_of, stage
from stingy.language.story import Story
from stingy.language.values import Range
from stingy.sources import Source

ORDERS = 60
"""In how many orders a race is run."""
PROGRAMS = 24
"""How many programs are drawn where a rule is about every one."""
ORDERS_A_PROGRAM = 8
"""In how many orders each of them is run."""
ORDERS_A_ROW = 60
"""In how many each row of a table of races: one row makes up for what another misses."""


class Level(StrEnum):
    MUST = "MUST"
    """Promised: to break it fails the candidate."""
    SHOULD = "SHOULD"
    """What upstream does and a sane port may do otherwise: fails only under ``--strict``."""
    CONTESTED = "CONTESTED"
    """Upstream's words and code differ: every listed outcome is accepted, the one seen is reported."""
    UNDEFINED = "UNDEFINED"
    """The caller broke a precondition: a probe, never a verdict on the candidate."""


@dataclass(frozen=True)
class Row:
    """A row of a table; a subclass's fields are the columns, the first one names the row."""

    def cells(self) -> dict[str, str]:
        """Column titles and their values, as a page shows them."""
        return {
            column.name.replace("_", " "): _cell(getattr(self, column.name))
            for column in fields(self)
            if not callable(getattr(self, column.name))
        }

    @property
    def name(self) -> str:
        return _cell(getattr(self, fields(self)[0].name))


@dataclass(frozen=True)
class Performed:
    """What came of it."""

    outcome: str = ""
    """What was seen, for a contested rule or a probe."""
    broken: AssertionError | None = None
    runs: int = 1
    """How many examples were tried, or in how many orders lanes ran."""
    exhaustive: bool = False
    """Whether these orders were all there are, but for those that nobody could tell apart from one of them."""
    order: str = ""
    """The order in which it broke, as a token."""


@dataclass(frozen=True)
class Rule:
    check: Callable[..., Any]
    cites: tuple[Source, ...]
    each: tuple[Row, ...] = ()
    for_all: Mapping[str, Range] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    probe: bool = False
    where: Mapping[str, str] = field(default_factory=dict)
    """The ways of kube-proxy that it is about; a candidate with others is not asked."""
    covers: tuple[str, ...] = ()
    """The behaviours of the catalogue that it is about."""

    @property
    def guarantee(self) -> str:
        """The module that the rule stands in: its chapter, and its page."""
        return self.check.__module__.rpartition(".")[2]

    @property
    def id(self) -> str:
        return f"{self.guarantee}/{self.check.__name__.replace('_', '-')}"

    @property
    def sentence(self) -> str:
        """The normative sentence: the first paragraph of the docstring."""
        return " ".join(self._doc.partition("\n\n")[0].split())

    @property
    def reason(self) -> str:
        """Why, and what goes wrong without it: the rest of the docstring."""
        return self._doc.partition("\n\n")[2]

    @property
    def level(self) -> Level:
        if self.probe:
            return Level.UNDEFINED
        return Level.CONTESTED if self.contested else Level(_words(self.sentence)[0])

    @cached_property
    def needs(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.check).parameters)

    @property
    def profile(self) -> Profile:
        return profile_of(self.needs)

    @property
    def races(self) -> bool:
        return any(word.endswith("race") for word in self.needs)

    @property
    def cases(self) -> Sequence[Row | None]:
        """What is judged one by one: the rows of the table, or the rule itself."""
        return self.each or (None,)

    @property
    def _doc(self) -> str:
        return inspect.cleandoc(self.check.__doc__ or "")

    def perform(
        self,
        open_session: Opener,
        row: Row | None,
        seed: int,
        tell: Callable[[Story], None],
        explore: Explorer,
        *,
        exact: bool = True,
        only: int | None = None,
        allowance: Allowance = NOTHING,
    ) -> Performed:
        """Find out whether the candidate keeps this rule.

        Every example and every round gets a fresh stage, whose story ``tell`` is given before it begins.
        ``explore`` chooses the orders that the lanes of a race run in. Where the candidate is not ``exact``,
        and every look may cost real waiting, fewer examples are tried and none is shrunk. ``only``: just
        this one of the programs that a race draws. ``allowance``: what is known to be otherwise, and not asked.
        """

        def once(order: Order, drawn: Mapping[str, object]) -> str:
            story = Story(f"{seed} {self.id}")
            tell(story)
            with stage(open_session, self.needs, story, order, allowance) as given:
                if row is not None:
                    given[ROW] = row
                return str(self.check(**given, **drawn) or "")

        try:
            if self.races and self.for_all:
                return self._drawn(explore, once, seed, range(PROGRAMS) if only is None else (only,))
            if self.races:
                return self._explored(explore, once, {}, ORDERS_A_ROW if self.each else ORDERS)
            if self.for_all:
                with stage(open_session, self.needs, Story(""), Order(0)):
                    pass  # where it is not offered, nothing need be drawn
                example = partial(once, Order(0))
                return Performed(runs=try_examples(self.for_all, example, seed, exact=exact))
            return self._accepted(once(Order(0), {}))
        except AssertionError as broken:
            return Performed(broken=broken)

    def _drawn(self, explore: Explorer, once: Once, seed: int, numbers: Iterable[int]) -> Performed:
        """Explore programs drawn by the seed until one breaks the rule; its number stands before the order."""
        runs, exhaustive = 0, True
        for number in numbers:
            random = Random(f"{seed} {self.id} {number}")  # noqa: S311 - no secret
            drawn = {name: values.drawn(random) for name, values in self.for_all.items() if values.drawn}
            done = self._explored(explore, once, drawn, ORDERS_A_PROGRAM)
            runs, exhaustive = runs + done.runs, exhaustive and done.exhaustive
            if done.broken is not None:
                return replace(done, runs=runs, order=f"{number}#{done.order}")
        return Performed(runs=runs, exhaustive=exhaustive)

    def _explored(self, explore: Explorer, once: Once, drawn: Mapping[str, object], orders: int) -> Performed:
        def attempt(order: Order) -> Failure | None:
            try:
                once(order, drawn)
            except AssertionError as broken:
                return Failure(broken, self._line(broken))
            return None

        found = explore(attempt, orders)
        broken = found.failure.error if found.failure else None
        return Performed("", broken, found.runs, found.exhaustive, found.token)

    def _accepted(self, outcome: str) -> Performed:
        if self.contested and outcome not in self.contested:
            expected = " or ".join(repr(it) for it in self.contested)
            raise AssertionError(f"seen: {outcome!r}; accepted: {expected}")
        return Performed(outcome)

    def _line(self, broken: AssertionError) -> int:
        """The line of the rule that objects."""
        code = self.check.__code__
        frames = traceback.walk_tb(broken.__traceback__)
        return next((line for frame, line in frames if frame.f_code is code), 0)


Once = Callable[[Order, Mapping[str, object]], str]
"""Performs a rule on a fresh stage, lanes in this order, with these values drawn; the outcome it returns."""


def rule(
    *,
    cites: Source | tuple[Source, ...],
    each: Sequence[Row] = (),
    for_all: Mapping[str, Range] | None = None,
    covers: str | Sequence[str] = (),
    after: str | Sequence[str] = (),
    hints: Sequence[str] = (),
    contested: Sequence[str] = (),
    probe: bool = False,
    where: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Rule]:
    """Make a rule of a function.

    ``each``: rows of a table, judged one by one. ``for_all``: a property, by parameter name. ``after``:
    the rules this one builds on; while one of them is broken this one is not judged. ``hints``: what to
    check if it fails. ``contested``: the outcomes, one of which the function returns. ``probe``: the
    function only reports. ``where``: only candidates with these ways of kube-proxy are asked. ``covers``: the
    behaviours in the catalogue that it is about.
    """

    def make(check: Callable[..., Any]) -> Rule:
        made = Rule(
            check,
            cites if isinstance(cites, tuple) else (cites,),
            tuple(each),
            dict(for_all or {}),
            _names(after),
            tuple(hints),
            tuple(contested),
            probe,
            dict(where or {}),
            _names(covers),
        )
        _refuse_nonsense(made)
        return made

    return make


def _refuse_nonsense(made: Rule) -> None:
    words = _words(made.sentence)
    if len(words) != 1:
        raise TypeError(
            f"{made.id}: the sentence holds exactly one of MUST, SHOULD, MAY; this one: {words or 'none'}"
        )
    if (words[0] == "MAY") != bool(made.contested or made.probe):
        raise TypeError(f"{made.id}: MAY goes with contested=… or probe=True, and they with MAY")
    if wrong := {way for way, value in made.where.items() if value not in WAYS.get(way, ())}:
        raise TypeError(f"{made.id}: no version of kube-proxy has these ways: {', '.join(sorted(wrong))}")
    known = {*WORDS, *made.for_all, *({ROW} if made.each else ())}
    if unknown := set(made.needs) - known:
        raise TypeError(
            f"{made.id} asks for {', '.join(sorted(unknown))}; there is: {', '.join(sorted(known))}"
        )
    names = [row.name for row in made.each]
    if len(set(names)) != len(names):
        raise TypeError(f"{made.id}: two rows have the same name")


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _words(sentence: str) -> list[str]:
    return re.findall(r"\b(MUST|SHOULD|MAY)\b", sentence)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def rules_in(namespace: Mapping[str, object], module: str) -> Iterator[Rule]:
    """The rules that a guarantee's module declares, in the order in which they stand there."""
    for thing in namespace.values():
        if isinstance(thing, Rule) and thing.check.__module__ == module:
            yield thing
