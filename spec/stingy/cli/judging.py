"""Shared by the commands that judge: judge a candidate, and write reports of the result."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from stingy.cli.notice import Notice
from stingy.contract.kubernetes import WaysError, ways
from stingy.contract.testimony import in_a_line
from stingy.judging.baseline import Baseline, BaselineError, load
from stingy.judging.isolation import CANNOT_FORK, Isolated, prepare, reach
from stingy.judging.verdict import Exit, Status, Verdict
from stingy.language.session import CandidateError
from stingy.process.file import claim, follow_links, is_output, is_replaced
from stingy.process.standing import stand_here
from stingy.reports import Report, ReportError, parse_spec, write
from stingy.request import HELLO, Request
from stingy.transport import Candidate, TargetError, is_driver

TERMINAL = "terminal"
"""The report that standard output holds unless another one is sent to it."""
FOR_PEOPLE = (TERMINAL, "verbose")
"""Formats that a quiet run does not write to standard output."""


def judge_request(
    request: Request,
    reports: Sequence[str] = (),
    processes: int = 1,
    *,
    baseline: Baseline | None = None,
    replayed: Sequence[Verdict] | None = None,
    cluster: str = "",
    fail_fast: bool = False,
) -> Report:
    """Check that the reports can be written, then judge the target and return the results.

    ``reports``: each is ``FORMAT`` or ``FORMAT=PATH``. ``processes``: number of processes that
    judge. ``replayed``: the verdicts to replay; None to judge by the rules of the request.
    ``cluster``: address of a scheduler whose workers judge instead; empty for none. ``fail_fast``:
    stop at the first failure.
    """
    from stingy.judging.rewriting import run_rewritten

    _refuse_unwritable(reports)
    request = _isolate_if_possible(request).with_a_seed()
    stand_here()
    return run_rewritten(
        partial(_judge, request, processes, baseline, replayed, cluster=cluster, fail_fast=fail_fast)
    )


def _judge(
    request: Request,
    processes: int,
    baseline: Baseline | None,
    replayed: Sequence[Verdict] | None,
    *,
    cluster: str,
    fail_fast: bool,
) -> Report:
    from stingy.cli.session import run_rules  # imports rules, so it has to run rewritten
    from stingy.judging.docket import Docket, DocketError
    from stingy.judging.printing import overheard

    with _announce_start(request) as notice, overheard(), _breakpoints(request), _streams_kept():
        try:
            docket = Docket(request, baseline, replayed)
        except DocketError as error:
            raise click.ClickException(str(error)) from None
        if not cluster:
            prepare(case.rule for case in docket.cases)
        try:
            with _streams_kept():
                candidate = _reach(request)
        except TargetError as error:
            raise click.ClickException(str(error)) from None
        except CandidateError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(Exit.CANDIDATE_ERROR)
        told = _leave_out_claimed_kubernetes(request, candidate.kubernetes)
        began = datetime.now(UTC)
        if cluster:
            from stingy.cli.cluster import share_out

            found = share_out(cluster, docket, candidate, notice, fail_fast=fail_fast)
        else:
            found = run_rules(docket, candidate, processes, notice, fail_fast=fail_fast)
    return Report.of(
        candidate,
        told,
        found.verdicts,
        found.seconds,
        status=found.status,
        fault=found.fault,
        began=began,
        unjudged=found.unjudged,
    )


def _leave_out_claimed_kubernetes(request: Request, claimed: str) -> Request:
    """Return the request for a report, without a Kubernetes version that the candidate claims anyway.

    A replay takes the version from its report. The commands that it suggests need no option for a
    version that the candidate claims.
    """
    return replace(request, kubernetes="") if ways(request.kubernetes) == ways(claimed) else request


@contextmanager
def _streams_kept() -> Iterator[None]:
    """At the end of the block, undo changes of a candidate in this process to the standard streams."""
    before = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def _breakpoints(request: Request) -> Iterator[None]:
    """Until the block ends, let ``breakpoint()`` stop in a candidate that is judged in this process.

    The user's own choice of a debugger, in PYTHONBREAKPOINT, is left as it is.
    """
    if request.isolate or is_driver(request.target) or os.environ.get("PYTHONBREAKPOINT"):
        yield
        return
    from stingy.engine.debugger import stop_here

    before, sys.breakpointhook = sys.breakpointhook, stop_here
    try:
        yield
    finally:
        sys.breakpointhook = before


def choose_reports(named: Iterable[str], *, quiet: bool = False) -> Sequence[str]:
    """Return the reports to write: those that are named, and the terminal's.

    The terminal's is left out if another goes to standard output. ``quiet``: leave out each report for
    people on standard output, also the terminal's.
    Raises ClickException for an unknown format.
    """
    reports = [(report, *_parse(report)) for report in named]
    if quiet:
        return [report for report, name, path in reports if path is not None or name not in FOR_PEOPLE]
    is_taken = any(path is None or is_output(path) for _, _, path in reports)
    return [*(report for report, _, _ in reports), *(() if is_taken else (TERMINAL,))]


def write_reports(outcome: Report, reports: Sequence[str]) -> int:
    """Write all reports, even if one of them fails; return the exit status of the run.

    ``reports``: those that ``choose_reports`` returns.
    """
    refused: list[ReportError] = []
    unwritten: OSError | None = None
    for report in reports:
        try:
            write(report, outcome)
        except ReportError as error:
            refused.append(error)
        except OSError as error:  # standard output: for a file it is a ReportError
            unwritten = error
        except Exception as error:  # noqa: BLE001 - the other reports have to be written all the same
            told = f"the report {report} cannot be written: {type(error).__name__}: {error}"
            outcome = replace(outcome, status=Status.CRASHED, fault=outcome.fault or told)
    if outcome.status is Status.INTERRUPTED:
        click.echo(": ".join(filter(None, ("interrupted", outcome.cut_short))), err=True)
    if outcome.fault:
        click.echo(f"Error: a fault of stingy itself: {in_a_line(outcome.fault)}", err=True)
    if unwritten is not None:
        raise unwritten
    if refused:
        raise click.ClickException("; ".join(map(str, refused)))
    return outcome.exit


def _reach(request: Request) -> Candidate | Isolated:
    """Import or start the candidate that the request names, and return it.

    Raises CandidateError if nothing of it can be judged.
    """
    candidate = reach(request)
    try:
        ways(request.kubernetes or candidate.kubernetes)
    except WaysError as error:
        raise CandidateError(
            f"{request.target} claims to behave as Kubernetes {candidate.kubernetes!r}, but {error}"
        ) from None
    if not isinstance(candidate, Isolated) and not is_driver(request.target):
        from stingy.doctor.inprocess import find_refusal
        from stingy.transport.inprocess import InProcess

        assert isinstance(candidate, InProcess)
        if why := find_refusal(candidate):
            raise CandidateError(why)
    return candidate


def _isolate_if_possible(request: Request) -> Request:
    """Return the request; if this system cannot fork, print that and turn off isolation."""
    if not request.isolate or not CANNOT_FORK or is_driver(request.target):
        return request
    click.echo(CANNOT_FORK, err=True)
    return replace(request, isolate=False)


def _announce_start(request: Request) -> Notice:
    """Return the notice to print if importing the candidate or starting its driver takes long."""
    target, limits = request.target, request.limits
    if not is_driver(target):
        return Notice(f"importing {target}", f"--start {limits.start:g}" if limits is not None else "")
    ends = "" if target.startswith("attach:") else f"--start {request.start or HELLO:g}"
    return Notice(f"waiting for {target} to say hello", ends)


def load_baseline(path: Path) -> Baseline:
    try:
        return load(path)
    except BaselineError as error:
        raise click.ClickException(str(error)) from None


def _refuse_unwritable(reports: Iterable[str]) -> None:
    """Raise ClickException if one of the reports (``FORMAT=PATH``) cannot be written.

    This is checked before anything is judged.
    """
    to: dict[Path, str] = {}
    for report in reports:
        _, path = _parse(report)
        if path is not None:
            refuse_without_folder("report", path)
            if is_replaced(path):
                _refuse_second(report, to.setdefault(_resolve(path), report))
            try:
                claim(path)
            except OSError as error:
                raise click.ClickException(
                    f"the report cannot be written to {path}: {error.strerror}"
                ) from None


def _refuse_second(report: str, first: str) -> None:
    """Raise ClickException if the ``first`` report into a file is another one than this ``report``."""
    if report != first:
        raise click.ClickException(
            f"the reports {first} and {report} would be written to the same file: name another file for one"
        )


def _resolve(path: Path) -> Path:
    try:
        return follow_links(path)
    except OSError:  # a loop of links, which cannot be written to either
        return path.absolute()


def _parse(report: str) -> tuple[str, Path | None]:
    try:
        return parse_spec(report)
    except ReportError as error:
        raise click.ClickException(str(error)) from None


def refuse_without_folder(what: str, path: Path) -> None:
    """Raise ClickException if the folder in which to write ``path`` does not exist.

    ``what`` names the file in the message, such as "baseline".
    """
    if not path.parent.is_dir():
        raise click.ClickException(
            f"the {what} cannot be written to {path}: there is no folder {path.parent}"
        )
