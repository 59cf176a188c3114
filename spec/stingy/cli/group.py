"""What the commands ``stingy`` and ``stingy-kata`` have in common: how they end."""

from __future__ import annotations

import sys
from io import StringIO
from typing import Any, NoReturn

import click


class Group(click.Group):
    """A group whose usage errors are sentences, and exit with 4."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        try:
            result = super().main(*args, **kwargs)
        except click.ClickException as error:
            from stingy.testimony import in_lines
            from stingy.verdict import Exit  # which takes longer to import than to list the commands

            said = StringIO()
            error.show(said)
            click.echo(in_lines(said.getvalue()), err=True, nl=False)
            sys.exit(Exit.USAGE)
        except (click.exceptions.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            sys.exit(130)
        sys.exit(result if isinstance(result, int) else 0)
