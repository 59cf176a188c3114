"""Command that judges bugs of real releases again.

For each bug, it builds and judges the last release with the bug and the first release without it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import click
import msgspec

from lab.building import BuildError, Site
from lab.exhibits import CANDIDATES, Exhibit, Side, exhibits
from lab.implementations import CardError
from lab.recorded import keep
from lab.reports.museum import Row, from_record, judged, not_built, table
from lab.reports.pair import Occasion, Outcome, Pair
from stingy.contract.testimony import in_lines
from stingy.judging.verdict import Exit
from stingy.reports import ReportError
from stingy.reports.json import Document, read

NO_DRIVER = ("driver", "packages", "target", "dist", "node_modules", "__pycache__", "result.json")
"""Names in a candidate's folder that are not copied: results of builds, and the record."""


@dataclass(frozen=True)
class Judged:
    """Result of judging a release: the path of the report, and the seconds it took to build and judge."""

    report: Path
    seconds: float

    @property
    def document(self) -> Document:
        return read(self.report)

    def record(self, it: Exhibit, side: Side) -> None:
        """Save this result as the recorded report on the exhibit's release before or after the fix."""
        occasion = Occasion(date.today().isoformat(), round(self.seconds, 1))  # noqa: DTZ011
        report = msgspec.json.decode(self.report.read_bytes())
        keep({**report, "judged": msgspec.to_builtins(occasion)}, it.record(side))


def judge_release(it: Exhibit, side: Side, rules: Sequence[str], folder: Path) -> Judged:
    """Build one release of an exhibit, and judge it by these rules, or by all if ``rules`` is empty.

    The report is written into ``folder``. Raises BuildError if the release cannot be built or
    judged here.
    """
    began, version = monotonic(), it.card.release(side)
    with build_release(it, side) as site:
        as_of = [f"--kubernetes={it.card.kubernetes}"] if it.card.kubernetes else []
        options = [*as_of, *(f"--rule={rule}" for rule in rules)]
        judged = Judged(
            site.judge(it.candidate.target, options, folder / f"{side}.json"), monotonic() - began
        )
    if not _is(judged.document.candidate.version, version):
        raise BuildError(f"{site.name}: the build reports version {judged.document.candidate.version}")
    return judged


@contextmanager
def build_release(it: Exhibit, side: Side) -> Iterator[Site]:
    """Build one release of an exhibit in a temporary folder, which is deleted after the block.

    Raises BuildError if a build command fails.
    """
    version, family = it.card.release(side), it.candidate
    with TemporaryDirectory(prefix="stingy-museum-") as work:
        site = Site(f"{it.name} {version}", Path(work) / "driver", family.environment)
        _lay_out(it, side, site.folder)
        commands = (*it.card.fetch, *(it.card.build or family.build))
        site.build(_fill_in(command, it.root, version) for command in commands)
        yield site


def _lay_out(it: Exhibit, side: Side, folder: Path) -> None:
    """Copy the driver into ``folder``, and over it the files that adapt it to this release."""
    family = it.root / CANDIDATES / it.card.candidate

    def left_out(at: str, names: Sequence[str]) -> set[str]:
        """Return those of ``names``, the files in the folder ``at``, that are not copied.

        Files are left out of the top folder only: deeper down, a package of the driver may be called
        ``driver``, for instance.
        """
        return {*NO_DRIVER, *it.card.without} & set(names) if Path(at) == family else set()

    shutil.copytree(family, folder, ignore=left_out)
    for overlay in it.overlays(side):
        shutil.copytree(overlay, folder, dirs_exist_ok=True)


def _fill_in(command: str, root: Path, version: str) -> str:
    return command.replace("{root}", os.fspath(root.absolute())).replace("{version}", version)


def _is(said: str, version: str) -> bool:
    """Return True if ``said``, the version that the driver reports, is ``version`` or empty."""
    return not said or said.removeprefix("v") == version.removeprefix("v")


@click.command("museum", short_help="Judge bugs of real releases again, before and after their fix.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all-rules", is_flag=True, help="Judge by all rules, not only by those of the card.")
@click.option("--record", is_flag=True, help="Replace the recorded results by the new ones.")
@click.option("--table", "as_recorded", is_flag=True, help="Show the recorded results; judge nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The checkout of stingy.  [default: this folder]",
)
def command(
    names: tuple[str, ...], *, all_rules: bool, record: bool, as_recorded: bool, as_json: bool, root: Path
) -> int:
    """Judge all bugs, or those named: the last release with the bug, and the first one without it.

    A bug is found if the release with it breaks a rule that the release without it keeps. Releases
    that cannot be built here are listed with the reason. Exit status: 0 all results are as the
    cards say, 1 a result is not, 2 no release could be judged, 3 a release could not be built or
    judged, 4 usage.
    """
    if record and all_rules:
        raise click.UsageError("--record judges by the rules of each card: remove --all-rules")
    try:
        chosen = _choose(exhibits(root), names)
        tour = _Tour(record=record, all_rules=all_rules)
        rows = [from_record(it) for it in chosen] if as_recorded else [tour.visit(it) for it in chosen]
    except (CardError, ReportError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=1) if as_json else table(rows))
    return max(tour.failed, _conclude(rows))


def _choose(everything: Sequence[Exhibit], names: Sequence[str]) -> Sequence[Exhibit]:
    if unknown := set(names) - {it.name for it in everything}:
        there = ", ".join(it.name for it in everything)
        raise click.ClickException(
            f"there is no {', '.join(sorted(unknown))} in the museum; there is {there}"
        )
    return [it for it in everything if it.name in names] if names else everything


@dataclass
class _Tour:
    """Judges exhibits one by one, and shows progress.

    ``failed`` is the exit status if a release could not be built or judged.
    """

    record: bool
    all_rules: bool
    failed: Exit = Exit.CONFORMS

    def visit(self, it: Exhibit) -> Row:
        if it.card.unbuilt:
            return not_built(it, it.card.unbuilt)
        if it.candidate.missing:
            return not_built(it, f"it needs {' and '.join(it.candidate.missing)}, which this machine lacks")
        with TemporaryDirectory() as folder:
            try:
                before, after = (self._judge(it, side, Path(folder)) for side in Side)
            except BuildError as error:
                self.failed = Exit.CANDIDATE_ERROR
                return not_built(it, in_lines(str(error)))
            return self._compare(it, before, after)

    def _judge(self, it: Exhibit, side: Side, folder: Path) -> Judged:
        click.echo(f"{it.name}: building and judging {it.card.program} {it.card.release(side)} …", err=True)
        return judge_release(it, side, () if self.all_rules else it.card.rules, folder)

    def _compare(self, it: Exhibit, before: Judged, after: Judged) -> Row:
        pair = Pair(before.document, after.document)
        if self.record:
            before.record(it, Side.BEFORE)
            after.record(it, Side.AFTER)
        return judged(it, pair, pair.rules if self.all_rules else it.card.rules)


def _conclude(rows: Sequence[Row]) -> Exit:
    if all(row.outcome is Outcome.NOT_BUILT for row in rows):
        return Exit.INCONCLUSIVE
    return Exit.CONFORMS if all(row.as_said for row in rows) else Exit.DOES_NOT
