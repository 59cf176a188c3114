"""The faults that are known: broken candidates, and by which rules each is found (``kills.json``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from zlib import crc32

import msgspec

from stingy.renamed import current
from stingy.snapshot import NEVER, Snapshot
from stingy.verdict import Finding, Verdict

RECORD = Path(__file__).with_name("kills.json")
"""Written by ``python -m lab kills --write``."""

DIGITS = 4
"""Of a checksum."""

Failures = Mapping[str, Mapping[str, str]]
"""By rule and case: what was expected, and how it was told, as two checksums in one."""


@dataclass(frozen=True)
class Fault:
    """A broken candidate, and how it fails."""

    name: str
    says: str
    """What is wrong with it, in a sentence."""
    family: str
    """The module it stands in, with others of its kind."""
    failures: Failures

    def __post_init__(self) -> None:
        object.__setattr__(self, "failures", {current(id_): how for id_, how in self.failures.items()})


@dataclass(frozen=True)
class Record:
    """A snapshot of every fault, and of when it was made."""

    faults: tuple[Fault, ...] = ()
    sound: tuple[Fault, ...] = ()
    """Who is right, and fails at most what only *should* be so."""
    made: Snapshot = NEVER

    def of(self, family: str, name: str, *, sound: bool = False) -> Fault | None:
        """What is recorded of a class of this name in this module; None if nothing is."""
        return self._by_name.get((sound, family, name))

    @cached_property
    def _by_name(self) -> Mapping[tuple[bool, str, str], Fault]:
        broken = {(False, it.family, it.name): it for it in self.faults}
        return broken | {(True, it.family, it.name): it for it in self.sound}


@cache
def record() -> Record:
    """What is recorded; nothing where there is no record yet."""
    return msgspec.json.decode(RECORD.read_bytes(), type=Record) if RECORD.exists() else Record()


def failures(verdicts: Iterable[Verdict]) -> Failures:
    """How a candidate fails, to be compared with others."""
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
