"""Command that writes the files derived from types and from the table of ops."""

from __future__ import annotations

import click

from lab import keys, schemas
from stingy.process.file import put


@click.command("derive", short_help="Regenerate the schemas and the key files of the starters.")
def command() -> None:
    """Regenerate the files that are derived from types and from the table of ops.

    These are the JSON Schemas, and the starters' files with the keys of each op's request.
    """
    files = {schemas.HERE / name: text for name, text in schemas.schemas().items()}
    for path, text in (files | dict(keys.files())).items():
        put(path, text)
        click.echo(f"{path} is written")
