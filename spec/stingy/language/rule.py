"""A rule: one normative sentence, and the function that checks whether a candidate keeps it."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Any

from stingy.contract import Profile
from stingy.contract.kubernetes import WAYS
from stingy.contract.sources import Source
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.examples import try_examples
from stingy.language.memory import Memory, Unbroken
from stingy.language.order import Attempt, Budget, Explored, Explorer, Failure, Order, within
from stingy.language.session import DataRace, Hangs, Opener, Undecided
from stingy.language.stage import Setting, stage
from stingy.language.story import Story
from stingy.language.values import Range
from stingy.language.words import read
from stingy.process.intact import refuse_without_asserts
from stingy.request import EDITIONS

ORDERS = 60
"""Number of orders in which a race is run.

Each row of a table is run in as many. That suffices because the rows overlap: a failure that one
row misses is found by another.
"""
ORDERS_OF_PROGRAMS = 300
"""Number of orders, over all programs, for a rule about all small programs."""
ORDERS_OF_PROGRAMS_TIMED = 96
"""Number of orders, over all programs, if each run costs real waiting."""
ORDERS_A_PROGRAM = 12
"""Limit of orders for each small program."""
ORDERS_TO_ITS_END = 200
"""Limit of orders for each small program under a time limit; hardly any has more."""
SHARES_OF_PROGRAMS = 10
"""Time shares that a rule about all small programs gets; any other race gets one."""

ROW = "row"
"""Name of the parameter that receives the row of a table."""


class Level(StrEnum):
    MUST = "MUST"
    """Upstream promises it: breaking it fails the candidate."""
    SHOULD = "SHOULD"
    """Upstream's code does it, a sane port may differ: breaking it fails only with ``--strict``."""
    CONTESTED = "CONTESTED"
    """Upstream's docs and code differ: each listed outcome is accepted, the actual one reported."""
    UNDEFINED = "UNDEFINED"
    """A probe: the suite breaks a precondition, and reports what happens without a verdict."""


@dataclass(frozen=True)
class Row:
    """A row of a rule's table. A subclass's fields are the columns; the first one names the row."""

    def cells(self) -> dict[str, str]:
        """Return the row's values by column title, as a page shows them."""
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
    """Result of running a rule against a candidate."""

    outcome: str = ""
    """The observed outcome, for a contested rule or a probe."""
    broken: AssertionError | None = None
    runs: int = 1
    """Number of examples tried, or of orders run."""
    exhaustive: bool = False
    """True if no order is missing, except those equivalent to one that was run."""
    order: str = ""
    """Token of the order in which the rule broke; empty if there is none."""
    by_chance: bool = False
    """True if the orders were not chosen but left to chance."""
    unseen: str = ""
    """Code in which no thread could be preempted."""


