"""The command ``stingy doctor``."""

from __future__ import annotations

from contextlib import nullcontext

import click

from stingy.cli.notice import Notice
from stingy.cli.options import SECONDS, choose_target, options
from stingy.doctor import PATIENCE, examine, render
from stingy.judging import isolation
from stingy.judging.isolation import CANNOT_FORK
from stingy.judging.verdict import Exit
from stingy.process.standing import stand_here
from stingy.request import Request
from stingy.transport import TargetError, is_driver


@click.command("doctor")
@click.argument("target", required=False, callback=choose_target)
@options()
@click.option(
    "--patience",
    type=SECONDS,
    default=PATIENCE,
    show_default=True,
    metavar="S",
    help="Seconds for each answer of a driver; for another candidate, for its import, and again for all checks.",
)
def command(request: Request, patience: float) -> int:
    """Check whether TARGET can be judged at all, before any rule.

    For a driver: whether it keeps to the protocol. For another candidate, in a process of its own:
    what it offers, and what stingy cannot control. Exit status: 0 all is well, 3 something is wrong, 4 usage.
    """
    stand_here()
    isolates = not (CANNOT_FORK or is_driver(request.target))
    notice = Notice(f"examining {request.target}", f"--patience {patience:g}")
    try:
        with notice if isolates else nullcontext():
            examination = (
                isolation.examine(request.target, patience, "--patience S")
                if isolates
                else examine(request.target, patience)
            )
    except TargetError as error:
        raise click.ClickException(str(error)) from None
    for line in render(examination):
        click.echo(line)
    return Exit.CANDIDATE_ERROR if examination.ill else Exit.CONFORMS
