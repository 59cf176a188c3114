"""Command that judges the real implementations again, and compares them with their records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec

from lab.building import BuildError, Site
from lab.implementations import CardError, Implementation, implementations
from lab.recorded import keep, read
from lab.reports.matrix import outcomes, recorded
from lab.reports.readme import renew
from stingy.contract.testimony import in_a_line, in_lines
from stingy.judging.verdict import Exit, Finding, worst
from stingy.reports import ReportError
from stingy.reports.comparison import group_races
from stingy.reports.json import Document

OUTCOMES = Path("spec/stingy/reports/outcomes.json")
"""File of the package with each implementation's outcomes where upstream leaves them open."""


def judge_implementation(it: Implementation, folder: Path) -> Path:
    """Build and judge an implementation, write the report into ``folder``, and return its path.

    Raises BuildError if the implementation cannot be built or judged.
    """
    site = Site(it.name, it.folder, it.card.environment)
    site.build(it.card.build)
    return site.judge(it.card.target, (), folder / f"{it.name}.json")


def differences(recorded: Document, found: Document) -> Iterator[str]:
    """Yield a sentence for each difference between the recorded report and the one found now.

    Which races of a broken rule fail depends on chance, so all races of a rule count as one row.
    """
    if recorded.candidate.version != found.candidate.version:
        yield f"recorded version: {recorded.candidate.version or 'none'}, this version: {found.candidate.version}"
    before, now = (
        {id_: worst(verdicts) for id_, verdicts in group_races(report.results).items()}
        for report in (recorded, found)
    )
    for id_ in dict.fromkeys([*before, *now]):
        was, is_ = before.get(id_, Finding.NOT_OFFERED), now.get(id_, Finding.NOT_OFFERED)
        if was is not is_:
            yield f"{id_}: recorded {was}, found {is_}"


@click.command("matrix", short_help="Judge the real implementations again.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--record", is_flag=True, help="Replace the recorded results by the new ones.")
@click.option("--table", is_flag=True, help="Only regenerate the READMEs and outcomes from the records.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("candidates"),
    show_default=True,
    help="The folder of the implementations.",
)
def command(names: tuple[str, ...], record: bool, table: bool, root: Path) -> int:
    """Judge the real implementations again, or those named; list differences from their records.

    Each is built first. Implementations whose toolchain is missing are skipped, with a line that
    says so. Exit status: 0 all results are as recorded, 1 a result differs, 2 no implementation
    could be judged, 3 an implementation could not be built or judged, 4 usage.
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
        _write_pages(everybody, root.parent)
    return status


def _write_pages(everybody: Sequence[Implementation], root: Path) -> None:
    """Write the recorded results into each implementation's README, and into ``outcomes.json``."""
    columns = recorded(everybody)
    shipped = root / OUTCOMES
    if shipped.exists():
        shipped.write_text(outcomes(columns), encoding="utf-8")
    for column in columns:
        readme = column.it.readme
        if readme.exists():
            readme.write_text(renew(readme.read_text(encoding="utf-8"), column), encoding="utf-8")
            click.echo(f"{readme} is written")


def _compare_with_record(asked: Sequence[Implementation], *, record: bool) -> Exit:
    ends: set[Exit] = set()
    for it in asked:
        if it.card.missing:
            click.echo(f"{it.name}: skipped, because it needs {' and '.join(it.card.missing)}")
            continue
        click.echo(f"{it.name}: building and judging …", err=True)
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
                keep(msgspec.json.decode(path.read_bytes()), it.result)
        offered = sum(row.verdict is not Finding.NOT_OFFERED for row in found.results)
        said = "differs" if differ else f"as recorded, {offered} verdicts"
        click.echo(in_a_line(f"{it.name} {found.candidate.version}: {said}"))
        for difference in differ:
            click.echo(f"  {in_a_line(difference)}")
        ends.add(Exit.DOES_NOT if differ and not record else Exit.CONFORMS)
    return max(ends, default=Exit.INCONCLUSIVE)