@dataclass(frozen=True)
class Rule:
    check: Callable[..., Any]
    cites: tuple[Source, ...]
    each: tuple[Row, ...] = ()
    for_all: Mapping[str, Range] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    probe: bool = False
    where: Mapping[str, str] = field(default_factory=dict)
    """Behaviours of kube-proxy that the rule is about; a candidate with others is not checked."""
    orders: int = ORDERS
    """Limit of orders for a race; larger if no other rule finds the failures it would miss."""
    since: str = EDITIONS[0]
    """Edition that first had the rule."""
    sharpened: str = ""
    """Edition in which the rule last became stricter; empty if it never did."""

    def is_in(self, edition: str) -> bool:
        """Return True if this edition has the rule, perhaps in a less strict form; empty means the newest."""
        return not edition or self.since <= edition

    @property
    def dated(self) -> str:
        """The editions that added and sharpened the rule, as reports and pages show them."""
        return f"since {self.since}" + (f", sharpened in {self.sharpened}" if self.sharpened else "")

    @property
    def guarantee(self) -> str:
        """Name of the module that declares the rule; the page on the rule has the same name."""
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
        """The rule's reason and what goes wrong without it: the docstring after the first paragraph."""
        return self._doc.partition("\n\n")[2]

    @property
    def level(self) -> Level:
        if self.probe:
            return Level.UNDEFINED
        return Level.CONTESTED if self.contested else Level(_words(self.sentence)[0])

    @cached_property
    def asks(self) -> tuple[str, Setting]:
        """The parameter whose annotation says what the rule needs: its name, and the setting it means.

        Raises TypeError with a message for rule authors if there is no such parameter, or if its
        annotation is no word of the language.
        """
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
        """Return the setting that a parameter's annotation means; it may be an object or a text."""
        word, said = parameter.annotation, parameter.name
        if isinstance(word, str):
            said = word
            with suppress(NameError):
                word = eval(word, inspect.unwrap(self.check).__globals__)  # noqa: S307 - the annotation is the rule's own code
        elif word is not parameter.empty:
            said = getattr(word, "__name__", str(word))
        try:
            return read(word, said)
        except TypeError as why:
            raise TypeError(f"{self.id} asks for {parameter}: {why}") from None

    @property
    def shares(self) -> int:
        """Number of shares of the time budget for each case of this rule; 0 if it is not about a race."""
        if not self.races:
            return 0
        return SHARES_OF_PROGRAMS if self.for_all else 1

    @property
    def cases(self) -> Sequence[Row | None]:
        """The parts of the rule that get a verdict each: the table's rows, or [None] without a table."""
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
        may_shorten: Callable[[], bool] = lambda: True,
        only: int | None = None,
        allowance: Allowance = NOTHING,
        share: float | None = None,
        memory: Memory | None = None,
    ) -> Performed:
        """Check whether the candidate keeps this rule, and return what was found.

        Every example and every run gets a fresh stage. Before the run, ``tell`` receives the story
        in which it will be recorded. Raises Unmet if a precondition was not met in one of them and
        no other breaks the rule.

        ``explore`` chooses the orders in which a race is run. ``exact``: checking costs no real
        waiting; if it does, fewer examples are tried and none is shrunk. ``shrinks``: simplify a
        failing example. ``may_shorten``: returns False once there is no time left to make a failure
        shorter; the shortest one so far is the result then. ``only``: number of the one small
        program to run; None runs all. ``allowance``: a known defect to tolerate. ``share``: seconds
        of one time share; None means a fixed number of orders. ``memory``: histories of races that
        other rules ran, to be checked instead of running the same race again; None to run it.
        """

        parameter, setting = self.asks
        latest: list[Story] = []

        def check(asked: object, drawn: Mapping[str, object]) -> str:
            given = {parameter: asked} | ({} if row is None else {ROW: row})
            return str(self.check(**given, **drawn) or "")

        def begin_story() -> Story:
            story = Story(f"{seed} {self.id}", of_values=self.profile.any_value)
            tell(story)
            latest[:] = [story]
            return story

        unmet: list[tuple[Unmet, Story]] = []
        first: list[tuple[AssertionError, Story]] = []
        explore = _in_time(explore, may_shorten)

        def once(order: Order, drawn: Mapping[str, object]) -> str:
            story = begin_story()
            try:
                with stage(open_session, setting, story, order, allowance) as asked:
                    try:
                        return check(asked, drawn)
                    except Unmet as why:
                        unmet.append((why, story))
                        return ""
            except AssertionError as broken:
                order.story = tuple(story.steps)
                story.conflict = order.conflict
                if not first:
                    first.append((broken, story))
                raise

        def decided(done: Performed) -> Performed:
            if done.broken is None and unmet:
                why, story = unmet[0]
                tell(story)
                raise why
            if first and done.broken is first[0][0] and latest != [first[0][1]]:
                tell(first[0][1])  # later runs did not fail
            return done

        try:
            if self.races and self.for_all:
                most = ORDERS_OF_PROGRAMS if exact else ORDERS_OF_PROGRAMS_TIMED
                budget = within(most, None if share is None else share * self.shares)
                each = ORDERS_A_PROGRAM if share is None else ORDERS_TO_ITS_END
                return decided(self._explore_each(explore, once, seed, only, each, budget))
            memory = memory or Memory()
            if self.races:
                if known := memory.recall(lambda race: check(race, {}), setting, self.orders):
                    begin_story().tell_again(known.steps)
                    return Performed(runs=known.runs, exhaustive=known.exhaustive, unseen=known.unseen)
                return decided(self._explore(memory.noting(explore, setting), once, {}, self.orders))
            if self.for_all:
                with stage(open_session, setting, Story(""), Order(0)):
                    pass  # raises NotOffered before any example is drawn
                walks = next((range_ for range_ in self.for_all.values() if range_.walks), None)
                if walks and (walked := memory.recall_walks(setting, walks)):
                    begin_story().tell_again(walked.steps)
                    return Performed(runs=walked.number)
                others = set[str]()
                tried = try_examples(
                    self.for_all,
                    lambda drawn: others.add(once(Order(0), drawn)),
                    seed,
                    exact=exact,
                    shrinks=shrinks,
                )
                if walks and others == {""} and not unmet:
                    memory.keep_walks(setting, walks, Unbroken(tried, tuple(latest[0].steps)))
                return decided(Performed(runs=tried))
            outcome = once(Order(0), {})
            return decided(Performed() if unmet else self._accept(outcome))
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
        """Run the small programs one by one, each in many orders, until one breaks the rule.

        The token of the order that breaks it begins with the number of the program.
        """
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
        """Return the line of the rule's function where the error was raised; 0 if elsewhere."""
        code = self.check.__code__
        frames = traceback.walk_tb(broken.__traceback__)
        return next((line for frame, line in frames if frame.f_code is code), 0)


