"""Judge faults planted in upstream's own code: ``python benchmarks/upstream/planted.py [NAME]...``.

Each fault edits a copy of the module, and the driver is built under control. The script prints the first rule that the fault
breaks, a MUST if there is one, and keeps it in ``results/planted.json``. Exit status: 1 if no MUST finds a fault that a MUST has
found before. ``--seeds N`` judges only the faults that depend on the order of threads: with how many of N seeds their rule finds
them, and after how many orders.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import click
from workshop import Workshop, set_out

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.transport import locate

HERE = Path(__file__).parent
KEPT = HERE / "results/planted.json"
"""By fault: level and id of the rule that found it; an empty list if none did."""

Fault = dict[str, Any]
Found = list[str]


@click.command()
@click.argument("names", nargs=-1)
@click.option("--seeds", default=0, help="Judge only the races, each by its rule, with this number of seeds.")
def main(names: tuple[str, ...], seeds: int) -> None:
    """Judge the faults, or those named."""
    planted: list[Fault] = tomllib.loads((HERE / "planted.toml").read_text())["faults"]
    chosen = [fault for fault in planted if not names or fault["name"] in names]
    if seeds:
        for fault, workshop in _set_out([fault for fault in chosen if "race" in fault]):
            click.echo(f"| {fault['says']} | {_with_seeds(fault, workshop, seeds)} |")
        return
    kept: dict[str, Found] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    lost = []
    for fault, workshop in _set_out(chosen):
        began = time.monotonic()
        found = _first_broken(workshop)
        click.echo(f"| {fault['says']} | {' '.join(found) or 'nothing'} | {time.monotonic() - began:.0f} |")
        if kept.get(fault["name"], found)[:1] == ["MUST"] != found[:1]:
            lost.append(fault["name"])
        else:
            kept[fault["name"]] = found
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    if lost:
        sys.exit(f"found by a MUST before, and by none now: {', '.join(lost)}")


def _set_out(faults: list[Fault]) -> Iterator[tuple[Fault, Workshop]]:
    """Yield each fault with the folder of a driver that was built with this fault in it."""
    for candidate in sorted({fault["candidate"] for fault in faults}):
        with set_out(candidate) as workshop:
            for fault in faults:
                if fault["candidate"] == candidate:
                    with workshop.changed(fault["file"], _plant(fault, workshop)):
                        workshop.build()
                        yield fault, workshop


def _plant(fault: Fault, workshop: Workshop) -> str:
    text = (workshop.module / fault["file"]).read_text()
    for edit in fault["edits"]:
        if text.count(edit["was"]) != 1:
            sys.exit(f"{fault['name']}: {edit['was']!r} is not to be found once in {fault['file']}")
        text = text.replace(edit["was"], edit["becomes"])
    return text


def _first_broken(workshop: Workshop) -> Found:
    """Judge a driver; return level and id of the first rule that fails, MUSTs first.

    If none fails, it is the first rule that ends with an error; empty if there is none.
    """
    command = [sys.executable, "-m", "stingy", "run", workshop.target, "--seed", "1", "--report", "json"]
    told = subprocess.run(command, cwd=workshop.driver, capture_output=True, text=True, check=False)
    if not told.stdout.strip():
        sys.exit(f"{workshop.target} was not judged (exit status {told.returncode}): {told.stderr.strip()}")
    rows = [row for row in json.loads(told.stdout)["results"] if row["verdict"] in ("FAIL", "ERROR")]
    rows.sort(key=lambda row: (row["verdict"] != "FAIL", row["level"] != "MUST"))
    return [rows[0]["level"], rows[0]["rule"]] if rows else []


def _with_seeds(fault: Fault, workshop: Workshop, seeds: int) -> str:
    runs = [_orders_until_found(workshop.target, fault["race"], seed) for seed in range(1, seeds + 1)]
    orders = [orders for orders in runs if orders]
    middle = f"{median(orders):,.0f}" if orders else "–"
    return f"`{fault['race']}` | {len(orders)} of {seeds} | {middle}"


def _orders_until_found(target: str, rule: str, seed: int) -> int:
    """Return in how many orders the rule's races ran until one failed; 0 if none failed."""
    candidate = locate(target, seed)
    trial, orders = Trial(candidate, seed), 0
    try:
        for row in all_rules()[rule].cases:
            verdict = trial.judge(all_rules()[rule], row)
            orders += verdict.runs
            if verdict.verdict is Finding.FAIL:
                return orders
    finally:
        candidate.close()
    return 0


if __name__ == "__main__":
    main()
