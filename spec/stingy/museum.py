"""Exhibits built and judged anew: the release with the bug, and the one without it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import msgspec

from stingy.building import BuildError, Site
from stingy.exhibits import CANDIDATES, Exhibit, Side
from stingy.recorded import keep
from stingy.reports.json import Document, read
from stingy.reports.pair import Occasion

NO_DRIVER = ("driver", "packages", "target", "dist", "node_modules", "__pycache__", "result.json")
"""What may lie in a candidate's folder besides: made there, or recorded."""


@dataclass(frozen=True)
class Judged:
    """A release that was built and judged."""

    report: Path
    seconds: float

    @property
    def document(self) -> Document:
        return read(self.report)

    def record(self, it: Exhibit, side: Side, command: str) -> None:
        """Put what was found into the place of what is recorded."""
        occasion = Occasion(date.today().isoformat(), command, round(self.seconds, 1))  # noqa: DTZ011
        report = msgspec.json.decode(self.report.read_bytes())
        keep({**report, "judged": msgspec.to_builtins(occasion)}, it.record(side))


def judge_release(it: Exhibit, side: Side, rules: Sequence[str], folder: Path) -> Judged:
    """Build a release and judge it by these rules, or by all if there are none; the report lies in this folder.

    BuildError if that cannot be done here.
    """
    began, version = monotonic(), it.card.release(side)
    with build_release(it, side) as site:
        as_of = [f"--kubernetes={it.card.kubernetes}"] if it.card.kubernetes else []
        options = [*as_of, *(f"--rule={rule}" for rule in rules)]
        judged = Judged(
            site.judge(it.candidate.target, options, folder / f"{side}.json"), monotonic() - began
        )
    if not _is(judged.document.candidate.version, version):
        raise BuildError(f"{site.name}: what was built says that it is {judged.document.candidate.version}")
    return judged


@contextmanager
def build_release(it: Exhibit, side: Side) -> Iterator[Site]:
    """Where a release is built, as long as it is needed. BuildError if that cannot be done here."""
    version, family = it.card.release(side), it.candidate
    with TemporaryDirectory(prefix="stingy-museum-") as work:
        site = Site(f"{it.name} {version}", Path(work) / "driver", family.environment)
        _lay_out(it, side, site.folder)
        commands = (*it.card.fetch, *(it.card.build or family.build))
        site.build(_fill_in(command, it.root, version) for command in commands)
        yield site


def _lay_out(it: Exhibit, side: Side, folder: Path) -> None:
    """The driver of its family, with what is special to these releases laid over it."""
    family = it.root / CANDIDATES / it.card.candidate

    def left_out(at: str, names: Sequence[str]) -> set[str]:
        """Of what lies beside its card alone: further down, a package may be called ``driver``."""
        return {*NO_DRIVER, *it.card.without} & set(names) if Path(at) == family else set()

    shutil.copytree(family, folder, ignore=left_out)
    for overlay in it.overlays(side):
        shutil.copytree(overlay, folder, dirs_exist_ok=True)


def _fill_in(command: str, root: Path, version: str) -> str:
    return command.replace("{root}", os.fspath(root.absolute())).replace("{version}", version)


def _is(said: str, version: str) -> bool:
    """Whether a driver says this version; one that cannot tell says none."""
    return not said or said.removeprefix("v") == version.removeprefix("v")