def _in_time(explore: Explorer, may_shorten: Callable[[], bool]) -> Explorer:
    """Return an explorer that makes no more runs after a failure once ``may_shorten`` returns False.

    The runs that are left out count as runs that do not fail. So no shorter order is accepted from
    then on, and the last one that failed is the result.
    """

    def explorer(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
        has_failed = False

        def in_time(order: Order) -> Failure | None:
            nonlocal has_failed
            if has_failed and not may_shorten():
                return None
            failure = attempt(order)
            has_failed = has_failed or failure is not None
            return failure

        return explore(in_time, runs, small=small)

    return explorer


class Unmet(Undecided):
    """A precondition of a rule is not met, so the rule cannot be judged.

    ``broken``: the assertion of the precondition that failed.
    """

    def __init__(self, broken: AssertionError) -> None:
        super().__init__(str(broken))
        self.broken = broken


@contextmanager
def given() -> Iterator[None]:
    """Make the assertions of the block a precondition of the rule, which another rule demands.

    If one fails, the rule is not broken but BLOCKED, or INCONCLUSIVE if it builds on no broken
    rule. Write only assertions in the block.
    """
    try:
        yield
    except (Hangs, DataRace):
        raise
    except AssertionError as broken:
        raise Unmet(broken) from None


Once = Callable[[Order, Mapping[str, object]], str]
"""Performs a rule on a fresh stage, in this order and with these drawn values.

Returns the rule's outcome.
"""


def rule(
    *,
    cites: Source | tuple[Source, ...],
    each: Sequence[Row] = (),
    for_all: Mapping[str, Range] | None = None,
    after: str | Sequence[str] = (),
    contested: Sequence[str] = (),
    probe: bool = False,
    where: Mapping[str, str] | None = None,
    orders: int = ORDERS,
    since: str = EDITIONS[0],
    sharpened: str = "",
) -> Callable[[Callable[..., Any]], Rule]:
    """Return a decorator that makes a rule of a function.

    ``each``: rows of a table, judged one by one. ``for_all``: ranges of a property, by parameter
    name. ``after``: rules that this one builds on; if one of them is broken, this one is judged
    with an allowance for that, or BLOCKED. ``contested``: the accepted outcomes, one of which the
    function returns. ``probe``: the function only reports. ``where``: check only candidates with
    these behaviours of kube-proxy. ``orders``: limit of orders for a race. ``since``: edition that
    first had the rule. ``sharpened``: edition in which it last became stricter.

    The message of an assert statement is a hint: a question about the code, shown if it fails.
    """

    def make(check: Callable[..., Any]) -> Rule:
        refuse_without_asserts()
        made = Rule(
            check,
            cites if isinstance(cites, tuple) else (cites,),
            tuple(each),
            dict(for_all or {}),
            _names(after),
            tuple(contested),
            probe,
            dict(where or {}),
            orders,
            since,
            sharpened,
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
    if unknown := {made.since, made.sharpened or made.since} - {*EDITIONS}:
        raise TypeError(f"{made.id}: EDITIONS of stingy.request has no edition {min(unknown)}: add it there")
    if made.sharpened and made.sharpened <= made.since:
        raise TypeError(f"{made.id}: a rule is sharpened only after the edition that first had it")
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
    """Yield the rules that a guarantee's module declares, in source order."""
    for thing in namespace.values():
        if isinstance(thing, Rule) and thing.check.__module__ == module:
            yield thing
