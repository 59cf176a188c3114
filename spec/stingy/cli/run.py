"""The command ``stingy run``."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import click

from stingy.cli.judging import choose_reports, judge_request, load_baseline, write_reports
from stingy.cli.options import SECONDS, choose_target, find_agreed_target, is_said, options, settings
from stingy.judging.baseline import complaints
from stingy.judging.isolation import CANNOT_FORK
from stingy.judging.verdict import Status
from stingy.process import interrupt
from stingy.process.setting import count_processors
from stingy.reports import FORMATS, Reporter
from stingy.request import DEFAULT_TARGET, OPTIONS, Request
from stingy.settings import FILE, TABLE
from stingy.transport import is_driver

MOST = 16
"""Most processes by default: each needs a second or two to start, so more would hardly help."""

UNATTENDED = ("CI", "PRE_COMMIT")
"""Variables that CI systems and pre-commit set."""


def _choose_target(context: click.Context, parameter: click.Parameter, named: str | None) -> str:
    """Return the target: the one that is named, that of the settings, or else the default one.

    In CI and in pre-commit, the default one needs ``--reference``: TARGET may come from a variable
    that is empty by mistake.
    """
    if context.params.get("reference"):
        if named is not None:
            raise click.UsageError(
                f"TARGET and --reference exclude each other: remove {named} or --reference"
            )
        return DEFAULT_TARGET
    if named is not None or find_agreed_target():
        return choose_target(context, parameter, named)
    if any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in UNATTENDED):
        raise click.UsageError(
            "no TARGET is given: name one, or judge the embedded reference with --reference; "
            f"to name one for all runs, write it as target below {TABLE} in {FILE}"
        )
    return DEFAULT_TARGET


def _end_after(_context: click.Context, _parameter: click.Parameter, seconds: float | None) -> None:
    if seconds is None:
        return
    if not interrupt.CAN_END:
        raise click.UsageError(
            "--time needs the signal SIGALRM, which this system does not have: remove --time"
        )
    interrupt.end_after(seconds)


def _refuse_no_address(_context: click.Context, _parameter: click.Parameter, said: str) -> str:
    if said and not said.startswith(("https://", "http://")):
        raise click.BadParameter(
            f"{said!r} is not an address: write one that begins with https:// or http://"
        )
    return said


@click.command("run")
@click.argument("target", required=False, callback=_choose_target)
@click.option(
    "--reference", is_flag=True, is_eager=True, help="Judge the embedded reference, the default TARGET."
)
@options(*(name for name in OPTIONS if name != "replay"))  # replay is a command of its own
@click.option(
    "-s",
    "shows",
    is_flag=True,
    help="The same as --no-isolate: print() and breakpoint() work as in a script.",
)
@click.option(
    "-n",
    "processes",
    type=click.IntRange(1),
    metavar="PROCESSES",
    help="Number of processes; the report is the same.  [default: one per processor for all rules, one for a selection or with --no-isolate]",
)
@click.option(
    "--cluster",
    default="",
    metavar="ADDRESS",
    help="Judge on the workers of the Dask scheduler at this address; the report is the same.  [needs: stingy[cluster]]",
)
@click.option("--fail-fast", is_flag=True, help="Stop as soon as a rule is broken.")
@click.option(
    "--time",
    "seconds",
    type=SECONDS,
    metavar="SECONDS",
    callback=_end_after,
    is_eager=True,
    expose_value=False,
    help="Stop after this time and report what was found until then.",
)
@click.option("-v", "--verbose", is_flag=True, help="The same as --report verbose: all results and stories.")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print no report for people: the exit status says what was found.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORMAT[=PATH]",
    help=f"{', '.join(FORMATS)}; may be repeated. Without PATH, or with - as PATH, it is printed instead of the terminal report.",
)
@click.option(
    "--as",
    "reporter",
    default="",
    metavar="NAME",
    help="Name of the organisation or person that judges, as in acme/queue; the JSON report names it.",
)
@click.option(
    "--url",
    "address",
    default="",
    metavar="URL",
    callback=_refuse_no_address,
    help="Web address of the organisation or person that --as names.",
)
def command(
    request: Request,
    reference: bool,
    shows: bool,
    processes: int | None,
    cluster: str,
    fail_fast: bool,
    verbose: bool,
    quiet: bool,
    reports: tuple[str, ...],
    reporter: str,
    address: str,
) -> int:
    """Judge TARGET: module:object, a module, an entry point, "cmd:COMMAND LINE" of a driver,
    attach:HOST:PORT.

    TARGET and options that are not given come from [tool.stingy] in pyproject.toml, where there is
    one. Without any TARGET the embedded reference is judged, but not in CI or pre-commit.
    Exit status: 0 conforms, 1 does not, 2 undecided, 3 the candidate or its driver crashed, 4
    usage, 5 a fault of the suite, 130 interrupted.
    """
    request = replace(request, isolate=request.isolate and not shows)
    if verbose and quiet:
        raise click.UsageError("-v and -q exclude each other: remove one of them")
    chosen = choose_reports((*reports, *(("verbose",) if verbose else ())), quiet=quiet)
    _refuse_nonsense(request, processes, cluster)
    if address and not reporter:
        raise click.UsageError("--url is the address of the one that --as names: add --as NAME")
    if not (reference or is_said("target") or settings().target):
        click.echo("no TARGET is given: the embedded reference is judged", err=True)
    known = load_baseline(Path(request.baseline)) if request.baseline else None
    outcome = judge_request(
        request,
        chosen,
        processes or choose_processes(request),
        baseline=known,
        cluster=cluster,
        fail_fast=fail_fast,
    )
    if known is not None:
        whole = outcome.status is Status.COMPLETE and not request.profile and not request.rule
        found = complaints(known, outcome.verdicts, date.today(), whole=whole)  # noqa: DTZ011
        outcome = replace(outcome, complaints=found)
    return write_reports(replace(outcome, reporter=Reporter(reporter, address)), chosen)


def _refuse_nonsense(request: Request, processes: int | None, cluster: str) -> None:
    if (processes or 1) > 1 and CANNOT_FORK:
        raise click.UsageError("-n needs a system that can fork processes: leave it out")
    if cluster and processes:
        raise click.UsageError("--cluster uses all workers of the cluster: remove -n")
    if cluster and request.target.startswith("attach:"):
        raise click.UsageError(
            f"{request.target} is one process, which the workers of a cluster cannot share: name a driver as cmd:COMMAND LINE, which each worker starts for itself"
        )


def choose_processes(request: Request) -> int:
    """Return how many processes judge: one per processor, at most ``MOST``, if all rules are judged.

    One for a selection of rules: it is done before others would have started. One, too, if the
    candidate cannot be shared: without isolation, or as ``attach:``.
    """
    if CANNOT_FORK:
        return 1
    is_here = not request.isolate and not is_driver(request.target)
    is_alone = request.rule or request.profile or is_here or request.target.startswith("attach:")
    return 1 if is_alone else min(count_processors(), MOST)
