"""Renew the records: snapshots of results, each with the commit and the day it was made.

``python -m lab.records [NAME]...`` renews all of them, or those named. A change can be merged
without that. Each file is written as a whole or not at all, so a record that cannot be renewed
keeps its old content. Exit status: 0 all were renewed, 1 some were not.
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
    "kills": ("the rules that catch each candidate: most of an hour", (*LAB, "kills", "--write")),
    "candidates": ("results of real implementations: half an hour", (*LAB, "matrix", "--record")),
    "museum": ("bugs of real releases: half an hour", (*LAB, "museum", "--record")),
    "planted": (
        "the rules that find each fault planted in upstream's code; 1 if no MUST finds one any more: half an hour",
        ("benchmarks/upstream/planted.py",),
    ),
    "feedback": ("texts shown to a learner", ("-m", "stingy_kata", "dev", "golden")),
    "counters": ("counts of the work to judge the reference", ("benchmarks/counters.py", "--write")),
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
    click.echo(f"not renewed: {', '.join(failed)}" if failed else "all are renewed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
