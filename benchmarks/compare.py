"""Run every tool in ``peers`` on every fault, each in its own process, and print what each found and how fast."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from math import prod
from pathlib import Path

import click
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from peers import TOOLS, Found, Tool
from peers.faults import FAULTS, REFERENCE, Fault

HERE = Path(__file__).resolve().parent
CANDIDATES = HERE.parent / "reference"
SLACK = 15.0
"""Seconds for a process to start, and to notice the end of its time."""

Results = dict[tuple[Tool, Fault], Found]


@click.command()
@click.option("--seconds", default=4.0, show_default=True, help="For each tool and fault.")
def main(seconds: float) -> None:
    """Compare stingy's engine with its peers on the same faults."""
    progress = Console(stderr=True)
    results: Results = {}
    with progress.status("") as status:
        for number, fault in enumerate((*FAULTS, *REFERENCE)):
            for tool in TOOLS:
                status.update(f"{fault.name}: {tool.name}")
                results[tool, fault] = run(tool, number, seconds)
    out = Console(width=400)  # of a narrower table, rich would cut the cells
    for part in (conditions(seconds), detections(results), rates(results), *conclusions(results)):
        out.print(part)
        out.print()


def run(tool: Tool, fault: int, seconds: float) -> Found:
    """Run one tool on the fault with this number, for up to so many seconds, and return its result."""
    if tool.package and not _version(tool):
        return Found(found=False, seconds=0, schedules=0, note="not installed")
    command = [sys.executable, "-m", "peers", tool.module, str(fault), str(seconds)]
    if tool.under:
        command = [str(Path(sys.executable).with_name(tool.under)), *command]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=2 * seconds + SLACK,
            check=False,
            cwd=HERE,
            env=os.environ | {"PYTHONPATH": str(CANDIDATES)},
        )
    except subprocess.TimeoutExpired:
        return Found(found=False, seconds=seconds, schedules=0, note="hangs")
    if done.returncode:
        return Found(found=False, seconds=0, schedules=0, note=(done.stderr.split("\n") or [""])[-2][:60])
    return Found(**json.loads(done.stdout.splitlines()[-1]))


def conditions(seconds: float) -> str:
    packages = ", ".join(sorted({f"{tool.package} {_version(tool)}" for tool in TOOLS if tool.package}))
    return f"{seconds:g} s for each tool and fault; {platform.python_implementation()} {platform.python_version()}; {packages}."


def detections(results: Results) -> Table:
    """Return a table of the seconds and runs until each tool found each fault."""
    table = _table("fault", "kind", *(tool.name for tool in TOOLS))
    for fault in FAULTS:
        table.add_row(fault.name, fault.kind, *(_detection(results[tool, fault]) for tool in TOOLS))
    found = (sum(results[tool, fault].found for fault in FAULTS) for tool in TOOLS)
    table.add_row("found", "", *(f"{number} of {len(FAULTS)}" for number in found))
    return table


def rates(results: Results) -> Table:
    """Return a table of each tool's runs per second on the reference, where no fault ends a search."""
    programs = [fault.program.at_once.replace("|", "/") for fault in REFERENCE]
    table = _table(
        "tool", *(f"{program}, runs/s" for program in programs), "stingy's rate, times", "by CPU time"
    )
    for tool in TOOLS:
        mine = [results[tool, fault] for fault in REFERENCE]
        ours = [results[TOOLS[0], fault] for fault in REFERENCE]
        by_clock = [_ratio(_rate(our), _rate(it)) for our, it in zip(ours, mine, strict=True)]
        by_cpu = [_ratio(_cpu_rate(our), _cpu_rate(it)) for our, it in zip(ours, mine, strict=True)]
        table.add_row(
            tool.name,
            *(f"{_rate(it):,.0f}{f' ({it.note})' if it.note else ''}" for it in mine),
            _mean(by_clock),
            _mean(by_cpu),
        )
    return table


def conclusions(results: Results) -> list[str]:
    ours = TOOLS[0]
    missed = [
        f"- {fault.name} with {fault.program.what_meets!r}: {tool.name} finds it, stingy does not."
        for fault in FAULTS
        for tool in TOOLS
        if results[tool, fault].found and not results[ours, fault].found
    ]
    accused = [
        f"- {tool.name} reports a fault in the reference with {fault.program.what_meets!r}."
        for fault in REFERENCE
        for tool in TOOLS
        if results[tool, fault].found
    ]
    return [
        "\n".join(missed) or "No other tool found a fault that stingy misses.",
        "\n".join(accused) or "No tool reports a fault in the reference.",
    ]


def _detection(it: Found) -> str:
    if it.found:
        return f"{it.seconds:.2f} s, {it.schedules}" + (f" ({it.note})" if it.note else "")
    return f"– ({it.note})" if it.note else "–"


def _rate(it: Found) -> float:
    return it.schedules / it.seconds if it.seconds else 0.0


def _cpu_rate(it: Found) -> float:
    return it.schedules / it.cpu if it.cpu else 0.0


def _ratio(ours: float, theirs: float) -> float:
    return ours / theirs if theirs else 0.0


def _mean(ratios: Sequence[float]) -> str:
    """Return the geometric mean of ratios as text; a dash if one of them is 0."""
    return f"{prod(ratios) ** (1 / len(ratios)):.1f}" if all(ratios) else "–"


def _table(*columns: str) -> Table:
    table = Table(box=MARKDOWN)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def _version(tool: Tool) -> str:
    try:
        return version(tool.package)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    main()
