"""Judge an attempt that passes its exercise by all other rules that our solution keeps.

The rules of an exercise are chosen to be few and readable, so a wrong attempt may pass them all. It
is rejected if it breaks any MUST that our solution keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.rule import Level
from stingy_kata import SEED_BESIDES
from stingy_kata.exercise import Exercise
from stingy_kata.importing import candidate

NOT_BROKEN = (Finding.PASS, Finding.BLOCKED, Finding.NOT_OFFERED)


def find_broken(judge: Judge, between: Callable[[], object]) -> list[Verdict]:
    """Judge a candidate by all MUSTs; return a verdict for each that it breaks, in reading order.

    Some of these rules may demand more than the exercise does. ``between`` is called after each
    rule. Stops after the first ERROR.
    """
    found = []
    for rule in all_rules().values():
        verdicts = judge.verdicts(rule) if rule.level is Level.MUST else []
        between()
        broken = next((it for it in verdicts if it.verdict not in NOT_BROKEN), None)
        if broken is not None:
            found.append(broken)
            if broken.verdict is Finding.ERROR:
                break  # the attempt crashed or hung, and would again with the other rules
    return found


def keep_what_ours_keeps(exercise: Exercise, broken: Sequence[Verdict]) -> Iterator[Verdict]:
    """Yield those of the ``broken`` verdicts whose rules our solution of the exercise keeps.

    To save time, our solution is judged by the rules of these verdicts only.
    """
    if broken:
        with candidate(exercise.solution) as found:
            judge = Judge(found, SEED_BESIDES, goes_on=False)
            for verdict in broken:
                ours = judge.verdicts(all_rules()[verdict.rule])
                if all(it.verdict is Finding.PASS for it in ours):
                    yield verdict
