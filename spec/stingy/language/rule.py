"""A rule: one normative sentence, and the function that finds out whether a candidate keeps it."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property, partial
from itertools import islice
from typing import Any

from stingy.contract import Profile
from stingy.kubernetes import WAYS
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.examples import try_examples
from stingy.language.memory import Memory
from stingy.language.order import Budget, Explorer, Failure, Order, within
from stingy.language.session import Opener
from stingy.language.stage import Setting, stage
from stingy.language.story import Story
from stingy.language.values import Range
from stingy.language.words import read
from stingy.sources import Source

ORDERS = 60
"""In how many orders a race is run; each row of a table of races, which makes up for what another one misses."""
ORDERS_OF_PROGRAMS = 300
"""In how many orders small programs are run, one after the other, where a rule is about all of them."""
ORDERS_OF_PROGRAMS_TIMED = 96
"""The same where each costs real waiting."""
ORDERS_A_PROGRAM = 12
"""In how many each of them is run at most."""
ORDERS_TO_ITS_END = 200
"""The same where there is a share of time: hardly any has more."""
SHARES_OF_PROGRAMS = 10
"""A rule about all small programs has so many shares of the time there is; a race that is written down has one."""

ROW = "row"
"""The parameter that is given the row of a table."""


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
    by_chance: bool = False
    """Whether nobody has chosen the orders that lanes ran in."""
    unseen: str = ""
    """Code in which no lane could be interrupted."""


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
    orders: int = ORDERS
    """In how many orders a race is run, at the most; more where no other rule makes up for what it misses."""

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
    def asks(self) -> tuple[str, Setting]:
        """The parameter that says what the rule asks for, and what that is. TypeError, with a sentence, if it is no word."""
        given = {*self.for_all, *({ROW} if self.each else ())}
        asking = [it for it in inspect.signature(self.check).parameters.values() if it.name not in given]
        if len(asking) != 1:
            names = " and ".join(it.name for it in asking) or "nothing"
            raise TypeError(
                f"{self.id} asks for {names}: one parameter has a word for its annotation, the others are called {ROW}, where there is "
                "a table, and as for_all=… names them"
            )
        (parameter,) = asking
        return parameter.name, self._read(parameter)

    @property
    def profile(self) -> Profile:
        return self.asks[1].profile

    @property
    def races(self) -> bool:
        return self.asks[1].races

    def _read(self, parameter: inspect.Parameter) -> Setting:
        """What the annotation says, as an object or as a text."""
        word, said = parameter.annotation, parameter.name
        if isinstance(word, str):
            said = word
            with suppress(NameError):
                word = eval(word, inspect.unwrap(self.check).__globals__)  # noqa: S307 - it is the rule's own
        elif word is not parameter.empty:
            said = getattr(word, "__name__", str(word))
        try:
            return read(word, said)
        except TypeError as why:
            raise TypeError(f"{self.id} asks for {parameter}: {why}") from None

    @property
    def shares(self) -> int:
        """How many shares of the time for races each of its cases has."""
        if not self.races:
            return 0
        return SHARES_OF_PROGRAMS if self.for_all else 1

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
        shrinks: bool = True,
        only: int | None = None,
        allowance: Allowance = NOTHING,
        share: float | None = None,
        memory: Memory | None = None,
    ) -> Performed:
        """Find out whether the candidate keeps this rule.

        Every example and every round gets a fresh stage, whose story ``tell`` is given before it begins.
        ``explore`` chooses the orders that the lanes of a race run in. Where the candidate is not ``exact``,
        and every look may cost real waiting, fewer examples are tried and none is shrunk; nor is one if not ``shrinks``. ``only``: just
        this one of the programs that the rule is about. ``allowance``: what is known to be otherwise, and not asked.
        ``share``: a share of the time for races, in seconds; None: they are run in a fixed number of orders.
        ``memory``: what races have shown to other rules, where that is worth as much as to run them again.
        """

        parameter, setting = self.asks

        def check(asked: object, drawn: Mapping[str, object]) -> str:
            given = {parameter: asked} | ({} if row is None else {ROW: row})
            return str(self.check(**given, **drawn) or "")

        def begin_story() -> Story:
            story = Story(f"{seed} {self.id}")
            tell(story)
            return story

        def once(order: Order, drawn: Mapping[str, object]) -> str:
            with stage(open_session, setting, begin_story(), order, allowance) as asked:
                return check(asked, drawn)

        try:
            if self.races and self.for_all:
                most = ORDERS_OF_PROGRAMS if exact else ORDERS_OF_PROGRAMS_TIMED
                budget = within(most, None if share is None else share * self.shares)
                each = ORDERS_A_PROGRAM if share is None else ORDERS_TO_ITS_END
                return self._explore_each(explore, once, seed, only, each, budget)
            if self.races:
                memory = memory or Memory()
                if known := memory.recall(lambda race: check(race, {}), setting, self.orders):
                    begin_story().tell_again(known.steps)
                    return Performed(runs=known.runs, exhaustive=known.exhaustive, unseen=known.unseen)
                return self._explore(memory.noting(explore, setting), once, {}, self.orders)
            if self.for_all:
                with stage(open_session, setting, Story(""), Order(0)):
                    pass  # where it is not offered, nothing need be drawn
                example = partial(once, Order(0))
                tried = try_examples(self.for_all, example, seed, exact=exact, shrinks=shrinks)
                return Performed(runs=tried)
            return self._accept(once(Order(0), {}))
        except AssertionError as broken:
            return Performed(broken=broken)

    def _explore_each(
        self,
        explore: Explorer,
        once: Once,
        seed: int,
        only: int | None,
        orders: int,
        budget: Budget,
    ) -> Performed:
        """Explore one program after the other until one breaks the rule; its number stands before the order."""
        ((name, values),) = self.for_all.items()
        programs = enumerate(values.list_all(f"{seed} {self.id}") if values.list_all else ())
        done = Performed(runs=0)
        runs, exhaustive, unseen = 0, True, ""
        for number, program in programs if only is None else islice(programs, only, only + 1):
            done = self._explore(explore, once, {name: program}, orders, small=True)
            runs, exhaustive = runs + done.runs, exhaustive and done.exhaustive
            unseen = unseen or done.unseen
            if done.broken is not None:
                return replace(done, runs=runs, order=f"{number}#{done.order}")
            if budget.spent(runs):
                return replace(done, runs=runs, exhaustive=False, unseen=unseen)
        return replace(done, runs=runs, exhaustive=exhaustive, unseen=unseen)

    def _explore(
        self,
        explore: Explorer,
        once: Once,
        given: Mapping[str, object],
        orders: int,
        *,
        small: bool = False,
    ) -> Performed:
        def attempt(order: Order) -> Failure | None:
            try:
                once(order, given)
            except AssertionError as broken:
                return Failure(broken, self._line(broken))
            return None

        found = explore(attempt, orders, small=small)
        broken = found.failure.error if found.failure else None
        return Performed("", broken, found.runs, found.exhaustive, found.token, found.by_chance, found.unseen)

    def _accept(self, outcome: str) -> Performed:
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
    after: str | Sequence[str] = (),
    hints: Sequence[str] = (),
    contested: Sequence[str] = (),
    probe: bool = False,
    where: Mapping[str, str] | None = None,
    orders: int = ORDERS,
) -> Callable[[Callable[..., Any]], Rule]:
    """Make a rule of a function.

    ``each``: rows of a table, judged one by one. ``for_all``: a property, by parameter name. ``after``:
    the rules this one builds on; while one of them is broken this one is not judged. ``hints``: what to
    check if it fails. ``contested``: the outcomes, one of which the function returns. ``probe``: the
    function only reports. ``where``: only candidates with these ways of kube-proxy are asked.
    ``orders``: in how many orders a race is run, at the most.
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
            orders,
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
    _ = made.asks
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
