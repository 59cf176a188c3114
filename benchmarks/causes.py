"""Count the causes that a report shows for one fault: ``python benchmarks/causes.py [FAULTS]``.

Judges that many broken candidates, drawn at random, by the rules that they break, and groups their failures. Each has one fault, so
it should have one cause. *Unknown*: the same, as if the fault were not on record. *Two faults*: the failures of two candidates, both
unknown, that break no common rule, are given as those of one: no cause should have failures of both.

Exit status: 1 if fewer than ``LEAST`` have one cause.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations, groupby
from unittest.mock import patch

from rich.progress import track

from lab.kills import SEED, Specimen, broken_in
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.reports import Cause, Failure
from stingy.reports.causes import find_causes
from stingy.reports.faults import Fault, Record, record
from stingy.transport.inprocess import InProcess

LEAST = 0.9
"""Smallest share of faults that have one cause."""
PAIRS = 3_000
"""Most pairs of candidates that are compared."""


def main(faults: int) -> None:
    known = {(it.family, it.name): it for it in record().faults}
    drawn = random.Random(SEED).sample(broken_in("stingy_broken"), faults)
    broken = []
    for specimen in track(drawn, "judging", transient=True):
        fault = known.get((specimen.family, specimen.name))
        if fault is not None and (failures := judge(specimen, fault)):
            broken.append((fault, failures))
    told = Counter(len(find_causes(failures)) for _, failures in broken)
    unknown = Counter(len(group(failures, [fault])) for fault, failures in broken)
    print(
        f"{len(broken)} broken candidates; causes by their number: {_shares(told)}; unknown: {_shares(unknown)}"
    )
    pairs = [pair for pair in combinations(broken, 2) if _rules(pair[0][1]).isdisjoint(_rules(pair[1][1]))]
    pairs = random.Random(SEED).sample(pairs, min(PAIRS, len(pairs)))
    for name, some in (
        ("any", pairs),
        ("of one profile", [(one, two) for one, two in pairs if _profiles(one[1]) & _profiles(two[1])]),
    ):
        apart = sum(are_apart(one[1], two[1], [one[0], two[0]]) for one, two in some)
        print(f"two faults, {name}: {apart / (len(some) or 1):.1%} of {len(some)} are told apart")
    sys.exit(told[1] < LEAST * len(broken))


def judge(specimen: Specimen, fault: Fault) -> Sequence[Failure]:
    """Return how the candidate fails by the rules that it broke when it was recorded."""
    candidate = InProcess(specimen.target, SEED)
    judging = Judge(candidate, SEED)
    rules = [rule for id_, rule in all_rules().items() if id_ in fault.failures or id_ == specimen.about]
    verdicts = [it for rule in rules for it in judging.verdicts(rule) if it.verdict is Finding.FAIL]
    candidate.close()
    groups = [
        sorted(rows, key=lambda it: len(it.story)) for _, rows in groupby(verdicts, key=lambda it: it.rule)
    ]
    return [Failure(rows[0], rows[1:]) for rows in groups]


def group(failures: Sequence[Failure], unknown: Collection[Fault]) -> Sequence[Cause]:
    """Return the causes of these failures, as if some faults were not on record."""
    others = Record(tuple(it for it in record().faults if it not in unknown))
    with patch("stingy.reports.causes.record", lambda: others):
        return find_causes(failures)


def are_apart(one: Sequence[Failure], two: Sequence[Failure], unknown: Collection[Fault]) -> bool:
    """Return True if no cause has failures of both candidates."""
    causes = [{it.rule for it in cause.verdicts} for cause in group([*one, *two], unknown)]
    return not any(rules & _rules(one) and rules & _rules(two) for rules in causes)


def _rules(failures: Sequence[Failure]) -> set[str]:
    return {it.verdict.rule for it in failures}


def _profiles(failures: Sequence[Failure]) -> set[str]:
    return {it.verdict.profile for it in failures}


def _shares(counts: Counter[int]) -> str:
    return ", ".join(f"{number}: {counts[number] / counts.total():.1%}" for number in sorted(counts))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100)
