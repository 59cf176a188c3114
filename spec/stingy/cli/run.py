"""``stingy run``"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import click

from stingy.baseline import complaints
from stingy.cli.judging import judge_request, load_baseline, write_reports
from stingy.cli.options import options
from stingy.reports import FORMATS
from stingy.request import DEFAULT_TARGET, Request
from stingy.verdict import Status


@click.command("run")
@click.argument("target", default=DEFAULT_TARGET)
@options(
    "profile",
    "rule",
    "strict",
    "seed",
    "kubernetes",
    "budget",
    "isolate",
    "limit",
    "memory",
    "start",
    "baseline",
)
@click.option("-n", "workers", type=click.IntRange(0), default=0, metavar="WORKERS", help="Processes to use.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORMAT[=PATH]",
    help=f"{', '.join(FORMATS)}; terminal if none is asked for; may be repeated.",
)
def command(request: Request, workers: int, reports: tuple[str, ...]) -> int:
    """Judge TARGET: module:object, a module, an entry point, "cmd:COMMAND LINE" of a driver, attach:HOST:PORT.

    Without TARGET the embedded reference is judged. Exit status: 0 conforms, 1 does not, 2 undecided,
    3 the candidate or its driver fell over, 4 usage, 5 a fault of the suite, 130 interrupted.
    """
    known = load_baseline(Path(request.baseline)) if request.baseline else None
    outcome = judge_request(request, reports, workers)
    if known is not None:
        whole = outcome.status is Status.COMPLETE and not request.profile and not request.rule
        found = complaints(known, outcome.verdicts, date.today(), whole=whole)  # noqa: DTZ011
        outcome = replace(outcome, complaints=found)
    return write_reports(outcome, reports)
