"""``stingy run``"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import click

from stingy.baseline import complaints
from stingy.cli.judging import judged, loaded, reported
from stingy.contract import PROFILES
from stingy.isolation import Limits
from stingy.kubernetes import WaysError, ways
from stingy.reports import FORMATS
from stingy.transport import DEFAULT_TARGET, HELLO
from stingy.verdict import Status


@click.command("run")
@click.argument("target", default=DEFAULT_TARGET)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Choice([*dict.fromkeys(profile.name for profile in PROFILES.values())]),
    help="Only this profile, and what it builds on.",
)
@click.option(
    "--rule",
    "globs",
    multiple=True,
    metavar="GLOB",
    help="Only rules like this, as in 'fair/*', and what they build on.",
)
@click.option("--strict", is_flag=True, help="A broken SHOULD fails the candidate, too.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Names, times and orders as in that run.")
@click.option(
    "--kubernetes",
    metavar="VERSION",
    callback=lambda _context, _parameter, claimed: _known(claimed or ""),
    help="Judge kube-proxies as of this version, as in 1.30 or 1.33,removal=keep, instead of what they claim.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Run races for so many seconds in all, instead of in a fixed number of orders each.",
)
@click.option("-n", "workers", type=click.IntRange(0), default=0, metavar="WORKERS", help="Processes to use.")
@click.option(
    "--isolate/--no-isolate",
    default=True,
    help="Judge a candidate in Python in a process of its own, which it may end or spoil; as is done where it can be.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    default=Limits.seconds,
    metavar="S",
    help=f"Seconds that one rule may take in that process, {Limits.seconds:g} unless said.",
)
@click.option(
    "--memory",
    type=click.IntRange(64),
    default=Limits.megabytes,
    metavar="MB",
    help=f"Memory that it may keep resident, with all that it starts, {Limits.megabytes} unless said.",
)
@click.option(
    "--start",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help=f"Seconds that it may take to be imported, {Limits.start:g} unless said, or a driver to say hello, {HELLO:g}.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Failures that are known, as written by: stingy baseline write.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORMAT[=PATH]",
    help=f"{', '.join(FORMATS)}; terminal if none is asked for; may be repeated.",
)
def command(
    target: str,
    profiles: tuple[str, ...],
    globs: tuple[str, ...],
    strict: bool,
    seed: int | None,
    kubernetes: str,
    budget: float | None,
    workers: int,
    isolate: bool,
    limit: float,
    memory: int,
    start: float | None,
    baseline: Path | None,
    reports: tuple[str, ...],
) -> int:
    """Judge TARGET: module:object, a module, an entry point, "cmd:COMMAND LINE" of a driver, attach:HOST:PORT.

    Without TARGET the embedded reference is judged. Exit status: 0 conforms, 1 does not, 2 undecided,
    3 the candidate or its driver fell over, 4 usage, 5 a fault of the suite, 130 interrupted.
    """
    options = [
        *([f"--stingy-kubernetes={kubernetes}"] if kubernetes else []),
        *(f"--stingy-profile={profile}" for profile in profiles),
        *(f"--stingy-rule={glob}" for glob in globs),
        *(["--stingy-strict"] if strict else []),
        *([f"--stingy-budget={budget}"] if budget else []),
        *(["-n", str(workers)] if workers else []),
        *([f"--stingy-baseline={baseline}"] if baseline else []),
    ]
    known = None if baseline is None else loaded(baseline)
    outcome = judged(
        target,
        seed,
        options,
        reports,
        strict=strict,
        globs=globs,
        limits=Limits(limit, memory, start or Limits.start) if isolate else None,
        start=start,
    )
    if known is not None:
        whole = outcome.status is Status.COMPLETE and not profiles and not globs
        found = complaints(known, outcome.verdicts, date.today(), whole=whole)  # noqa: DTZ011
        outcome = replace(outcome, complaints=found)
    return reported(outcome, reports)


def _known(kubernetes: str) -> str:
    try:
        ways(kubernetes)
    except WaysError as error:
        raise click.BadParameter(str(error)) from None
    return kubernetes
