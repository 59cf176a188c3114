"""The command ``stingy baseline``."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import click

from stingy.cli.judging import judge_request, load_baseline, refuse_without_folder
from stingy.cli.options import choose_target, is_said, options, settings
from stingy.judging.baseline import BaselineError, write
from stingy.judging.verdict import Exit, Status
from stingy.request import Request
from stingy.settings import is_below, is_trusted


@click.group("baseline")
def command() -> None:
    """Record the failures of a candidate, so that later runs accept them."""


@command.command("write")
@click.argument("target", required=False, callback=choose_target)
@click.option(
    "--to",
    "path",
    type=click.Path(path_type=Path),
    default=lambda: settings().options.get("baseline") or "stingy-baseline.json",
    metavar="FILE",
)
@click.option("--reason", required=True, help="Why the failures found now are accepted.")
@click.option("--issue", default="", metavar="URL", help="Link to the issue that discusses them.")
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Last day on which they are accepted.",
)
@options("edition", "seed", "kubernetes", "isolate", "timed", "limit", "memory", "start")
def write_down(request: Request, path: Path, reason: str, issue: str, expires: datetime | None) -> int:
    """Judge the candidate, write the broken rules to the baseline file, and return exit status 0.

    A rule that the file ``path`` already lists keeps its entry, with the old reason. A rule that is
    no longer broken is removed. Raises ClickException if the run is incomplete or the file is
    unusable.
    """
    until = expires.date() if expires else None
    if not is_said("path"):
        _refuse_foreign(path)
    if path.exists():
        load_baseline(path)
    refuse_without_folder("baseline", path)
    outcome = judge_request(replace(request, strict=True))
    if outcome.status is not Status.COMPLETE:
        raise click.ClickException(f"the run is not complete ({outcome.status}): nothing is written")
    try:
        number = write(path, outcome.verdicts, reason=reason, issue=issue, expires=until)
    except BaselineError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{path} lists {number} known failure{'s' if number != 1 else ''}")
    return Exit.CONFORMS


def _refuse_foreign(path: Path) -> None:
    """Raise UsageError if the settings name this baseline, but must not have it written."""
    file = settings().file
    if file is None or not settings().options.get("baseline"):
        return
    if not (is_trusted(file, Path.cwd()) and is_below(path, file.parent)):
        raise click.UsageError(
            f"{file} names the baseline {path}, but that is outside of its folder, or the file or its folder "
            f"belongs to another user: to write it, add --to {path}"
        )
