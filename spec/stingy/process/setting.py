"""The setting of a run, as its report names it: the suite's commit, Python, the system, processors."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[3]
"""The folder above ``spec/`` if the suite runs from a checkout of its own."""


@dataclass(frozen=True)
class Setting:
    """The Python and the machine on which a run judges; each field is empty or 0 if unknown."""

    python: str = ""
    """Version of Python, as in ``3.11.7``."""
    implementation: str = ""
    """Implementation of Python, as in ``CPython``."""
    system: str = ""
    """Name, release and architecture of the operating system, as in ``Linux 6.8.0 x86_64``."""
    processors: int = 0
    """Number of processors that the run may use."""


UNKNOWN = Setting()


def find_setting() -> Setting:
    """Return the setting of this process. It starts no other process to find out."""
    return Setting(
        platform.python_version(),
        platform.python_implementation(),
        f"{platform.system()} {platform.release()} {platform.machine()}".strip(),
        count_processors(),
    )


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def find_commit() -> str:
    """Return the commit of the suite, in full; empty if it cannot be known.

    It is the last commit of the suite's own checkout, or the one from which pip installed it. Files
    of the checkout may have been changed since.
    """
    with suppress(OSError, ValueError):
        if commit := _read_head(ROOT / ".git"):
            return commit
    with suppress(OSError, PackageNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        origin = distribution("stingy").read_text("direct_url.json") or "{}"
        return msgspec.json.decode(origin, type=_Origin).vcs_info.commit_id
    return ""


class _VersionControl(msgspec.Struct):
    commit_id: str = ""


class _Origin(msgspec.Struct):
    """Part of ``direct_url.json``, in which pip writes where a package was installed from."""

    vcs_info: _VersionControl = msgspec.field(default_factory=_VersionControl)


def _read_head(git: Path) -> str:
    """Return the commit that is checked out in the git folder; empty if there is none.

    In a linked worktree ``git`` is a file that names the folder, and branches are in a common one.
    """
    if git.is_file():
        git = git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    head = git / "HEAD"
    if not head.is_file():
        return ""
    said = head.read_text(encoding="utf-8").strip()
    name = said.removeprefix("ref:").strip()
    if name == said:
        return said
    common = git / "commondir"
    folders = [git, git / common.read_text(encoding="utf-8").strip()] if common.is_file() else [git]
    for folder in folders:
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8").strip()
    packed = folders[-1] / "packed-refs"
    lines = packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else []
    return next((line.partition(" ")[0] for line in lines if line.endswith(f" {name}")), "")
