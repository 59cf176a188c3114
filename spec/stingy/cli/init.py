"""The command ``stingy init``."""

from __future__ import annotations

from pathlib import Path

import click

from stingy.judging.verdict import Exit
from stingy.starters import LANGUAGES, StarterError, write


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--language", type=click.Choice(list(LANGUAGES)), default="python", show_default=True)
def command(folder: Path, language: str) -> int:
    """Write a starter in this language into DIR, to have a queue of yours judged.

    It runs as it is, around a small correct queue; marks show the few calls to replace by yours.
    """
    try:
        commands = write(folder, language)
    except StarterError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{folder} is written and runs as it is:\n")
    for command in commands:
        click.echo(f"    {command}")
    click.echo(f"\nThen put your queue into {LANGUAGES[language].calls.strip('`')}.")
    return Exit.CONFORMS
