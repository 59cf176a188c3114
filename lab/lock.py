"""Locks what the gate and the action install: ``python -m lab.lock`` writes the locks in ``.ci``.

Each package has its version and the hashes of its files. So the gate and ``action.yml`` install the
same packages on each machine, until these files are written again. ``pip install stingy`` uses the
version ranges of ``pyproject.toml``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from stingy.process.file import put

ROOT = Path(__file__).parents[1]
CI = ROOT / ".ci"
README_INSTALLS = "dev,docs"
LAB_INSTALLS = "browser,cluster,editor"
BUILDS_WITH = ("hatchling", "editables")
"""Packages with which pip builds the project.

``pyproject.toml`` names the first; the first needs the second for an editable install (``-e``).
"""
INDEX = "https://pypi.org/simple/"
SIMPLE = "application/vnd.pypi.simple.v1+json"
OTHER_PYTHONS = ("-pp", "cp38-cp38", "cp39-cp39", "cp310-cp310")
"""Parts of file names that stand for Pythons that the project does not support."""
OTHER_SYSTEMS = ("-win", "musllinux", "i686", "ppc64le", "s390x", "armv7l", "riscv64")
"""Parts of file names that stand for systems on which the gate does not run. The action may run there."""
SYSTEMS = (("linux", "Linux", "posix"), ("darwin", "Darwin", "posix"), ("win32", "Windows", "nt"))
"""``sys_platform``, ``platform_system`` and ``os_name`` in the markers of requirements."""


def main() -> None:
    for name, text in locked().items():
        put(CI / name, text)
        print(f".ci/{name}: {text.count('==')} packages")


def locked() -> Mapping[str, str]:
    """Return the texts of the lock files, by their names in ``.ci``."""
    extras = (README_INSTALLS, f"{README_INSTALLS},{LAB_INSTALLS}")
    gate, lab = (_versions(resolve((*BUILDS_WITH, "-e", f".[{it}]"), {})) for it in extras)
    besides = {name: version for name, version in lab.items() if gate.get(name) != version}
    elsewhere = (*OTHER_SYSTEMS, *OTHER_PYTHONS)
    return {
        "gate.lock": "".join(_lines(gate, elsewhere)),
        "lab.lock": "".join(_lines(besides, elsewhere)),
        "action.lock": action(gate),
    }


def action(gate: Mapping[str, str]) -> str:
    """Return the text of the lock of ``action.yml``.

    It has what builds stingy and what stingy needs at run time, on each supported system and Python,
    in the versions of ``gate``, because the gate has tested those. pip resolves only for the system
    that it runs on, so this function names what other systems need until nothing is missing.
    """
    named = frozenset(BUILDS_WITH[:1])
    while True:
        found = resolve((*sorted(named), "-e", "."), gate)
        wanted = {name: it.get("requires_dist", ()) for name, it in found.items()}
        if not (more := missing(wanted)):
            return "".join(_lines(_versions(found), OTHER_PYTHONS))
        named |= more


def missing(wanted: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return the packages that some supported system or Python needs and ``wanted`` lacks.

    ``wanted`` has the requirements of each package, by its name.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    machines = [
        {
            "sys_platform": platform,
            "platform_system": system,
            "os_name": os,
            "extra": "",
            "python_version": python,
            "python_full_version": f"{python}.0",
        }
        for (platform, system, os), python in product(SYSTEMS, pythons)
    ]
    needed = [Requirement(line) for lines in wanted.values() for line in lines]
    return frozenset(
        name
        for it in needed
        if (name := canonicalize_name(it.name)) not in wanted
        and (it.marker is None or any(it.marker.evaluate(machine) for machine in machines))
    )


def pinned(lock: Path) -> Mapping[str, str]:
    """Return the version of each package in a lock file, by package name."""
    return dict(re.findall(r"^(\S+)==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE))


def resolve(words: Iterable[str], within: Mapping[str, str]) -> Mapping[str, Mapping[str, Any]]:
    """Return the metadata of each package that pip would install for ``words``, by package name.

    stingy itself is left out. A package in ``within`` gets the version that it has there.
    """
    with TemporaryDirectory() as work:
        bounds = Path(work) / "bounds"
        bounds.write_text(
            "".join(f"{name}=={version}\n" for name, version in within.items()), encoding="utf-8"
        )
        fixed = ("install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-", "-c", str(bounds))
        done = subprocess.run(
            [sys.executable, "-m", "pip", *fixed, *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    found = (it["metadata"] for it in json.loads(done.stdout)["install"])
    return {canonicalize_name(it["name"]): it for it in found if it["name"] != "stingy"}


def _versions(found: Mapping[str, Mapping[str, Any]]) -> Mapping[str, str]:
    return {name: it["version"] for name, it in found.items()}


def _lines(packages: Mapping[str, str], elsewhere: Collection[str]) -> Iterator[str]:
    yield "# Written by python -m lab.lock.\n"
    for name, version in sorted(packages.items()):
        hashes = "".join(
            f" \\\n    --hash=sha256:{hash_}" for hash_ in sorted(_hashes(name, version, elsewhere))
        )
        yield f"{name}=={version}{hashes}\n"


def _hashes(name: str, version: str, elsewhere: Collection[str]) -> Iterator[str]:
    """Yield the SHA-256 hash of each file that PyPI has of this version of the package.

    Files whose names contain a part in ``elsewhere`` are left out.
    """
    with urlopen(Request(f"{INDEX}{name}/", headers={"Accept": SIMPLE}), timeout=60) as answer:
        files = json.load(answer)["files"]
    for file in files:
        if _version_of(file["filename"]) == version and not any(it in file["filename"] for it in elsewhere):
            yield file["hashes"]["sha256"]


def _version_of(file: str) -> str:
    """Return the version in the file name of a wheel, or of a source archive."""
    if file.endswith(".whl"):
        return file.split("-")[1]
    return file.removesuffix(".zip").removesuffix(".tar.gz").rpartition("-")[2]


if __name__ == "__main__":
    main()
