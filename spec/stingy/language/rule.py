"""A rule: one normative sentence, and the function that finds out whether a candidate keeps it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from itertools import islice
from typing import Any

from stingy.contract import Profile
from stingy.language.session import CandidateError, NotOffered, Opener, Uncontrolled, Undecided
from stingy.language.stage import ROW, WORDS, profile_of, stage
from stingy.language.story import Story
from stingy.language.values import Range
from stingy.sources import Source

EXAMPLES = 25
"""How many examples of a property are tried."""
EXAMPLES_TIMED = 6
"""The same where each costs real waiting."""

ORDERS_A_ROW = 18
"""In how many orders each row of a table of races is run: one row makes up for what another misses."""


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
class Rule:
    check: Callable[..., Any]
    cites: tuple[Source, ...]
    each: tuple[Row, ...] = ()
    for_all: Mapping[str, Range] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    probe: bool = False

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

    @property
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
        orders: Iterable[object] = (),
        *,
        exact: bool = True,
    ) -> str:
        """Find out whether the candidate keeps this rule; AssertionError if it does not.

        Every example and every round gets a fresh stage, whose story ``tell`` is given before it begins.
        ``orders`` are those that the lanes of a race are to run in. Where the candidate is not ``exact``,
        and every look may cost real waiting, fewer examples are tried and none is shrunk. Returns the
        outcome seen, for a contested rule or a probe.
        """
        outcome = ""
        stopped: Exception | None = None

        def once(order: object, drawn: Mapping[str, object]) -> None:
            nonlocal outcome, stopped
            if stopped:
                return
            story = Story(f"{seed} {self.id}")
            tell(story)
            try:
                with stage(open_session, self.needs, story, order) as given:
                    if row is not None:
                        given[ROW] = row
                    outcome = str(self.check(**given, **drawn) or "")
            except (NotOffered, Undecided, CandidateError, Uncontrolled) as reason:
                stopped = reason  # no example will tell more, and none is to blame

        if self.races:
            for order in islice(orders, ORDERS_A_ROW if self.each else None):
                once(order, {})
        elif self.for_all:
            _for_all(self.for_all, lambda **drawn: once(None, drawn), seed, exact=exact)
        else:
            once(None, {})
        if stopped:
            raise stopped
        if self.contested and outcome not in self.contested:
            expected = " or ".join(repr(it) for it in self.contested)
            raise AssertionError(f"seen: {outcome!r}; accepted: {expected}")
        return outcome


def rule(
    *,
    cites: Source | tuple[Source, ...],
    each: Sequence[Row] = (),
    for_all: Mapping[str, Range] | None = None,
    after: Sequence[Rule] = (),
    hints: Sequence[str] = (),
    contested: Sequence[str] = (),
    probe: bool = False,
) -> Callable[[Callable[..., Any]], Rule]:
    """Make a rule of a function.

    ``each``: rows of a table, judged one by one. ``for_all``: a property, by parameter name. ``after``:
    the rules this one builds on; while one of them is broken this one is not judged. ``hints``: what to
    check if it fails. ``contested``: the outcomes, one of which the function returns. ``probe``: the
    function only reports.
    """

    def make(check: Callable[..., Any]) -> Rule:
        made = Rule(
            check,
            cites if isinstance(cites, tuple) else (cites,),
            tuple(each),
            dict(for_all or {}),
            tuple(earlier.id for earlier in after),
            tuple(hints),
            tuple(contested),
            probe,
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
    known = {*WORDS, *made.for_all, *({ROW} if made.each else ())}
    if unknown := set(made.needs) - known:
        raise TypeError(
            f"{made.id} asks for {', '.join(sorted(unknown))}; there is: {', '.join(sorted(known))}"
        )
    names = [row.name for row in made.each]
    if len(set(names)) != len(names):
        raise TypeError(f"{made.id}: two rows have the same name")


def _words(sentence: str) -> list[str]:
    return re.findall(r"\b(MUST|SHOULD|MAY)\b", sentence)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _for_all(ranges: Mapping[str, Range], once: Callable[..., None], number: int, *, exact: bool) -> None:
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis.errors import Flaky

    quiet = settings(
        max_examples=EXAMPLES if exact else EXAMPLES_TIMED,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink] if exact else [Phase.generate],
        print_blob=False,
        report_multiple_bugs=False,
    )
    values = {name: range_.strategy() for name, range_ in ranges.items()}
    try:
        seed(number)(quiet(given(**values)(once)))()
    except Flaky:
        raise Undecided("the same calls do not always have the same answers") from None


def rules_in(namespace: Mapping[str, object], module: str) -> Iterator[Rule]:
    """The rules that a guarantee's module declares, in the order in which they stand there."""
    for thing in namespace.values():
        if isinstance(thing, Rule) and thing.check.__module__ == module:
            yield thing
