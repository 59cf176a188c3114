"""Baselines: known failures, recorded once with a reason, which a run then accepts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import msgspec
from msgspec.structs import replace

from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import Line
from stingy.process.file import put
from stingy.process.reading import read_whole

SCHEMA = 1


class BaselineError(Exception):
    """A baseline cannot be read or written; the message says why, and what to do if known."""


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule, or a row of its table, that is known to be broken."""

    rule: str
    case: str = ""
    reason: str = ""
    """Why the failure is accepted."""
    issue: str = ""
    """Link to the issue that discusses the failure; empty for none."""
    expires: date | None = None
    """Last day on which the failure is accepted; None for no end."""
    because: str = ""
    """Expected and actual outcome when the failure was recorded."""
    story: tuple[Line, ...] = ()
    """The calls that showed the failure, when it was recorded."""

    @property
    def id(self) -> str:
        return f"{self.rule}[{self.case}]" if self.case else self.rule


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: tuple[Known, ...]
    schema: int = SCHEMA


def load(path: Path) -> Baseline:
    try:
        baseline = msgspec.json.decode(read_whole(path), type=Baseline)
    except OSError as error:
        raise BaselineError(
            f"{path} cannot be read: {error.strerror}; stingy baseline write makes one"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BaselineError(f"{path} is no baseline: {error}; stingy baseline write makes one") from None
    if baseline.schema != SCHEMA:
        raise BaselineError(
            f"{path} is a baseline of schema {baseline.schema}, but this version of stingy reads schema {SCHEMA}: delete the file and run stingy baseline write"
        )
    return baseline


def write(path: Path, verdicts: Iterable[Verdict], *, reason: str, issue: str, expires: date | None) -> int:
    """Write every broken rule to the baseline file ``path``; return the number of its entries.

    A rule that the file already lists keeps its entry, with the old reason, issue and date.
    """
    before = {known.id: known for known in load(path).known} if path.exists() else {}
    known = [
        before.get(verdict.id)
        or Known(verdict.rule, verdict.case, reason, issue, expires, verdict.because, verdict.story)
        for verdict in verdicts
        if verdict.verdict is Finding.FAIL
    ]
    text = msgspec.json.format(msgspec.json.encode(Baseline(tuple(known))), indent=1).decode()
    try:
        put(path, f"{text}\n")
    except OSError as error:
        raise BaselineError(f"the baseline cannot be written to {path}: {error.strerror}") from None
    return len(known)


def mark_known(verdict: Verdict, baseline: Baseline, today: date) -> Verdict:
    """Return the verdict, changed if the baseline lists this rule as known to be broken.

    FAIL becomes KNOWN-FAIL, and PASS becomes UNEXPECTED-PASS. Expired entries have no effect.
    """
    known = next((entry for entry in baseline.known if entry.id == verdict.id), None)
    if known is None or _is_expired(known, today):
        return verdict
    if verdict.verdict is Finding.FAIL:
        return replace(verdict, verdict=Finding.KNOWN_FAIL)
    if verdict.verdict is Finding.PASS:
        because = "the baseline lists it as broken, but it is kept: remove it from the baseline"
        return replace(verdict, verdict=Finding.UNEXPECTED_PASS, because=because)
    return verdict


def complaints(baseline: Baseline, verdicts: Iterable[Verdict], today: date, *, whole: bool) -> Sequence[str]:
    """Return a sentence for each entry of the baseline that is expired or was not judged.

    ``whole``: True if the run judged every rule; only then are unjudged entries reported.
    """
    late = [
        f"{known.id} was accepted until {known.expires}: fix it, or give its entry a later date and a reason"
        for known in baseline.known
        if _is_expired(known, today)
    ]
    judged = {verdict.id for verdict in verdicts if verdict.verdict in _JUDGED}
    in_vain = [
        f"{known.id} is listed as broken, but was not judged: check its spelling, that the edition has it, and that the candidate still offers its profile"
        for known in baseline.known
        if whole and known.id not in judged
    ]
    return late + in_vain


_JUDGED = {Finding.PASS, Finding.FAIL, Finding.KNOWN_FAIL, Finding.UNEXPECTED_PASS}


def _is_expired(known: Known, today: date) -> bool:
    return known.expires is not None and known.expires < today
