"""Judge an attempt that passes its exercise by all other rules that our solution keeps.

The rules of an exercise are chosen to be few and readable, so a wrong attempt may pass them all. It
is rejected if it breaks a case of any MUST, a rule or a row of its table, that our solution keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.rule import Level, Row, Rule
from stingy_kata import SEED_BESIDES
from stingy_kata.exercise import Exercise
from stingy_kata.importing import candidate

NOT_BROKEN = (Finding.PASS, Finding.BLOCKED, Finding.NOT_OFFERED)

SHUTDOWN = "shutdown/get-reports-the-shutdown"
"""A rule that our solution breaks if the exercise leaves the shutdown for later."""
OF_A_SHUTDOWN = {"shut_down", "shutting_down"}


def find_broken(judge: Judge, between: Callable[[], object]) -> list[Verdict]:
    """Judge a candidate by all MUSTs; return a verdict for each case that it breaks, in reading order.

    Some of these rules may demand more than the exercise does. ``between`` is called after each
    rule. Stops after the first ERROR.
    """
    found: list[Verdict] = []
    for rule in all_rules().values():
        if rule.level is Level.MUST:
            found += [it for row in rule.cases if (it := _judge(judge, rule, row)).verdict not in NOT_BROKEN]
        between()
        if found and found[-1].verdict is Finding.ERROR:
            break  # the attempt crashed or hung, and would again with the other rules
    return found


def keep_what_ours_keeps(exercise: Exercise, broken: Sequence[Verdict]) -> Iterator[Verdict]:
    """Yield those of the ``broken`` verdicts whose cases our solution of the exercise keeps.

    Of each rule it is the first one, and none if the rule builds on one that has been yielded. To
    save time, our solution is judged by these cases only.
    """
    if broken:
        with candidate(exercise.solution) as found:
            judge, told = Judge(found, SEED_BESIDES, goes_on=False), set[str]()
            for verdict in broken:
                builds_on = all_rules()[verdict.rule].after
                if told.isdisjoint((verdict.rule, *builds_on)) and keeps(judge, verdict):
                    told.add(verdict.rule)
                    yield verdict


def _judge(judge: Judge, rule: Rule, row: Row | None) -> Verdict:
    """Judge a case, even if a rule on which it builds is broken; a race is then left BLOCKED, to save time.

    An exercise may leave the shutdown for later, for example. Its attempts must keep all the same what
    the rules behind that one demand.
    """
    verdict = judge.verdict(rule, row)
    if verdict.verdict is not Finding.BLOCKED or rule.races:
        return verdict
    found = judge.again(rule, row, "")
    return verdict if found.verdict is Finding.ERROR else replace(found, behind=verdict.behind)


def keeps(ours: Judge, broken: Verdict) -> bool:
    """Return True if our solution keeps a case that an attempt has broken.

    What happens at a shutdown counts only if our solution has one.
    """
    rules = all_rules()
    shuts_down = any(line.op in OF_A_SHUTDOWN for line in broken.story)
    if shuts_down and ours.verdict(rules[SHUTDOWN]).verdict is not Finding.PASS:
        return False
    rule = rules[broken.rule]
    row = next((row for row in rule.cases if row and row.name == broken.case), None)
    return _judge(ours, rule, row).verdict is Finding.PASS
