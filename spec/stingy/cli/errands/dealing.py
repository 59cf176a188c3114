"""Divide a run into errands, and merge their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil

from msgspec.structs import replace

from stingy.cli.errands import Asked, Judged
from stingy.judging.verdict import WORST_FIRST, Evidence, Finding, Verdict, spell
from stingy.language.rule import Rule
from stingy.transport.part import Part

TURNS = 4
"""Number of errands per process.

With several, the processes end at about the same time, and little is lost if a worker dies.
"""
RACE = 5
"""Time for one share of a race, as a multiple of the time for a sequential rule."""
LONGEST = 60.0
"""Most seconds that one errand searches the orders of races: a worker that dies loses no more."""
SHORTEST = 5.0
"""Smallest limit for the seconds of such an errand: starting a process for less is not worth it."""

Hand = Sequence[Asked]
"""The rules, rows or parts of races to judge in one errand."""


def deal_out(rules: Mapping[str, Rule], hands: int) -> Sequence[Hand]:
    """Divide the rules among errands for ``hands`` processes; return the errands, longest first.

    All rules of a guarantee are in one errand, because they build on each other.
    """
    guarantees = [list(some) for _, some in groupby(rules.values(), key=lambda rule: rule.guarantee)]
    dealt: list[list[Rule]] = [[] for _ in range(min(len(guarantees), TURNS * hands))]
    for some in sorted(guarantees, key=_weigh, reverse=True):
        min(dealt, key=_weigh).extend(some)
    dealt.sort(key=_weigh, reverse=True)
    return [[asked for rule in some for asked in _ask(rule)] for some in dealt]


def deal_parts(
    rules: Mapping[str, Rule], found: Mapping[str, Verdict], seconds: float, hands: int
) -> Sequence[Hand]:
    """Split races that have untried orders into parts; return errands that run these parts.

    ``hands`` processes do the errands at the same time. ``seconds`` is the time that they may take
    for all errands together. The first parts of all races come before any second part.
    """
    cases = [
        (rule, asked) for rule in rules.values() for asked in _ask(rule) if _has_more(rule, asked, found)
    ]
    shares = sum(rule.shares for rule, _ in cases)
    if not shares or seconds <= 0:
        return []
    share, longest = seconds * hands / shares, min(LONGEST, max(SHORTEST, seconds / TURNS))
    parts: list[tuple[float, Asked]] = []
    for rule, asked in cases:
        whole = share * rule.shares
        of = ceil(whole / longest)
        parts += [(whole / of, replace(asked, part=Part(n, of), share=share / of)) for n in range(of)]
    parts.sort(key=lambda it: it[1].part.number if it[1].part else 0)
    return list(_fill_hands(parts, longest))


def _fill_hands(parts: Sequence[tuple[float, Asked]], longest: float) -> Iterator[Hand]:
    hand: list[Asked] = []
    held = 0.0
    for seconds, asked in parts:
        if hand and held + seconds > longest:
            yield hand
            hand, held = [], 0.0
        hand.append(asked)
        held += seconds
    yield hand


def merge(verdict: Verdict, rule: Rule, parts: Sequence[Judged]) -> Verdict:
    """Return one verdict on a race: ``verdict`` combined with those on parts that were run later."""
    if not parts:
        return verdict
    told = sorted((it.verdict for it in parts), key=lambda it: WORST_FIRST.index(it.verdict))
    if told[0].verdict is not Finding.PASS:
        return told[0]
    runs = verdict.runs + sum(it.runs for it in told)
    if is_searched(rule, parts):
        return replace(verdict, runs=runs, evidence=Evidence.EXHAUSTIVE)
    return replace(verdict, runs=runs)


def is_settled(rule: Rule, parts: Sequence[Judged]) -> bool:
    """Return True if running more orders of this race cannot change its verdict.

    That is so if one order failed, or if all orders have been run.
    """
    return any(it.verdict.verdict in (Finding.FAIL, Finding.ERROR) for it in parts) or is_searched(
        rule, parts
    )


def is_searched(rule: Rule, parts: Sequence[Judged]) -> bool:
    """Return True if these parts together ran every order of the race.

    If the rule spells out the race, one part that ran every order is enough. If the rule has many
    small programs, each part runs only some of them, so all parts are needed.
    """
    through = {it.asked.part for it in parts if it.verdict.evidence is Evidence.EXHAUSTIVE}
    needed = max((part.of for part in through if part), default=0) if rule.for_all else 1
    return bool(through) and len(through) >= needed


def _weigh(rules: Sequence[Rule]) -> int:
    return sum(len(rule.cases) * (1 + RACE * rule.shares) for rule in rules)


def _ask(rule: Rule) -> Iterator[Asked]:
    return (Asked(rule.id, row.name if row else "") for row in rule.cases)


def _has_more(rule: Rule, asked: Asked, found: Mapping[str, Verdict]) -> bool:
    """Return True if the race passed so far and some of its orders were not run.

    False if the rule builds on one that is broken. ``found``: the verdicts so far.
    """
    verdict = found.get(spell(asked.rule, asked.case))
    if verdict is None or not rule.races or verdict.behind:
        return False
    return verdict.verdict is Finding.PASS and verdict.evidence in (Evidence.SAMPLED, Evidence.TIMED)
