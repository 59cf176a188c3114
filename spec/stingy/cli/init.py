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
    """Write a starter in this language into DIR, from which you can have your own queue judged.

    The starter runs as it is, with a small correct queue. Marks in its code show the few calls to
    replace by those of your queue.
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
