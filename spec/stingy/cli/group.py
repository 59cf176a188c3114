"""What the commands ``stingy`` and ``stingy-kata`` have in common: how they end."""

from __future__ import annotations

import os
import sys
import traceback
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

import click

from stingy.interrupt import INTERRUPTED, Interruptible
from stingy.standing import NEEDED

FAULT = 5
"""As in ``stingy.verdict``, which may be what cannot be imported."""
BROKEN_PIPE = 141
"""As a shell has it of whatever SIGPIPE ends."""


class Group(click.Group):
    """A group whose usage errors are sentences, and exit with 4; a fault of our own exits with 5."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            with Interruptible():
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
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at exit
            sys.exit(BROKEN_PIPE)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
            from stingy.testimony import in_a_line, in_lines

            click.echo(in_lines("".join(traceback.format_exception(error))), err=True, nl=False)
            click.echo(f"Error: a fault of stingy itself: {in_a_line(_describe(error))}", err=True)
            sys.exit(FAULT)
        sys.exit(result if isinstance(result, int) else 0)


def _describe(error: Exception) -> str:
    """What it was; and whose module has been taken for one that we need, if that is why."""
    went_through = {Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)}
    loaded = {Path(file) for name in NEEDED if (file := getattr(sys.modules.get(name), "__file__", None))}
    hidden = [it for name in NEEDED if (it := Path.cwd() / f"{name}.py") in went_through | loaded]
    hint = "".join(
        f"; {it.name} here stands in the way of the package of that name: rename it" for it in hidden
    )
    return f"{type(error).__name__}: {error}{hint}"
