"""Mutants of a package in Go, all of them in one program; and what is known of them, a line each in a file."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

Mutant = dict[str, Any]
"""Where it is and what it is, as ``mutate.go`` tells; judged, also by whom it was found."""

SAME = ("file", "function", "line", "operator", "was", "now")
"""What tells a mutant from another one that had its number before."""


class Results:
    """What is known of the mutants, a line each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.lines: dict[int, Mutant] = {line["id"]: line for line in map(json.loads, lines)}

    @property
    def broken(self) -> set[str]:
        """The rules that one of them at least breaks."""
        return {rule for line in self.lines.values() for rule in line.get("stingy", {}).get("broken", ())}

    def known(self, mutant: Mutant) -> Mutant:
        """It, with what is known of it; unless the number was that of another one then."""
        line = self.lines.get(mutant["id"], {})
        return {**line, **mutant} if all(line.get(key) == mutant[key] for key in SAME) else mutant

    def forget(self, numbers: set[int]) -> None:
        """What stingy has found, but for what is to be asked first the next time."""
        for number in numbers & set(self.lines):
            found = self.lines[number].pop("stingy", None)
            if found and found["how"]:
                self.lines[number]["before"] = found["how"]
        self._write()

    def add(self, line: Mutant) -> None:
        self.lines[line["id"]] = line
        self._write()

    def _write(self) -> None:
        whole = "".join(f"{json.dumps(self.lines[number])}\n" for number in sorted(self.lines))
        begun = self._path.with_suffix(".begun")
        begun.write_text(whole)
        begun.replace(self._path)


@dataclass(frozen=True)
class Package:
    """A package of which all that compile are made."""

    folder: Path
    path: str
    """By which it is imported."""
    files: Sequence[str]
    built_in: Path
    """The folder of the module in which it is compiled."""

    def mutate(self, work: Path) -> Sequence[Mutant]:
        """Write them into its files; those that do not compile are said to be stillborn, and left out."""
        sound = {file: (self.folder / file).read_bytes() for file in self.files}
        stillborn: dict[int, str] = {}
        while True:
            for file, text in sound.items():
                (work / file).write_bytes(text)
            mutants = self._mutate(work, stillborn)
            if not (found := self._compile(mutants)):
                break
            stillborn |= found
        return [{**it, "stillborn": stillborn[it["id"]]} if it["id"] in stillborn else it for it in mutants]

    def _mutate(self, work: Path, without: Collection[int]) -> Sequence[Mutant]:
        files = [str(work / file) for file in self.files]
        left = ["-without", ",".join(map(str, without))]
        mutate = ["go", "run", str(HERE / "mutate.go"), *left, str(self.folder), *files]
        subprocess.run(mutate, check=True, stdout=sys.stderr)
        return json.loads((self.folder / "mutants.json").read_text())  # type: ignore[no-any-return]

    def _compile(self, mutants: Sequence[Mutant]) -> Mapping[int, str]:
        """What Go says of those that do not compile."""
        _, told, _ = run(["go", "build", "-gcflags=-e", self.path], self.built_in, 600)
        complaints = re.findall(r"^\S*?([^/\s]+\.go):(\d+):\d+: (.+)$", told, re.MULTILINE)
        if told and not complaints:
            sys.exit(told)
        return {_find(mutants, file, int(line))["id"]: said for file, line, said in complaints}


def choice(mutant: Mutant) -> str:
    """The environment in which it is run."""
    return f"STINGY_MUTANT={mutant['id'] + 1}"


def _find(mutants: Sequence[Mutant], file: str, line: int) -> Mutant:
    found = next((it for it in mutants if it["file"] == file and it["from"] <= line <= it["to"]), None)
    return found or sys.exit(f"{file}:{line} is of no mutant, and does not compile")


def run(command: Sequence[str], folder: Path, seconds: float) -> tuple[int | None, str, float]:
    """With what status it ended, if in time; what it said; and how many seconds it took."""
    began = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as running:
        try:
            told, _ = running.communicate(timeout=seconds)
            status: int | None = running.returncode
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            told, _ = running.communicate()
            status = None
    return status, told, round(time.monotonic() - began, 2)
