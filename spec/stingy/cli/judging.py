"""What the commands that judge have in common: a candidate is judged, and what came of it is reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from stingy.baseline import Baseline, BaselineError, load
from stingy.cli.notice import Notice
from stingy.isolation import CANNOT_FORK, Limits, reach
from stingy.language.session import CandidateError
from stingy.reports import Outcome, ReportError, wanted, write
from stingy.testimony import in_a_line
from stingy.transport import HELLO, TargetError, is_driver
from stingy.verdict import Exit, Status


def judged(
    target: str,
    seed: int | None,
    options: Sequence[str],
    reports: Sequence[str] = (),
    *,
    strict: bool,
    globs: Sequence[str] = ("*",),
    limits: Limits | None = Limits(),  # noqa: B008 - nobody can change it
    start: float | None = None,
) -> Outcome:
    """Judge the target, once it is sure that these reports can be written; a driver may take so long to ``start``."""
    import hypothesis  # noqa: F401 - ours, and not what is called so where the user stands

    from stingy.cli.session import found_by_rules
    from stingy.plugin import new_seed

    _look_at(reports)
    limits = _as_far_as_can_be(limits, target)
    seed = new_seed() if seed is None else seed
    stand_here()
    with _starting(target, limits, start) as notice:
        try:
            candidate = reach(target, seed, limits, start)
        except TargetError as error:
            raise click.ClickException(str(error)) from None
        except CandidateError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(Exit.CANDIDATE_ERROR)
        began = datetime.now(UTC)
        found = found_by_rules(candidate, seed, [*options, *_told(limits, start)], notice)
    if not found.verdicts and found.status is Status.COMPLETE:
        from stingy.cli.rules import like

        like(globs)
        raise click.ClickException(f"no rule like {', '.join(globs)} belongs to those profiles")
    return Outcome(
        version("stingy"),
        target,
        candidate.name,
        candidate.version,
        candidate.kubernetes,
        seed,
        strict,
        found.verdicts,
        status=found.status,
        fault=found.fault,
        began=began,
        seconds=found.seconds,
    )


def reported(outcome: Outcome, reports: Sequence[str]) -> int:
    """Write the reports, each though another cannot be written, and say how it ended."""
    refused: list[ReportError] = []
    for report in reports or ("terminal",):
        try:
            write(report, outcome)
        except ReportError as error:
            refused.append(error)
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - what was found out is not to be lost with one way to tell it
            told = f"the report {report} cannot be written: {type(error).__name__}: {error}"
            outcome = replace(outcome, status=Status.CRASHED, fault=outcome.fault or told)
    if outcome.fault:
        click.echo(f"Error: a fault of stingy itself: {in_a_line(outcome.fault)}", err=True)
    if refused:
        raise click.ClickException("; ".join(map(str, refused)))
    return outcome.exit


def _as_far_as_can_be(limits: Limits | None, target: str) -> Limits | None:
    """The limits, if a candidate that is no driver can have a process of its own here; what it means if not is told."""
    if limits is None or not CANNOT_FORK or is_driver(target):
        return limits
    click.echo(CANNOT_FORK, err=True)
    return None


def _starting(target: str, limits: Limits | None, start: float | None) -> Notice:
    """What is waited for before anything can be judged."""
    if not is_driver(target):
        return Notice(f"importing {target}", f"--start {limits.start:g}" if limits is not None else "")
    ends = "" if target.startswith("attach:") else f"--start {start or HELLO:g}"
    return Notice(f"waiting for {target} to say hello", ends)


def _told(limits: Limits | None, start: float | None) -> Iterator[str]:
    """The same limits, for pytest."""
    if limits is not None:
        yield from (
            "--stingy-isolate",
            f"--stingy-limit={limits.seconds}",
            f"--stingy-memory={limits.megabytes}",
        )
    if start is not None:
        yield f"--stingy-start={start}"


def loaded(path: Path) -> Baseline:
    try:
        return load(path)
    except BaselineError as error:
        raise click.ClickException(str(error)) from None


def stand_here() -> None:
    """Let the candidate be imported from where the user stands."""
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - sys.path takes strings


def _look_at(reports: Iterable[str]) -> None:
    """Refuse what cannot be written before anything is done."""
    for report in reports:
        try:
            _, path = wanted(report)
        except ReportError as error:
            raise click.ClickException(str(error)) from None
        if path is not None:
            refuse_without_folder("report", path)


def refuse_without_folder(what: str, path: Path) -> None:
    """Say before anything is judged that there is no folder for what is to be written."""
    if not path.parent.is_dir():
        raise click.ClickException(
            f"the {what} cannot be written to {path}: there is no folder {path.parent}"
        )
