"""Renew the records: snapshots of results, each with the commit and the day it was made.

``python -m lab.records [NAME]...`` renews all of them, or those named. A change can be merged
without that. Each file is written as a whole or not at all, so a record that cannot be renewed
stays as it was. Exit status: 0 all were renewed, 1 some were not.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
LAB = ("-m", "lab")
RECORDS: Mapping[str, tuple[str, Sequence[str]]] = {
    "kills": ("which rules catch which candidates: most of an hour", (*LAB, "kills", "--write")),
    "candidates": ("what real implementations keep: half an hour", (*LAB, "matrix", "--record")),
    "museum": ("bugs of real releases: half an hour", (*LAB, "museum", "--record")),
    "planted": (
        "by which rule each fault planted in upstream's code is found; 1 if a MUST finds one no more: half an hour",
        ("benchmarks/upstream/planted.py",),
    ),
    "feedback": ("what a learner is told", ("-m", "stingy_kata", "dev", "golden")),
    "counters": ("what judging the reference takes", ("benchmarks/counters.py", "--write")),
}
"""By name: text on contents and duration on two processors, and arguments of ``python``."""


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(list(RECORDS)))
def main(names: Sequence[str]) -> None:
    failed = []
    for name in names or RECORDS:
        holds, words = RECORDS[name]
        click.echo(f"== {name}: {holds}", err=True)
        began = time.monotonic()
        if subprocess.run([sys.executable, *words], cwd=ROOT, check=False).returncode:
            failed.append(name)
        click.echo(f"== {name}: {time.monotonic() - began:.0f} s", err=True)
    click.echo(f"not renewed as they should be: {', '.join(failed)}" if failed else "all are renewed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
