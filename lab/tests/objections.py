"""Search for a rule that objects to a mutant, in the order in which one is likely to be found soon."""

from pathlib import Path

from stingy.trial import Trial
from stingy_kata.importing import Controlled, candidate
from stingy_kata.script import build

NOWHERE = Path(__file__).parent / "mutant.py"
"""Path under which a mutant is imported; no such file is written."""
LIKELY = 3
"""Races run in every order before the other rules have had their turn: the last few that found a mutant."""


class Spared(Controlled):
    """Candidate that is judged under control or not at all, and whose failing orders are not shortened."""

    def __init__(self, *given):
        super().__init__(*given)
        self.shrinks = False


class Search:
    """Search through the rules for one that objects; a case that found the last mutants is tried first.

    A case is a rule, a row of its table or None, and a seed. Which cases come first depends on the mutants before, the verdict does not.
    """

    def __init__(self, cases, objects):
        self._cases = list(cases)
        self._objects = objects
        self._recent = []

    def first_objection(self, script):
        """Return the first case that objects to the script; None if all have been tried, races in every order."""
        with candidate(script, Spared) as found:
            for case, share in self._tries():
                if self._objects(judge(found, case, share)):
                    self._recent = [case, *(it for it in self._recent if it != case)]
                    return case
        return None

    def objections_in_one_order(self, script):
        """Return all cases that object to the script, with one order of each race."""
        with candidate(script, Spared) as found:
            return [case for case in self._cases if self._objects(judge(found, case, 0.0))]

    def _tries(self):
        """Yield each case and the share of time for it: 0 for one order of a race, None for all."""
        recent, races = list(self._recent), [case for case in self._recent if case[0].races][:LIKELY]
        yield from ((case, 0.0) for case in recent)
        yield from ((case, None) for case in races)
        yield from ((case, 0.0) for case in self._cases if case not in recent)
        yield from ((case, None) for case in self._cases if case[0].races and case not in races)


def judge(found, case, share):
    rule, row, seed = case
    found.share = share
    return Trial(found, seed).judge(rule, row)


def cases_of(rules, seed):
    return [(rule, row, seed) for rule in rules for row in rule.cases]


def script_of(source):
    return build(NOWHERE, source)
