"""The command ``stingy diff``."""

from __future__ import annotations

from pathlib import Path

import click

from stingy.judging.verdict import Exit
from stingy.reports import ReportError
from stingy.reports.comparison import COMPARED, Comparison, as_markdown, as_text
from stingy.reports.json import Document, read


@click.command("diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--markdown", is_flag=True, help="Print Markdown, for a pull request.")
def command(old: Path, new: Path, markdown: bool) -> int:
    """Compare two JSON reports, OLD and NEW: rules newly broken, mended, or no longer judged.

    Exit status: 1 if something got worse, 0 if not, 4 usage. Worse is a rule newly broken or in
    error, and a rule that was kept and is now undecided, not judged or not offered. A rule that
    only one of the reports has does not count.
    """
    found = Comparison(_read(old), _read(new))
    for line in as_markdown(found) if markdown else as_text(found):
        click.echo(line)
    return Exit.DOES_NOT if found.is_worse else Exit.CONFORMS


def _read(path: Path) -> Document:
    try:
        report = read(path, enough=COMPARED)
    except ReportError as error:
        raise click.ClickException(str(error)) from None
    if report.made.commit or report.made.day:
        raise click.ClickException(
            f"{path} is a record, which lists few of the rules that are kept: use a report of stingy run --report json"
        )
    return report
