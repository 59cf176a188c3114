"""What looks like what: the known fault that fails most like a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stingy.faults import DIGITS, Fault, failures, record
from stingy.verdict import Finding, Verdict

Known = TypeVar("Known")

NEAR = 0.5
"""Two that have less of their failures in common are not alike."""


@dataclass(frozen=True)
class Likeness:
    faults: Sequence[Fault]
    """The one that fails most alike; several, where what failed tells none of them from the others."""
    share: float
    """How much of the failures of the two is common to both, from 0 to 1."""

    @property
    def says(self) -> str:
        if self.faults[1:]:
            return f"{len(self.faults)} of the known faults, and none of them more than the others"
        return self.faults[0].says

    @property
    def name(self) -> str:
        """Empty where there is none to be named."""
        return "" if self.faults[1:] else f"{self.faults[0].family}.{self.faults[0].name}"


def find_nearest(verdicts: Iterable[Verdict], faults: Iterable[Fault] | None = None) -> Likeness | None:
    """The fault that fails most alike, or those that do; None where none is near.

    Rules that were not judged here say nothing for or against a fault.
    """
    verdicts = list(verdicts)
    ours = _flatten(failures(verdicts))
    judged = {(verdict.rule, verdict.case) for verdict in verdicts if verdict.verdict in _JUDGED}
    nearest, share = pick_nearest(
        (_share(ours, {key: seen for key, seen in _flatten(fault.failures).items() if key in judged}), fault)
        for fault in (record().faults if faults is None else faults)
    )
    return Likeness(nearest, share) if ours and nearest else None


def pick_nearest(shares: Iterable[tuple[float, Known]]) -> tuple[Sequence[Known], float]:
    """Those that have most in common with what was seen, and how much; none where that is too little."""
    known = list(shares)
    best = max((share for share, _ in known), default=0.0)
    return [it for share, it in known if share == best] if best >= NEAR else [], best


_JUDGED = (Finding.FAIL, Finding.KNOWN_FAIL, Finding.PASS)

Failures = Mapping[tuple[str, str], str]


def _flatten(found: Mapping[str, Mapping[str, str]]) -> Failures:
    return {(rule, case): seen for rule, cases in found.items() for case, seen in cases.items()}


def _share(ours: Failures, theirs: Failures) -> float:
    """Of all that fails with one of them, how much fails with both; a part of it is how alike that is."""
    either = ours.keys() | theirs.keys()
    both = ours.keys() & theirs.keys()
    expected = sum(ours[key][:DIGITS] == theirs[key][:DIGITS] for key in both)
    told = sum(ours[key] == theirs[key] for key in both)
    return (6 * len(both) + expected + told) / (8 * len(either)) if either else 0.0
