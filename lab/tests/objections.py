"""Search for a rule that objects to a mutant.

Likely rules are tried first, because the first objection ends the search.
"""

from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from stingy.judging.trial import Trial
from stingy.language import examples
from stingy.language.rule import Row, Rule
from stingy_kata.importing import Controlled, candidate
from stingy_kata.script import build

NOWHERE = Path(__file__).parent / "mutant.py"
"""Path under which a mutant is imported; no such file is written."""
LIKELY = 3
"""Number of races, the last that found a mutant, to run in every order before other rules are tried."""
FEW = 6
"""Examples of each property for an equivalent mutant.

All 25 would take half of the time of all searches.
"""


@dataclass(frozen=True, eq=False)
class Case:
    """A rule, a row of its table or None, and the seed to judge it with."""

    rule: Rule
    row: Row | None
    seed: int

    @property
    def name(self):
        return self.rule.id, self.row.name if self.row else ""

    @property
    def is_long(self):
        """Return True if a rule is about thousands of items.

        These rules take a third of the time of all rules, and hardly ever find a mutant.
        """
        return "/of-many-" in self.rule.id


def cases_of(rules, seed):
    return [Case(rule, row, seed) for rule in rules for row in rule.cases]


class Spared(Controlled):
    """Candidate that is judged only under control, and whose failing orders are not shortened."""

    def __init__(self, *given):
        super().__init__(*given)
        self.shrinks = False


class Search:
    """Search for a case that objects.

    The cases that found the last mutants are tried first. This changes the duration of a search,
    never its result.
    """

    def __init__(self, cases, objects):
        """``objects``: a function that tells whether a verdict is an objection."""
        self._cases = sorted(cases, key=lambda case: case.is_long)
        self._objects = objects
        self._recent = []

    def first_objection(self, script, likely=("", "")):
        """Return the first case that objects; None if no case does, with races in every order.

        ``likely``: id of the rule and name of the row to try first.
        """
        with candidate(script, Spared) as found:
            for case, share in self._tries(likely):
                if self._objects(judge(found, case, share)):
                    self._recent = [case, *(it for it in self._recent if it is not case)]
                    return case
        return None

    def objections_in_one_order(self, script):
        """Return all cases that object, with races in one order each, few examples, and without the long rules."""
        with candidate(script, Spared) as found, patch.multiple(examples, EXAMPLES=FEW, WALKS=FEW):
            short = [case for case in self._cases if not case.is_long]
            return [case for case in short if self._objects(judge(found, case, 0.0))]

    def drop(self, case):
        self._cases.remove(case)
        self._recent = [it for it in self._recent if it is not case]

    def _tries(self, likely):
        """Yield each case with its share of time: 0 for one order of a race, None for every order."""
        recent, races = list(self._recent), [case for case in self._recent if case.rule.races][:LIKELY]
        yield from ((case, None) for case in self._cases if case.name == likely)
        yield from ((case, 0.0) for case in recent)
        yield from ((case, None) for case in races)
        yield from ((case, 0.0) for case in self._cases if case not in recent)
        yield from ((case, None) for case in self._cases if case.rule.races and case not in races)


def judge(found, case, share):
    """Judge one case; ``share`` is the candidate's share of time for races, in seconds, None for every order."""
    found.share = share
    return Trial(found, case.seed).judge(case.rule, case.row)


def script_of(source):
    return build(NOWHERE, source)
