"""``stingy replay``"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from stingy.cli.judging import judge_request, write_reports
from stingy.cli.options import options
from stingy.kubernetes import WaysError, ways
from stingy.reports import ReportError
from stingy.reports.json import read_broken
from stingy.reports.native import LANGUAGES, NotNative, Told, as_test, render_tests
from stingy.request import Request
from stingy.signature import is_ours
from stingy.testimony import in_a_line
from stingy.verdict import Exit, Verdict


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("target", default="")
@options("isolate", "limit", "memory", "start")
@click.option(
    "--export",
    "language",
    type=click.Choice(list(LANGUAGES)),
    help="Write tests to standard output instead, which need no stingy.",
)
def command(request: Request, file: Path, language: str | None) -> int:
    """Break again what a JSON report in FILE says is broken, each race in the order that broke it.

    For TARGET, or for the candidate of the report if a run of yours in this folder has written it. Exit status as of run.
    """
    target = request.target
    try:
        report = read_broken(file)
    except ReportError as error:
        raise click.ClickException(str(error)) from None
    if not report.verdicts:
        click.echo(f"{file} says that nothing is broken")
        return Exit.CONFORMS
    if language:
        return _export(report.verdicts, language, target or report.target)
    if not target and not is_ours(report.signature, report.target, Path.cwd()):
        raise click.ClickException(
            f"{file} was not written by a run of yours in this folder, and would run {report.target!r}: "
            f"if that is what you want, say so, by stingy replay {file} TARGET"
        )
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
        strict=True,
    )
    outcome = judge_request(again)
    return write_reports(replace(outcome, replayed=True), ())


def _export(verdicts: Sequence[Verdict], language: str, target: str) -> int:
    tests: list[Told] = []
    for verdict in verdicts:
        try:
            tests.append(as_test(verdict))
        except NotNative as why:
            click.echo(in_a_line(f"left out: {verdict.id}: {why}"), err=True)
    if not tests:
        raise click.ClickException("there is nothing in this report that an ordinary test could tell")
    click.echo(render_tests(tests, language, target), nl=False)
    return Exit.CONFORMS
