"""The command ``stingy doctor``."""

from __future__ import annotations

import click

from stingy.cli.options import choose_target, options
from stingy.doctor import PATIENCE, examine, render
from stingy.judging.verdict import Exit
from stingy.process.standing import stand_here
from stingy.request import Request
from stingy.transport import TargetError


@click.command("doctor")
@click.argument("target", required=False, callback=choose_target)
@options()
@click.option(
    "--patience",
    type=click.FloatRange(0, min_open=True),
    default=PATIENCE,
    show_default=True,
    metavar="S",
    help="Seconds that an answer may take.",
)
def command(request: Request, patience: float) -> int:
    """Check whether TARGET can be judged at all, before any rule.

    For a driver: whether it keeps to the protocol. For a candidate in this process: what it offers,
    and what stingy cannot control. Exit status: 0 all is well, 3 something is wrong, 4 usage.
    """
    stand_here()
    try:
        examination = examine(request.target, patience)
    except TargetError as error:
        raise click.ClickException(str(error)) from None
    for line in render(examination):
        click.echo(line)
    return Exit.CANDIDATE_ERROR if examination.ill else Exit.CONFORMS
