"""Likeness: the known fault whose failures are most like a candidate's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stingy.judging.verdict import Finding, Verdict
from stingy.reports.faults import DIGITS, Failures, Fault, failures, record

Known = TypeVar("Known")

NEAR = 0.6
"""Two candidates are alike only if at least this share of their failures is common."""
APART = 0.15
"""Faults whose share is at most this much below the largest count as equally similar.

``benchmarks/likeness.py`` measures how often a wrong fault is named.
"""


@dataclass(frozen=True)
class Likeness:
    faults: Sequence[Fault]
    """The most similar fault; several if they are about equally similar."""
    share: float
    """Share of failures that the candidate and the fault have in common, from 0 to 1."""

    @property
    def says(self) -> str:
        if not self.faults[1:]:
            return self.faults[0].says
        families = {fault.family for fault in self.faults}
        shared = f", all of them {families.pop()}" if len(families) == 1 else ""
        return f"{len(self.faults)} of the known faults{shared}, about equally"

    @property
    def name(self) -> str:
        """Name of the most similar fault; empty if there are several."""
        return "" if self.faults[1:] else f"{self.faults[0].family}.{self.faults[0].name}"


def find_nearest(verdicts: Iterable[Verdict], faults: Iterable[Fault] | None = None) -> Likeness | None:
    """Return the known faults most similar to a candidate with these verdicts; None if none is near.

    Rules without a verdict count neither for nor against a fault. ``faults``: the known faults;
    None for those on record.
    """
    verdicts = list(verdicts)
    judged = {(verdict.rule, verdict.case) for verdict in verdicts if verdict.verdict in _JUDGED}
    known = record().faults if faults is None else faults
    return find_nearest_to(failures(verdicts), known, judged.__contains__)


def find_nearest_to(
    failed: Failures, known: Iterable[Fault], judged: Callable[[tuple[str, str]], bool] = lambda _: True
) -> Likeness | None:
    """Return the known faults most similar to these failures; None if none is near enough.

    ``judged``: returns True if this pair of rule and case was judged; only such pairs are compared.
    """
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
    """Return the items whose share is the largest, or at most ``apart`` less; and the largest share.

    There are no items if the largest share is less than ``near``.
    """
    known = list(shares)
    best = max((share for share, _ in known), default=0.0)
    return [it for share, it in known if share >= best - apart] if best >= near else [], best


_JUDGED = (Finding.FAIL, Finding.KNOWN_FAIL, Finding.PASS)

_ByCase = Mapping[tuple[str, str], str]


def _flatten(found: Failures) -> _ByCase:
    return {(rule, case): seen for rule, cases in found.items() for case, seen in cases.items()}


def _share(ours: _ByCase, theirs: _ByCase) -> float:
    """Return how much the failures of two candidates agree: 0 if not at all, 1 if they are the same.

    A common failure, of the same rule and case, counts 6/8. It counts 1/8 more if the expectation
    is the same, and 1/8 more if expectation and story are the same.
    """
    either = ours.keys() | theirs.keys()
    both = ours.keys() & theirs.keys()
    expected = sum(ours[key][:DIGITS] == theirs[key][:DIGITS] for key in both)
    told = sum(ours[key] == theirs[key] for key in both)
    return (6 * len(both) + expected + told) / (8 * len(either)) if either else 0.0
