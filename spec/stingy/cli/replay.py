"""The command ``stingy replay``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from stingy.cli import debugging
from stingy.cli.exporting import export
from stingy.cli.judging import TERMINAL, judge_request, write_reports
from stingy.cli.options import options
from stingy.contract.kubernetes import WaysError, ways
from stingy.judging.verdict import Exit
from stingy.process.signature import is_ours
from stingy.reports import ReportError
from stingy.reports.json import read_broken
from stingy.reports.native import LANGUAGES
from stingy.request import Request


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("target", default="")
@options("isolate", "timed", "limit", "memory", "start")
@click.option(
    "--export",
    "language",
    type=click.Choice(list(LANGUAGES)),
    help="Write tests in this language to standard output instead.",
)
@click.option(
    "--debug",
    "number",
    is_flag=False,
    flag_value=1,
    default=None,
    type=click.IntRange(1),
    metavar="[N]",
    help="Replay only failure N of the report, without isolation, and stop in a debugger as its wrong step begins.  [default: the first]",
)
@click.option(
    "--debug-with",
    "debugger",
    default=None,
    metavar="pdb|debugpy[:PORT]",
    help="Debugger to stop in, as --debug does. debugpy waits until an editor attaches.  [default: pdb; PORT 5678]",
)
def command(
    request: Request, file: Path, language: str | None, number: int | None, debugger: str | None
) -> int:
    """Judge again what a JSON report in FILE says is broken, each race in the order that broke it.

    Judges TARGET. Without TARGET, judges the candidate of the report, if a run of yours in this
    folder has written the report. Exit status as of stingy run.
    """
    target = request.target
    try:
        report = read_broken(file)
    except ReportError as error:
        raise click.ClickException(str(error)) from None
    if not report.verdicts:
        click.echo(f"{file} lists no broken rule: there is nothing to replay")
        return Exit.CONFORMS
    try:
        ways(report.kubernetes)
    except WaysError as error:
        raise click.ClickException(f"{file} is damaged: {error}") from None
    again = replace(
        request,
        target=target or report.target,
        replay=str(file),
        seed=report.seed,
        kubernetes=report.kubernetes,
        strict=report.strict,
    )
    known = bool(target) or is_ours(report.signature, report.target, Path.cwd())
    refusal = (
        f"{file} was not written by a run of yours in this folder, and would run {report.target!r}: "
        f"to allow that, name the target yourself: stingy replay {file} TARGET"
    )
    if language:
        return export(report.verdicts, language, again, "" if known else refusal)
    if not known:
        raise click.ClickException(refusal)
    if number is None and debugger is None:
        outcome = judge_request(again, replayed=report.verdicts)
        return write_reports(replace(outcome, replayed=True), [TERMINAL])
    debugging.refuse_driver(again.target)
    port = debugging.find_port(debugger or "pdb")
    verdict = debugging.choose(report.verdicts, number or 1)
    with debugging.stop_at_failure(verdict, port):
        outcome = judge_request(replace(again, isolate=False), replayed=[verdict])
    return write_reports(replace(outcome, replayed=True), [TERMINAL])
