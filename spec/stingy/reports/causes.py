"""Causes: failures that one mistake in the candidate may explain, as one group."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cached_property

from stingy.contract.testimony import show
from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding
from stingy.language.account import IN_PROCESSING, SHUTDOWN, TO_RETURN, Line, find_wrong
from stingy.language.rule import Level
from stingy.language.story import RECONCILES
from stingy.reports import Cause, Failure
from stingy.reports.faults import record

FEW_RULES = 25
"""Most rules of a known fault that counts: one that breaks almost everything links no two rules."""

FEW_CALLS = 3
"""Fewest kinds of calls of a story that counts: a shorter one is a part of most other stories."""


def find_causes(failures: Sequence[Failure]) -> Sequence[Cause]:
    """Group the failures of a run by their cause; the gravest is first, then the easiest to understand.

    Two failures have one cause if the rule of one builds on the other's, if both go wrong in the
    same way, if one story has all kinds of calls of the other, or if a known fault breaks both rules.
    Similar calls are no reason if two Gets go wrong in two ways: the item that one of them returns is
    with a worker, and the other waits in vain, for example.
    """
    groups: list[list[_Symptoms]] = []
    for found in map(_Symptoms, sorted(failures, key=_how_plain)):
        near = [found.nearness(group) for group in groups]
        if any(near):
            groups[near.index(max(near))].append(found)
        else:
            groups.append([found])
    for group in groups:
        group.sort(key=_Symptoms.gravity)
    causes = [Cause(group[0].failure, [it.failure for it in group[1:]]) for group in groups]
    return sorted(causes, key=_where_to_begin)


def _where_to_begin(cause: Cause) -> tuple[bool, bool, Damage, int]:
    verdict = cause.lead.verdict
    damage = min(find_damage(it.story) for it in cause.verdicts)
    return verdict.verdict is not Finding.FAIL, verdict.level is not Level.MUST, damage, len(verdict.story)


class Damage(IntEnum):
    """Harm to a user of the queue when a story goes wrong; the gravest is first.

    A queue is there to prevent the first two: its users take no lock, and check no item again.
    """

    TWO_WORKERS = 1
    """Two workers have the same item at the same time."""
    LOST = 2
    """An item is queued, and a Get that could have it waits."""
    OTHER = 3
    """Anything else, or unknown."""


def find_damage(story: Sequence[Line]) -> Damage:
    """Return the damage at the wrong line of a story, by the model's sets before that line."""
    wrong = find_wrong(story)
    if wrong is None:
        return Damage.OTHER
    line = story[wrong]
    held = next((it.held for it in reversed(story[:wrong]) if it.held), None)
    processing = held.processing if held else ()
    is_held = line.op == "get" and any(line.outcome in (item, show(item)) for item in processing)
    if is_held or (line.op in ("get", "") and line.expected.endswith(IN_PROCESSING)):
        return Damage.TWO_WORKERS
    waits_for = line.expected.removeprefix(TO_RETURN)
    return Damage.LOST if waits_for not in (line.expected, SHUTDOWN) else Damage.OTHER


def _how_plain(failure: Failure) -> tuple[bool, bool, bool, int, int]:
    """Return a sort key, by which the failure that is easiest to understand comes first.

    A failure of a rule that few known faults break says more about the mistake.
    """
    verdict = failure.verdict
    rule = all_rules()[verdict.rule]
    by = len(record().by_rule.get(rule.id, ()))
    return verdict.level is not Level.MUST, bool(verdict.behind), rule.races, by, len(verdict.story)


class _Symptoms:
    """A failure, and what is compared to find others with the same cause."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        self._verdict = failure.verdict
        story, wrong = failure.verdict.story, find_wrong(failure.verdict.story)
        self._is_marked = wrong is not None
        self._story = story if wrong is None else story[: wrong + 1]
        """The story up to the wrong line; all of it if no line is marked as wrong."""

    def nearness(self, group: Sequence[_Symptoms]) -> float:
        """Return how good a reason there is to give this failure the cause of the group; 0 for none.

        A failure joins only one group, so that a long story does not unite two short ones.
        """
        return max(map(self._is_like, group))

    def _is_like(self, other: _Symptoms) -> float:
        one, two = self._verdict, other._verdict
        if one.verdict is not two.verdict:
            return 0
        if one.behind == two.rule or two.behind == one.rule:
            return 3
        if self.way is not None and self.way == other.way:
            return 2
        if one.verdict is not Finding.FAIL:
            return 0
        if _are_broken_together(one.rule, two.rule):
            return 1
        if self.way and other.way and self.way.startswith("get ") and other.way.startswith("get "):
            return 0
        fewer, more = sorted((self.calls, other.calls), key=len)
        if len(fewer) >= FEW_CALLS and fewer <= more:
            return len(fewer) / len(more) / 2
        return 0

    def gravity(self) -> tuple[bool, bool, Damage]:
        """Return a sort key, by which the gravest failure of a group comes first, as it leads.

        Its story is shown. A race may be graver, but is harder to understand.
        """
        verdict = self._verdict
        races = all_rules()[verdict.rule].races
        return verdict.level is not Level.MUST, races, find_damage(verdict.story)

    @cached_property
    def way(self) -> str | None:
        """Wrong answer or error, without names and numbers; None if no line of the story is marked."""
        if self._verdict.verdict is Finding.ERROR:
            return _bare(self._verdict.because)
        if not self._is_marked:
            return None
        wrong = self._story[-1]
        if wrong.outcome.startswith("raises "):
            return wrong.outcome.partition(":")[0]
        # The mark may be about a call of another lane, which waits.
        lane = wrong.expected_of or wrong.lane
        op = next((line.op for line in reversed(self._story) if line.lane == lane and line.op), "")
        shut = op == "get" and wrong.outcome == SHUTDOWN
        expected = wrong.expected if wrong.expected.startswith("to ") or wrong.expected == SHUTDOWN else ""
        return f"{op} {SHUTDOWN if shut else ''} {_bare(expected)}"

    @cached_property
    def calls(self) -> frozenset[str]:
        """Kinds of the calls of the story up to the wrong line."""
        return frozenset(_kinds(self._story))


def _kinds(story: Sequence[Line]) -> Iterator[str]:
    """Yield the kind of each call of a story: its op, and where its item was before."""
    held = None
    for line in story:
        if not _EVERYWHERE.match(line.did):
            kind = line.op or " ".join(_bare(line.did).split()[:2])
            where = ""
            if held is not None and line.op in ("add", "done"):
                sets = {"queue": held.queue, "dirty": held.dirty, "processing": held.processing}
                where = ", ".join(name for name, items in sets.items() if line.item in items)
            yield f"{kind} {where}"
            held = line.held or held


_EVERYWHERE = re.compile(rf"is interrupted |waits |Start\(\)|{RECONCILES}")
"""Beginning of a line that says nothing about a mistake: about the schedule, or in all stories of controllers."""


def _bare(text: str) -> str:
    """Return a text without items, lanes and numbers."""
    return re.sub(r"'[^']*'|(?: of)? (?:last )?(?:worker|lane|producer) \d*|\d+", "", text)


def _are_broken_together(one: str, two: str) -> bool:
    faults = record().by_rule.get(one, ())
    return any(two in fault.failures and len(fault.failures) <= FEW_RULES for fault in faults)
