"""What a broken rule looks like from afar: the broken candidates that are known, and the one that fails most alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

import msgspec

from stingy.verdict import Finding, Verdict

KNOWN = Path(__file__).with_name("faults.json")
"""Written by ``python tests/faults.py``."""

NEAR = 0.5
"""Two that have less of their failures in common are not alike."""


@dataclass(frozen=True)
class Fault:
    """A broken candidate, and how it fails."""

    name: str
    says: str
    """What is wrong with it, in a sentence."""
    family: str
    """The module it stands in, with others of its kind."""
    failures: Mapping[str, str]
    """By rule and case: what was seen, as a checksum."""


@dataclass(frozen=True)
class Likeness:
    fault: Fault
    share: float
    """How much of the failures of the two is common to both, from 0 to 1."""


@cache
def known() -> tuple[Fault, ...]:
    return tuple(msgspec.json.decode(KNOWN.read_bytes(), type=list[Fault]))


def failures(verdicts: Iterable[Verdict]) -> Mapping[str, str]:
    return {
        verdict.id: f"{crc32(verdict.because.encode()):08x}"
        for verdict in verdicts
        if verdict.verdict is Finding.FAIL
    }


def nearest(verdicts: Iterable[Verdict], faults: Iterable[Fault] | None = None) -> Likeness | None:
    """The fault that fails most alike; None where none is near.

    Rules that were not judged here say nothing for or against a fault.
    """
    verdicts = list(verdicts)
    ours = failures(verdicts)
    judged = {verdict.id for verdict in verdicts if verdict.verdict in (Finding.FAIL, Finding.PASS)}
    alike = (
        Likeness(fault, _share(ours, {id_: seen for id_, seen in fault.failures.items() if id_ in judged}))
        for fault in (known() if faults is None else faults)
    )
    best = max(alike, key=lambda likeness: likeness.share, default=None)
    return best if ours and best and best.share >= NEAR else None


def _share(ours: Mapping[str, str], theirs: Mapping[str, str]) -> float:
    """Of all that fails with one of them, how much fails with both; and does so in the same way."""
    either = ours.keys() | theirs.keys()
    both = ours.keys() & theirs.keys()
    same = {id_ for id_ in both if ours[id_] == theirs[id_]}
    return (3 * len(both) + len(same)) / (4 * len(either)) if either else 0.0
