"""Snapshots: when, and at which commit, a record was made. A record may be older than the code."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Snapshot:
    """The commit, day and Python version with which a record was made; each empty if unknown."""

    commit: str = ""
    day: str = ""
    """The day in UTC, as in ``2026-11-25``."""
    python: str = ""

    def __str__(self) -> str:
        return f"{self.day}, commit {self.commit}, Python {self.python}"


NEVER = Snapshot()


def now() -> Snapshot:
    """Return the current commit (of the checkout with this module), day and Python version."""
    return Snapshot(_commit(), f"{datetime.now(UTC):%Y-%m-%d}", platform.python_version())


def _commit() -> str:
    """Return the short id of the checkout's last commit, with ``+`` if files have changed.

    Empty outside of a checkout.
    """
    asked = ("git", "describe", "--always", "--exclude=*", "--dirty=+")
    try:
        done = subprocess.run(  # noqa: S603 - git is found on the path, as everywhere
            asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
