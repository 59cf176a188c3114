"""What looks like what: the known fault that fails most like a candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stingy.faults import DIGITS, Failures, Fault, failures, record
from stingy.verdict import Finding, Verdict

Known = TypeVar("Known")

NEAR = 0.6
"""Two that have less of their failures in common are not alike."""
APART = 0.15
"""Of two that are nearer to each other than that, neither is the nearest: ``benchmarks/likeness.py`` tells who is named wrongly."""


@dataclass(frozen=True)
class Likeness:
    faults: Sequence[Fault]
    """The one that fails most alike; several, where what failed does not set one of them apart."""
    share: float
    """How much of the failures of the two is common to both, from 0 to 1."""

    @property
    def says(self) -> str:
        if not self.faults[1:]:
            return self.faults[0].says
        families = {fault.family for fault in self.faults}
        shared = f", all of them {families.pop()}" if len(families) == 1 else ""
        return f"{len(self.faults)} of the known faults{shared}, and none of them much more than the others"

    @property
    def name(self) -> str:
        """Empty where there is none to be named."""
        return "" if self.faults[1:] else f"{self.faults[0].family}.{self.faults[0].name}"


def find_nearest(verdicts: Iterable[Verdict], faults: Iterable[Fault] | None = None) -> Likeness | None:
    """The fault that fails most alike, or those that do; None where none is near.

    Rules that were not judged here say nothing for or against a fault.
    """
    verdicts = list(verdicts)
    judged = {(verdict.rule, verdict.case) for verdict in verdicts if verdict.verdict in _JUDGED}
    known = record().faults if faults is None else faults
    return find_nearest_to(failures(verdicts), known, judged.__contains__)


def find_nearest_to(
    failed: Failures, known: Iterable[Fault], judged: Callable[[tuple[str, str]], bool] = lambda _: True
) -> Likeness | None:
    """The same for one of whom it is known how it fails; ``judged`` tells of rule and case whether it could have."""
    ours = _flatten(failed)
    shares = (
        (_share(ours, {key: how for key, how in _flatten(it.failures).items() if judged(key)}), it)
        for it in known
    )
    nearest, share = pick_nearest(shares, near=NEAR, apart=APART)
    return Likeness(nearest, share) if ours and nearest else None


def pick_nearest(
    shares: Iterable[tuple[float, Known]], *, near: float, apart: float
) -> tuple[Sequence[Known], float]:
    """Those that have most in common with what was seen, or hardly less, and how much; none where that is too little."""
    known = list(shares)
    best = max((share for share, _ in known), default=0.0)
    return [it for share, it in known if share >= best - apart] if best >= near else [], best


_JUDGED = (Finding.FAIL, Finding.KNOWN_FAIL, Finding.PASS)

_ByCase = Mapping[tuple[str, str], str]


def _flatten(found: Failures) -> _ByCase:
    return {(rule, case): seen for rule, cases in found.items() for case, seen in cases.items()}


def _share(ours: _ByCase, theirs: _ByCase) -> float:
    """Of all that fails with one of them, how much fails with both; a part of it is how alike that is."""
    either = ours.keys() | theirs.keys()
    both = ours.keys() & theirs.keys()
    expected = sum(ours[key][:DIGITS] == theirs[key][:DIGITS] for key in both)
    told = sum(ours[key] == theirs[key] for key in both)
    return (6 * len(both) + expected + told) / (8 * len(either)) if either else 0.0
