"""A report format is a module here with ``write(outcome, out)``; its name is the format's."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from io import StringIO
from itertools import groupby
from pathlib import Path

from stingy.file import put, stream
from stingy.language.transitions import DRAINS, Transition
from stingy.verdict import Exit, Finding, Verdict, exit_code

TOLD = (Finding.FAIL, Finding.UNEXPECTED_PASS, Finding.ERROR)
"""What is told with a story; what is known is only counted."""

FORMATS = ("terminal", "json", "html", "junit", "markdown", "github", "ctrf", "badge")


@dataclass(frozen=True)
class Outcome:
    """Everything that a run has found out."""

    suite: str
    target: str
    name: str
    version: str
    kubernetes: str
    """Whose ways it was judged by; empty for the newest."""
    seed: int
    strict: bool
    verdicts: Sequence[Verdict]
    complete: bool = True
    """Whether every rule that was asked for has been judged."""
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    complaints: Sequence[str] = ()
    """What is wrong with the baseline."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """How long each verdict took to be reached, by its id."""

    def took(self, verdict: Verdict) -> float:
        """Seconds."""
        return self.seconds.get(verdict.id, 0.0)

    @property
    def lasted(self) -> float:
        """Seconds from the first verdict to the last."""
        return sum(self.seconds.values())

    @property
    def exit(self) -> Exit:
        found = exit_code(self.verdicts, strict=self.strict)
        return Exit.DOES_NOT if self.complaints and found in (Exit.CONFORMS, Exit.INCONCLUSIVE) else found

    @property
    def told(self) -> Sequence[Verdict]:
        """What there is a story to tell of, in reading order."""
        return [verdict for verdict in self.verdicts if verdict.verdict in TOLD]

    @property
    def failures(self) -> Sequence[Failure]:
        """The same, where the rows of one table are told once."""
        groups = groupby(self.told, key=lambda verdict: (verdict.rule, verdict.verdict))
        return [_failure(list(group)) for _, group in groups]

    @property
    def by_profile(self) -> Mapping[str, Mapping[str, Sequence[Verdict]]]:
        """The verdicts of each profile, by the guarantees of their rules."""
        found: dict[str, dict[str, list[Verdict]]] = {}
        for verdict in self.verdicts:
            guarantee = verdict.rule.partition("/")[0]
            found.setdefault(verdict.profile, {}).setdefault(guarantee, []).append(verdict)
        return found

    def blocked_by(self, rule: str) -> Sequence[str]:
        """The rules that were not judged because this one is not kept, also by way of others."""
        found: dict[str, None] = {rule: None}
        for verdict in self.verdicts:  # in reading order, in which a rule comes after those it builds on
            if verdict.verdict is Finding.BLOCKED and not found.keys().isdisjoint(_after(verdict.rule)):
                found[verdict.rule] = None
        return list(found)[1:]

    @property
    def transitions(self) -> Mapping[Transition, bool]:
        """Which of the model's ways of answering the kept rules went through; nothing if none of them is about a work queue."""
        seen = {transition for verdict in self.verdicts for transition in verdict.exercised}
        drains = any(
            verdict.profile == "drain" and verdict.verdict is not Finding.NOT_OFFERED
            for verdict in self.verdicts
        )
        asked = [transition for transition in Transition if drains or transition not in DRAINS]
        return {transition: transition in seen for transition in asked} if seen else {}

    @property
    def counts(self) -> Mapping[Finding, int]:
        return Counter(verdict.verdict for verdict in self.verdicts)


@dataclass(frozen=True)
class Failure:
    """A broken rule, told by the shortest of its stories."""

    verdict: Verdict
    others: Sequence[Verdict]
    """Of the other rows of its table that are broken."""


def _failure(rows: Sequence[Verdict]) -> Failure:
    shortest = min(rows, key=lambda verdict: len(verdict.story))
    return Failure(shortest, [verdict for verdict in rows if verdict is not shortest])


def _after(rule: str) -> Sequence[str]:
    from stingy.guarantees import all_rules

    return all_rules()[rule].after


class ReportError(Exception):
    """A report cannot be written as asked; the message says what to write instead."""


def wanted(spec: str) -> tuple[str, Path | None]:
    """``FORMAT`` or ``FORMAT=PATH``, taken apart."""
    name, _, path = spec.partition("=")
    if name not in FORMATS:
        raise ReportError(f"there is no report format {name!r}; there is {', '.join(FORMATS)}")
    return name, Path(path) if path else None


def write(spec: str, outcome: Outcome) -> None:
    """Write one report, to its file or to standard output; a file that is there stays as it is until the report is whole."""
    name, path = wanted(spec)
    report = import_module(f"{__name__}.{name}")
    if path is None:
        report.write(outcome, sys.stdout)
        return
    try:
        if path.is_dir():
            if not hasattr(report, "write_into"):
                raise ReportError(
                    f"{path} is a folder: name a file in it, as in {name}={path / 'stingy.txt'}"
                )
            report.write_into(outcome, path)
        elif (out := stream(path)) is not None:
            with out:
                report.write(outcome, out)
        else:
            whole = StringIO()
            report.write(outcome, whole)
            put(path, whole.getvalue())
    except OSError as error:
        raise ReportError(f"the report cannot be written to {path}: {error.strerror}") from None
