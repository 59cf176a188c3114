"""What looks like what: the known fault that fails most like a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stingy.faults import DIGITS, Fault, failures, record
from stingy.verdict import Finding, Verdict

NEAR = 0.5
"""Two that have less of their failures in common are not alike."""


@dataclass(frozen=True)
class Likeness:
    fault: Fault
    share: float
    """How much of the failures of the two is common to both, from 0 to 1."""


def nearest(verdicts: Iterable[Verdict], faults: Iterable[Fault] | None = None) -> Likeness | None:
    """The fault that fails most alike; None where none is near.

    Rules that were not judged here say nothing for or against a fault.
    """
    verdicts = list(verdicts)
    ours = _flat(failures(verdicts))
    judged = {(verdict.rule, verdict.case) for verdict in verdicts if verdict.verdict in _JUDGED}
    alike = (
        Likeness(
            fault, _share(ours, {key: seen for key, seen in _flat(fault.failures).items() if key in judged})
        )
        for fault in (record().faults if faults is None else faults)
    )
    best = max(alike, key=lambda likeness: likeness.share, default=None)
    return best if ours and best and best.share >= NEAR else None


_JUDGED = (Finding.FAIL, Finding.KNOWN_FAIL, Finding.PASS)

Failures = Mapping[tuple[str, str], str]


def _flat(found: Mapping[str, Mapping[str, str]]) -> Failures:
    return {(rule, case): seen for rule, cases in found.items() for case, seen in cases.items()}


def _share(ours: Failures, theirs: Failures) -> float:
    """Of all that fails with one of them, how much fails with both; a part of it is how alike that is."""
    either = ours.keys() | theirs.keys()
    both = ours.keys() & theirs.keys()
    expected = sum(ours[key][:DIGITS] == theirs[key][:DIGITS] for key in both)
    told = sum(ours[key] == theirs[key] for key in both)
    return (6 * len(both) + expected + told) / (8 * len(either)) if either else 0.0
