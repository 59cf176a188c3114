"""Command that writes the files derived from types, from the table of ops, and from the workflows."""

from __future__ import annotations

import click

from lab import keys, pins, schemas
from stingy.process.file import put


@click.command(
    "derive", short_help="Regenerate the schemas, the key files of the starters, and the commits of actions."
)
def command() -> None:
    """Regenerate what is derived from types, from the table of ops, and from the workflows.

    These are the JSON Schemas, the starters' files with the keys of each op's request, and the
    commit of each action that the docs, the starters and action.yml use.
    """
    files = {schemas.HERE / name: text for name, text in schemas.schemas().items()}
    for path, text in (files | dict(keys.files()) | dict(pins.files())).items():
        put(path, text)
        click.echo(f"{path} is written")
