"""``stingy run``"""

from __future__ import annotations

import os
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

MOST = 16
"""Processes: each takes a second or two to begin, and more would have too little to do for that."""


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
@click.option(
    "-n",
    "processes",
    type=click.IntRange(1),
    metavar="PROCESSES",
    help="So many at once, with the same report.  [default: one a processor for all rules, one for a part]",
)
@click.option(
    "--cluster",
    default="",
    metavar="ADDRESS",
    help="By the workers of the Dask scheduler there, with the same report.  [needs: stingy[cluster]]",
)
@click.option("--fail-fast", is_flag=True, help="Judge no more once a rule is broken.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORMAT[=PATH]",
    help=f"{', '.join(FORMATS)}; terminal if none is asked for; may be repeated.",
)
def command(
    request: Request, processes: int | None, cluster: str, fail_fast: bool, reports: tuple[str, ...]
) -> int:
    """Judge TARGET: module:object, a module, an entry point, "cmd:COMMAND LINE" of a driver, attach:HOST:PORT.

    Without TARGET the embedded reference is judged. Exit status: 0 conforms, 1 does not, 2 undecided,
    3 the candidate or its driver fell over, 4 usage, 5 a fault of the suite, 130 interrupted.
    """
    _refuse_nonsense(request, processes, cluster)
    known = load_baseline(Path(request.baseline)) if request.baseline else None
    outcome = judge_request(
        request, reports, processes or choose_processes(request), cluster=cluster, fail_fast=fail_fast
    )
    if known is not None:
        whole = outcome.status is Status.COMPLETE and not request.profile and not request.rule
        found = complaints(known, outcome.verdicts, date.today(), whole=whole)  # noqa: DTZ011
        outcome = replace(outcome, complaints=found)
    return write_reports(outcome, reports)


def _refuse_nonsense(request: Request, processes: int | None, cluster: str) -> None:
    if cluster and processes:
        raise click.UsageError("the workers of a cluster are as many as they are: leave out -n, or --cluster")
    if cluster and request.target.startswith("attach:"):
        raise click.UsageError(
            f"{request.target} is one process, and no work for many: name a driver as cmd:COMMAND LINE, which each worker can start"
        )


def choose_processes(request: Request) -> int:
    """One a processor, where all rules are judged, each with a candidate of its own; a part is judged before others have begun."""
    is_part = bool(request.rule or request.profile)
    return 1 if is_part or request.target.startswith("attach:") else min(count_processors(), MOST)


def count_processors() -> int:
    """That this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
