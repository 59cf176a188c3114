"""With how many of ten seeds a released bug is found, and after how many orders: ``python benchmarks/released.py NAME…``.

NAME is an exhibit of the museum, the last release with the bug; ``NAME@VERSION`` takes another one that has it. Each release is built as
its card says, and judged by ``stingy run`` with each seed, by the rules that are to find the bug or with ``--whole`` by all. The first
release without it is judged likewise, and has to keep them: the exit status is 1 if it does not, or a seed does not find the bug.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click
from msgspec.structs import replace as with_fields

from lab.building import Site
from lab.exhibits import Exhibit, Side, exhibits
from lab.museum import build_release
from stingy.judging.verdict import Finding, Verdict
from stingy.reports.json import read

ROOT = Path(__file__).parent.parent


@click.command(help=__doc__)
@click.argument("names", nargs=-1, required=True, metavar="NAME[@VERSION]…")
@click.option("--seeds", default=10, show_default=True)
@click.option("--whole", is_flag=True, help="By all rules, as a run does that is asked for nothing.")
def main(names: tuple[str, ...], seeds: int, whole: bool) -> None:
    click.echo("| bug | release with it | found | orders until then, median | without it | accused |")
    click.echo("|---|---|--:|--:|---|--:|")
    fine = True
    for it in map(_choose, names):
        before, after = (_judge(it, side, range(1, seeds + 1), whole=whole) for side in Side)
        orders = [found for found in before if found]
        accused = sum(map(bool, after))
        middle = f"{median(orders):,.0f} ({min(orders)} to {max(orders):,})" if orders else "–"
        click.echo(
            f"| {it.card.title} | {it.card.program} {it.card.last} | {len(orders)} of {seeds} | {middle} "
            f"| {it.card.first} | {accused} of {seeds} |"
        )
        fine = fine and len(orders) == seeds and not accused
    sys.exit(not fine)


def _choose(name: str) -> Exhibit:
    name, _, version = name.partition("@")
    it = next((it for it in exhibits(ROOT) if it.name == name), None)
    if it is None:
        raise click.UsageError(f"there is no {name} in the museum: python -m lab museum --table lists it")
    return Exhibit(it.root, it.name, with_fields(it.card, last=version)) if version else it


def _judge(it: Exhibit, side: Side, seeds: Sequence[int], *, whole: bool) -> Sequence[int]:
    """For each seed, in how many orders of the rule that finds it the bug was found; 0 where it was not."""
    with build_release(it, side) as site, TemporaryDirectory() as folder:
        return [_find(it, site, Path(folder) / f"{seed}.json", seed, whole=whole) for seed in seeds]


def _find(it: Exhibit, site: Site, report: Path, seed: int, *, whole: bool) -> int:
    rules = [] if whole else [f"--rule={rule}" for rule in it.card.rules]
    results = read(site.judge(it.candidate.target, [f"--seed={seed}", *rules], report)).results
    found = count_orders([row for row in results if row.rule in it.card.rules])
    click.echo(f"{site.name}, seed {seed}: {found or 'not found'}", err=True)
    return found


def count_orders(rows: Sequence[Verdict]) -> int:
    """Up to the first row that is broken; 0 if none is."""
    orders = 0
    for row in rows:
        orders += row.runs
        if row.verdict is Finding.FAIL:
            return orders
    return 0


if __name__ == "__main__":
    main()
