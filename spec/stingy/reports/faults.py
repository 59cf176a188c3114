"""Known faults: broken candidates, and the rules that find each of them (``kills.json``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from zlib import crc32

import msgspec

from stingy.judging.verdict import Finding, Verdict
from stingy.process.snapshot import NEVER, Snapshot

RECORD = Path(__file__).with_name("kills.json")
"""File of the known faults, which ``python -m lab kills --write`` writes."""

DIGITS = 4
"""Length of a checksum, in hexadecimal digits."""

Failures = Mapping[str, Mapping[str, str]]
"""How a candidate fails: by rule and case, the checksum of the expectation, then of the story."""


@dataclass(frozen=True)
class Fault:
    """A candidate that is broken on purpose, and the rules that it breaks."""

    name: str
    says: str
    """One sentence that says what is wrong with the candidate."""
    family: str
    """Name of the module that defines the candidate, together with similar ones."""
    failures: Failures


@dataclass(frozen=True)
class Record:
    """The failures of all known faulty candidates, as recorded at one time."""

    faults: tuple[Fault, ...] = ()
    sound: tuple[Fault, ...] = ()
    """Correct candidates, which break a SHOULD at most."""
    made: Snapshot = NEVER

    def of(self, family: str, name: str, *, sound: bool = False) -> Fault | None:
        """Return the faulty candidate ``name`` of the module ``family``; None if there is none.

        ``sound``: look among the correct candidates instead.
        """
        return self._by_name.get((sound, family, name))

    @cached_property
    def by_rule(self) -> Mapping[str, Sequence[Fault]]:
        """The faulty candidates that break a rule, by its id."""
        found: dict[str, list[Fault]] = {}
        for fault in self.faults:
            for id_ in fault.failures:
                found.setdefault(id_, []).append(fault)
        return found

    @cached_property
    def _by_name(self) -> Mapping[tuple[bool, str, str], Fault]:
        broken = {(False, it.family, it.name): it for it in self.faults}
        return broken | {(True, it.family, it.name): it for it in self.sound}


@cache
def record() -> Record:
    """Return the record of known faults from its file; an empty one if there is no file."""
    return msgspec.json.decode(RECORD.read_bytes(), type=Record) if RECORD.exists() else Record()


def failures(verdicts: Iterable[Verdict]) -> Failures:
    """Return checksums of how a candidate fails, by rule and case, to compare with others."""
    found: dict[str, dict[str, str]] = {}
    for verdict in verdicts:
        if verdict.verdict in (Finding.FAIL, Finding.KNOWN_FAIL):
            # The part after "but" may differ from run to run.
            expected, _, _ = verdict.because.partition(", but ")
            told = "\n".join(map(str, verdict.story))
            found.setdefault(verdict.rule, {})[verdict.case] = _checksum(expected) + _checksum(told)
    return found


def _checksum(text: str) -> str:
    return f"{crc32(text.encode()) % 0x10000:0{DIGITS}x}"
