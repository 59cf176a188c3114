"""How a run is dealt out, and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil

from msgspec.structs import replace

from stingy.errands import Asked, Judged
from stingy.language.rule import Rule
from stingy.transport.part import Part
from stingy.verdict import WORST_FIRST, Evidence, Finding, Verdict, spell

TURNS = 4
"""So many errands for each of those that do them: nobody waits long for the last one, and few are begun anew if a worker dies."""
RACE = 5
"""What a share of a race takes, in sequential rules."""
LONGEST = 60.0
"""Seconds of an errand of a long search: so many are lost with a worker."""
SHORTEST = 5.0
"""A process for less is hardly worth its start."""

Hand = Sequence[Asked]
"""What makes up one errand."""


def deal_out(rules: Mapping[str, Rule], hands: int) -> Sequence[Hand]:
    """All rules, the heaviest first; a guarantee stays in one hand, for its rules build on each other."""
    guarantees = [list(some) for _, some in groupby(rules.values(), key=lambda rule: rule.guarantee)]
    dealt: list[list[Rule]] = [[] for _ in range(min(len(guarantees), TURNS * hands))]
    for some in sorted(guarantees, key=_weigh, reverse=True):
        min(dealt, key=_weigh).extend(some)
    dealt.sort(key=_weigh, reverse=True)
    return [[asked for rule in some for asked in _ask(rule)] for some in dealt]


def deal_parts(
    rules: Mapping[str, Rule], found: Mapping[str, Verdict], seconds: float, hands: int
) -> Sequence[Hand]:
    """The races of which there are more orders, for so many seconds; the first part of each comes first."""
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
    """What a race is found to be, by what was found at first and by all parts of a long search."""
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
    """Whether nothing more can be found out of it: one order that fails is enough, and so are all orders."""
    return any(it.verdict.verdict in (Finding.FAIL, Finding.ERROR) for it in parts) or is_searched(
        rule, parts
    )


def is_searched(rule: Rule, parts: Sequence[Judged]) -> bool:
    """Whether every order was run: of a race that is written down by any part, of small programs by all together."""
    through = {it.asked.part for it in parts if it.verdict.evidence is Evidence.EXHAUSTIVE}
    needed = max((part.of for part in through if part), default=0) if rule.for_all else 1
    return bool(through) and len(through) >= needed


def _weigh(rules: Sequence[Rule]) -> int:
    return sum(len(rule.cases) * (1 + RACE * rule.shares) for rule in rules)


def _ask(rule: Rule) -> Iterator[Asked]:
    return (Asked(rule.id, row.name if row else "") for row in rule.cases)


def _has_more(rule: Rule, asked: Asked, found: Mapping[str, Verdict]) -> bool:
    """Whether the race is kept so far, and not all of its orders were run; who builds on something broken is left alone."""
    verdict = found.get(spell(asked.rule, asked.case))
    if verdict is None or not rule.races or verdict.behind:
        return False
    return verdict.verdict is Finding.PASS and verdict.evidence in (Evidence.SAMPLED, Evidence.TIMED)
