"""Faults planted in upstream's own code, judged through its driver: ``python planted.py``, or with the names of some.

Each is an edit of a copy of the module, built as the driver is, under control. Told is the first rule that it breaks.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from judge import CANDIDATES, HERE, _by_full_path, _copied, _go

Fault = dict[str, Any]


@click.command()
@click.argument("names", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Judge the faults, or those named."""
    faults: list[Fault] = tomllib.loads((HERE / "planted.toml").read_text())["faults"]
    for candidate in sorted({fault["candidate"] for fault in faults}):
        with _set_out(CANDIDATES / candidate) as (work, module):
            for fault in faults:
                if fault["candidate"] == candidate and (not names or fault["name"] in names):
                    with _planted(fault, module):
                        click.echo(f"| {fault['says']} | {_first_broken(work)} |")


@contextmanager
def _set_out(folder: Path) -> Iterator[tuple[Path, Path]]:
    """A copy of a driver beside a copy of the module that it is for."""
    toml = tomllib.loads((folder / "candidate.toml").read_text())
    module = toml["registry"].partition("pkg.go.dev/")[2]
    version, there = _go(folder, "list", "-m", "-f", "{{.Version}} {{.Dir}}", module).split()
    with tempfile.TemporaryDirectory(prefix="stingy-planted-") as temporary:
        work, copy = (
            Path(temporary) / "driver",
            Path(temporary) / f"{module}@{version}",
        )  # whose path tells the release
        shutil.copytree(there, copy, copy_function=_copied)
        shutil.copytree(folder, work, ignore=shutil.ignore_patterns("driver", "*.json"))
        go_mod = _by_full_path((folder / "go.mod").read_text(), folder)
        (work / "go.mod").write_text(f"{go_mod}\nreplace {module} {version} => {copy}\n")
        yield work, copy


@contextmanager
def _planted(fault: Fault, module: Path) -> Iterator[None]:
    file = module / fault["file"]
    sound = file.read_text()
    text = sound
    for edit in fault["edits"]:
        if text.count(edit["was"]) != 1:
            sys.exit(f"{fault['name']}: {edit['was']!r} is not to be found once in {fault['file']}")
        text = text.replace(edit["was"], edit["becomes"])
    file.write_text(text)
    yield
    file.write_text(sound)


def _first_broken(work: Path) -> str:
    (build,) = tomllib.loads((work / "candidate.toml").read_text())["build"]
    subprocess.run(shlex.split(build), cwd=work, check=True, capture_output=True)
    command = [sys.executable, "-m", "stingy", "run", f"cmd:{work / 'driver'}", "--seed", "1"]
    began = time.monotonic()
    told = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False).stdout
    broken = [line.split() for line in told.splitlines() if line.startswith(("FAIL", "ERROR"))]
    rules = [f"`{words[2].partition('[')[0]}`" for words in broken if words[0] == "FAIL"]
    found = rules[0] if rules else "an error" if broken else "nothing"
    return f"{found} | {time.monotonic() - began:.0f}"


if __name__ == "__main__":
    main()
