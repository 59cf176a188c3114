"""Files of the package that are derived from its types and from the table of ops."""

from __future__ import annotations

import click

from lab import keys, schemas
from stingy.process.file import put


@click.command("derive", short_help="Write the schemas and the keys of the starters anew.")
def command() -> None:
    """Write what is derived from the table of ops and from types: the JSON Schemas, and the keys that the starters know."""
    files = {schemas.HERE / name: text for name, text in schemas.schemas().items()}
    for path, text in (files | dict(keys.files())).items():
        put(path, text)
        click.echo(f"{path} is written")
