"""What of a mutant of upstream is found by the rules: until the first one that it breaks."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.judging.isolation import reach
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.rule import Rule
from stingy.language.session import CandidateError
from stingy.request import Request
from stingy.transport import TargetError

SEED = 1
ENOUGH = 3
"""Errors after which no more is judged: most are a driver that says nothing for twenty seconds, and there are hundreds of rules."""
REST = 2
"""Seconds for other rules of the guarantee that is broken: what hangs, hangs in each of them."""


@dataclass(frozen=True)
class Judged:
    """By whom it was found, and how."""

    red: bool
    how: str
    seconds: float
    broken: Sequence[str] = ()
    """The rules that it was seen to break."""


def by_stingy(target: str, before: str, known: Collection[str], *, whole: bool = False) -> Judged:
    """The first rule that is broken, be it a SHOULD, for upstream's tests know no difference; an error only if none is.

    First is asked what was broken before. Once one is broken, so are those that no mutant is known to break yet: of its guarantee,
    what takes one run; all of them if asked for ``whole``.
    """
    began = time.monotonic()
    try:
        candidate = reach(Request(target, seed=SEED))
    except (TargetError, CandidateError) as error:
        return Judged(True, f"ERROR  {error}", _since(began))
    try:
        judge = Judge(candidate, SEED)
        found = list(_until_broken(judge, before))
        broken = [verdict for verdict in found if verdict.verdict is Finding.FAIL]
        seconds = _since(began)
        if broken:
            rest = all_rules().values() if whole else _like(broken[0].rule)
            asked = [rule for rule in rest if rule.id not in known]
            for rule in asked:
                if not whole and _since(began) > seconds + REST:
                    break
                broken += [verdict for verdict in judge.verdicts(rule) if verdict.verdict is Finding.FAIL]
    finally:
        candidate.close()
    errors = [verdict for verdict in found if verdict.verdict is Finding.ERROR]
    told = next(iter(broken or errors), None)
    how = f"{told.verdict}  {told.level}  {told.id}  {told.evidence}".strip() if told else ""
    return Judged(told is not None, how, seconds, sorted({verdict.rule for verdict in broken}))


def _until_broken(judge: Judge, before: str) -> Iterator[Verdict]:
    errors = 0
    for rule in _in_order(before):
        for row in rule.cases:
            verdict = judge.verdict(rule, row)
            yield verdict
            errors += verdict.verdict is Finding.ERROR
            if verdict.verdict is Finding.FAIL or errors == ENOUGH:
                return


def _in_order(before: str) -> Sequence[Rule]:
    """Those that have something to do with what was broken before, and all others."""
    named = next((word.partition("[")[0] for word in before.split() if "/" in word), "")
    first = with_what_they_build_on([all_rules()[named]]) if named in all_rules() else {}
    return [*first.values(), *(rule for id_, rule in all_rules().items() if id_ not in first)]


def _like(broken: str) -> Sequence[Rule]:
    """Those of the same guarantee that take one run."""
    guarantee = all_rules()[broken].guarantee
    return [
        rule
        for rule in all_rules().values()
        if rule.guarantee == guarantee and not rule.races and not rule.for_all
    ]


def _since(began: float) -> float:
    return round(time.monotonic() - began, 2)
