"""What our solution keeps besides the rules of its exercise: an attempt that passes those and breaks this is not right either.

So nothing slips through an exercise whose rules were chosen to be read, and not to be complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from stingy.guarantees import all_rules
from stingy.language.rule import Level
from stingy.trial import Judge
from stingy.verdict import Finding, Verdict
from stingy_kata import SEED_BESIDES
from stingy_kata.exercise import Exercise
from stingy_kata.importing import candidate

NOT_BROKEN = (Finding.PASS, Finding.BLOCKED, Finding.NOT_OFFERED)


def find_broken(judge: Judge, between: Callable[[], object]) -> list[Verdict]:
    """What a candidate breaks of all that anybody must keep, in reading order; some of it is not asked for yet."""
    found = []
    for rule in all_rules().values():
        verdicts = judge.verdicts(rule) if rule.level is Level.MUST else []
        between()
        broken = next((it for it in verdicts if it.verdict not in NOT_BROKEN), None)
        if broken is not None:
            found.append(broken)
            if broken.verdict is Finding.ERROR:
                break  # what it does not come back from, it would not come back from again
    return found


def keep_what_ours_keeps(exercise: Exercise, broken: Sequence[Verdict]) -> Iterator[Verdict]:
    """Of these verdicts those on rules that our solution keeps; only what is broken costs a look at ours."""
    if broken:
        with candidate(exercise.solution) as found:
            judge = Judge(found, SEED_BESIDES, goes_on=False)
            for verdict in broken:
                ours = judge.verdicts(all_rules()[verdict.rule])
                if all(it.verdict is Finding.PASS for it in ours):
                    yield verdict
