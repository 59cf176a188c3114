"""``stingy museum``"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec

from stingy.building import BuildError
from stingy.exhibits import Exhibit, Side, exhibits
from stingy.implementations import CardError
from stingy.museum import Judged, judge_release
from stingy.reports import ReportError
from stingy.reports.museum import Row, from_record, judged, not_built, table
from stingy.reports.pair import Outcome, Pair
from stingy.testimony import in_lines
from stingy.verdict import Exit


@click.command("museum")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all-rules", is_flag=True, help="Judge by all rules, not by those alone that are to find it.")
@click.option("--record", is_flag=True, help="Put what is found into the place of what is recorded.")
@click.option("--table", "as_recorded", is_flag=True, help="Judge nobody: show what is recorded.")
@click.option("--json", "as_json", is_flag=True, help="The table, for programs.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The checkout of stingy.  [default: this folder]",
)
def command(
    names: tuple[str, ...], *, all_rules: bool, record: bool, as_recorded: bool, as_json: bool, root: Path
) -> int:
    """Judge real bugs of real releases, or those named: the last release with it, and the first without.

    A bug is found if a rule is broken by the one and kept by the other. What cannot be built here is shown as well, with the
    reason. Exit status: 0 all is as the cards say, 1 something is not, 2 nothing could be judged, 3 something could not be
    built or judged, 4 usage.
    """
    if record and all_rules:
        raise click.UsageError("what is recorded is judged by the rules of its card: leave --all-rules out")
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
    """Goes from one exhibit to the next, and tells where it is."""

    record: bool
    all_rules: bool
    failed: Exit = Exit.CONFORMS

    def visit(self, it: Exhibit) -> Row:
        if it.card.unbuilt:
            return not_built(it, it.card.unbuilt)
        if it.candidate.missing:
            return not_built(it, f"it needs {' and '.join(it.candidate.missing)}, which is not here")
        with TemporaryDirectory() as folder:
            try:
                before, after = (self._judge(it, side, Path(folder)) for side in Side)
            except BuildError as error:
                self.failed = Exit.CANDIDATE_ERROR
                return not_built(it, in_lines(str(error)))
            return self._compare(it, before, after)

    def _judge(self, it: Exhibit, side: Side, folder: Path) -> Judged:
        click.echo(f"{it.name}: {it.card.program} {it.card.release(side)} is built and judged …", err=True)
        return judge_release(it, side, () if self.all_rules else it.card.rules, folder)

    def _compare(self, it: Exhibit, before: Judged, after: Judged) -> Row:
        pair = Pair(before.document, after.document)
        if self.record:
            command = shlex.join(["stingy", "museum", it.name])
            before.record(it, Side.BEFORE, command)
            after.record(it, Side.AFTER, command)
        return judged(it, pair, pair.rules if self.all_rules else it.card.rules)


def _conclude(rows: Sequence[Row]) -> Exit:
    if all(row.outcome is Outcome.NOT_BUILT for row in rows):
        return Exit.INCONCLUSIVE
    return Exit.CONFORMS if all(row.as_said for row in rows) else Exit.DOES_NOT
