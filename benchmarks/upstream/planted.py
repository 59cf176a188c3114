"""Faults planted in upstream's own code, judged through its driver: ``python planted.py``, or with the names of some.

Each is an edit of a copy of the module, built as the driver is, under control. Told is the first rule that it breaks.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import click
from workshop import Workshop, set_out

HERE = Path(__file__).parent
Fault = dict[str, Any]


@click.command()
@click.argument("names", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Judge the faults, or those named."""
    faults: list[Fault] = tomllib.loads((HERE / "planted.toml").read_text())["faults"]
    for candidate in sorted({fault["candidate"] for fault in faults}):
        with set_out(candidate) as workshop:
            for fault in faults:
                if fault["candidate"] == candidate and (not names or fault["name"] in names):
                    with workshop.changed(fault["file"], _plant(fault, workshop)):
                        click.echo(f"| {fault['says']} | {_first_broken(workshop)} |")


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


if __name__ == "__main__":
    main()
