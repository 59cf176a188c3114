"""Faults planted in upstream's own code, judged through its driver: ``python planted.py``, or with the names of some.

Each is an edit of a copy of the module, built as the driver is, under control. Told is the first rule that it breaks. ``--seeds N``: of
those that only an order of threads shows, with how many seeds their rule finds them, and after how many orders.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from pathlib import Path
from statistics import median
from typing import Any

import click
from workshop import Workshop, set_out

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from orders import find  # noqa: E402 - a script of the folder above

Fault = dict[str, Any]


@click.command()
@click.argument("names", nargs=-1)
@click.option("--seeds", default=0, help="Judge the races alone, each by its rule, with so many seeds.")
def main(names: tuple[str, ...], seeds: int) -> None:
    """Judge the faults, or those named."""
    planted: list[Fault] = tomllib.loads((HERE / "planted.toml").read_text())["faults"]
    faults = [fault for fault in planted if not seeds or "race" in fault]
    for candidate in sorted({fault["candidate"] for fault in faults}):
        with set_out(candidate) as workshop:
            for fault in faults:
                if fault["candidate"] == candidate and (not names or fault["name"] in names):
                    with workshop.changed(fault["file"], _plant(fault, workshop)):
                        found = _with_seeds(fault, workshop, seeds) if seeds else _first_broken(workshop)
                        click.echo(f"| {fault['says']} | {found} |")


def _plant(fault: Fault, workshop: Workshop) -> str:
    text = (workshop.module / fault["file"]).read_text()
    for edit in fault["edits"]:
        if text.count(edit["was"]) != 1:
            sys.exit(f"{fault['name']}: {edit['was']!r} is not to be found once in {fault['file']}")
        text = text.replace(edit["was"], edit["becomes"])
    return text


def _first_broken(workshop: Workshop) -> str:
    workshop.build()
    command = [sys.executable, "-m", "stingy", "run", workshop.target, "--seed", "1"]
    began = time.monotonic()
    told = subprocess.run(command, cwd=workshop.driver, capture_output=True, text=True, check=False).stdout
    broken = [line.split() for line in told.splitlines() if line.startswith(("FAIL", "ERROR"))]
    rules = [f"`{words[2].partition('[')[0]}`" for words in broken if words[0] == "FAIL"]
    found = rules[0] if rules else "an error" if broken else "nothing"
    return f"{found} | {time.monotonic() - began:.0f}"


def _with_seeds(fault: Fault, workshop: Workshop, seeds: int) -> str:
    workshop.build()
    runs = [find(workshop.target, fault["race"], seed) for seed in range(1, seeds + 1)]
    orders = [orders for orders in runs if orders]
    middle = f"{median(orders):,.0f}" if orders else "–"
    return f"`{fault['race']}` | {len(orders)} of {seeds} | {middle}"


if __name__ == "__main__":
    main()
