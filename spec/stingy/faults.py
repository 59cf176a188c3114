"""What a broken rule looks like from afar: the broken candidates that are known, and the one that fails most alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

import msgspec

from stingy.verdict import Finding, Verdict

KNOWN = Path(__file__).with_name("faults.json")
"""Written by ``python tests/faults.py``."""

DIGITS = 4
"""Of a checksum."""

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
    failures: Mapping[str, Mapping[str, str]]
    """By rule and case: what was expected, and how it was told, as two checksums in one."""


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


@cache
def known() -> tuple[Fault, ...]:
    return tuple(msgspec.json.decode(KNOWN.read_bytes(), type=list[Fault]))


def written(faults: Iterable[Fault]) -> bytes:
    """A line for each, in the order of their names."""
    lines = (
        msgspec.json.encode(fault) for fault in sorted(faults, key=lambda fault: (fault.family, fault.name))
    )
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def failures(verdicts: Iterable[Verdict]) -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for verdict in verdicts:
        if verdict.verdict in (Finding.FAIL, Finding.KNOWN_FAIL):
            # What was found instead may differ from run to run.
            expected, _, _ = verdict.because.partition(", but ")
            told = "\n".join(map(str, verdict.story))
            found.setdefault(verdict.rule, {})[verdict.case] = _checksum(expected) + _checksum(told)
    return found


def _checksum(text: str) -> str:
    return f"{crc32(text.encode()) % 0x10000:0{DIGITS}x}"


def nearest(verdicts: Iterable[Verdict], faults: Iterable[Fault] | None = None) -> Likeness | None:
    """The fault that fails most alike, or those that do; None where none is near.

    Rules that were not judged here say nothing for or against a fault.
    """
    verdicts = list(verdicts)
    ours = _flat(failures(verdicts))
    judged = {(verdict.rule, verdict.case) for verdict in verdicts if verdict.verdict in _JUDGED}
    shares = [
        (_share(ours, {key: seen for key, seen in _flat(fault.failures).items() if key in judged}), fault)
        for fault in (known() if faults is None else faults)
    ]
    best = max((share for share, _ in shares), default=0.0)
    if not ours or best < NEAR:
        return None
    return Likeness([fault for share, fault in shares if share == best], best)


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
