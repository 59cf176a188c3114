"""Building and judging a candidate of this checkout, in separate processes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stingy.judging.verdict import Exit

SEED = 1
"""Seed of all recorded runs, so that they can be repeated."""
LAST_WORDS = 12
"""Number of the last output lines of a failed command that are shown."""


class BuildError(Exception):
    """A candidate cannot be built or judged here; the message says why."""


@dataclass(frozen=True)
class Site:
    """A folder in which a candidate is built and judged."""

    name: str
    """Name of the candidate in error messages."""
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for the commands, in addition to those of this process."""

    def build(self, commands: Iterable[str]) -> None:
        """Run these command lines in the site's folder, in order. Raises BuildError if one fails."""
        for command in commands:
            self._run(_words(command))

    def judge(self, target: str, options: Sequence[str], report: Path) -> Path:
        """Judge ``target`` with these options of ``stingy run``, and write a JSON report to ``report``.

        Return this path. Raises BuildError if the command fails or writes no report.
        """
        told = [f"--seed={SEED}", *options, "--report", f"json={report.absolute()}"]
        status = self._run([sys.executable, "-m", "stingy", "run", target, *told], fine=range(3))
        if not report.exists():
            raise BuildError(f"{self.name} was judged with status {Exit(status).name}, and wrote no report")
        return report

    def _run(self, words: Sequence[str], fine: range = range(1)) -> int:
        try:
            done = subprocess.run(
                words, cwd=self.folder, env=self._environment, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise BuildError(f"{self.name}: {words[0]} cannot be run: {error.strerror}") from None
        if done.returncode not in fine:
            said = "\n".join((done.stdout + done.stderr).splitlines()[-LAST_WORDS:])
            raise BuildError(f"{self.name}: {shlex.join(words)} exited with {done.returncode}:\n{said}")
        return done.returncode

    @property
    def _environment(self) -> Mapping[str, str]:
        ours, path = dict(self.environment), os.environ.get("PYTHONPATH")
        if path and "PYTHONPATH" in ours:
            ours["PYTHONPATH"] += os.pathsep + path
        return os.environ | ours


def _words(command: str) -> list[str]:
    """Split a command line into words; ``python`` and ``pip`` become those of this interpreter."""
    first, *others = shlex.split(command)
    return {"python": [sys.executable], "pip": [sys.executable, "-m", "pip"]}.get(first, [first]) + others
