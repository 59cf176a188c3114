"""``stingy matrix``"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from stingy.building import BuildError
from stingy.implementations import CardError, Implementation, implementations
from stingy.matrix import differences, judge_implementation
from stingy.matrix import record as put_down
from stingy.reports import ReportError
from stingy.reports.json import read
from stingy.reports.matrix import markdown, recorded
from stingy.reports.readme import renew
from stingy.testimony import in_a_line, in_lines
from stingy.verdict import Exit, Finding


@click.command("matrix")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--record", is_flag=True, help="Put what is found into the place of what is recorded.")
@click.option("--table", is_flag=True, help="Judge nobody: only write the table of what is recorded.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("candidates"),
    show_default=True,
    help="The folder of the implementations.",
)
def command(names: tuple[str, ...], record: bool, table: bool, root: Path) -> int:
    """Build and judge the real implementations again, or those named, and say what is not as it was recorded.

    What this machine lacks the toolchain for is left out, and said. Exit status: 0 all is as recorded,
    1 something differs, 2 nobody could be judged, 3 something could not be built or judged, 4 usage.
    """
    try:
        return _rejudge(implementations(root), names, root, record=record, table=table)
    except (CardError, ReportError) as error:
        raise click.ClickException(str(error)) from None


def _rejudge(
    everybody: Sequence[Implementation], names: Sequence[str], root: Path, *, record: bool, table: bool
) -> int:
    if unknown := set(names) - {it.name for it in everybody}:
        there = ", ".join(it.name for it in everybody)
        raise click.ClickException(f"there is no {', '.join(sorted(unknown))} in {root}; there is {there}")
    asked = [it for it in everybody if it.name in names] if names else everybody
    status = Exit.CONFORMS if table else _compare_with_record(asked, record=record)
    if record or table:
        _write_pages(everybody, root / "README.md")
    return status


def _write_pages(everybody: Sequence[Implementation], page: Path) -> None:
    """The table of all, and in the README of each what was found of it."""
    page.write_text(markdown(everybody), encoding="utf-8")
    click.echo(f"{page} is written")
    for column in recorded(everybody):
        readme = column.it.readme
        if readme.exists():
            readme.write_text(renew(readme.read_text(encoding="utf-8"), column), encoding="utf-8")


def _compare_with_record(asked: Sequence[Implementation], *, record: bool) -> Exit:
    ends: set[Exit] = set()
    for it in asked:
        if it.card.missing:
            click.echo(f"{it.name}: left out, for it needs {' and '.join(it.card.missing)}")
            continue
        click.echo(f"{it.name}: built and judged …", err=True)
        with TemporaryDirectory() as folder:
            try:
                path = judge_implementation(it, Path(folder))
            except BuildError as error:
                click.echo(in_lines(str(error)))
                ends.add(Exit.CANDIDATE_ERROR)
                continue
            found = read(path)
            differ = list(differences(read(it.result), found)) if it.result.exists() else ["never recorded"]
            if record:
                put_down(it, path)
        offered = sum(row.verdict is not Finding.NOT_OFFERED for row in found.results)
        said = "differs" if differ else f"as recorded, {offered} verdicts"
        click.echo(in_a_line(f"{it.name} {found.candidate.version}: {said}"))
        for difference in differ:
            click.echo(f"  {in_a_line(difference)}")
        ends.add(Exit.DOES_NOT if differ and not record else Exit.CONFORMS)
    return max(ends, default=Exit.INCONCLUSIVE)
