"""Locks the packages that the gate installs: ``python -m lab.lock`` writes the files of ``.ci``.

Each package has its version and the hashes of its files. So the gate installs the same packages on
each machine, until these files are written again. Users get the version ranges of
``pyproject.toml``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.request import Request, urlopen

from stingy.process.file import put

ROOT = Path(__file__).parents[1]
README_INSTALLS = "dev,docs"
LAB_INSTALLS = "browser,cluster,editor"
BUILDS_WITH = ("hatchling", "editables")
"""Packages with which pip builds the project.

``pyproject.toml`` names the first; the first needs the second for an editable install (``-e``).
"""
INDEX = "https://pypi.org/simple/"
SIMPLE = "application/vnd.pypi.simple.v1+json"
ELSEWHERE = (
    *("-win", "musllinux", "i686", "ppc64le", "s390x", "armv7l", "riscv64"),
    *("-pp", "cp38-cp38", "cp39-cp39", "cp310-cp310"),
)
"""Parts of file names that stand for systems or Pythons on which the gate does not run."""


def main() -> None:
    for name, text in locked().items():
        put(ROOT / ".ci" / name, text)
        print(f".ci/{name}: {text.count('==')} packages")


def locked() -> Mapping[str, str]:
    """Return the texts of the lock files, by their names in ``.ci``."""
    gate, lab = resolve(README_INSTALLS), resolve(f"{README_INSTALLS},{LAB_INSTALLS}")
    besides = {name: version for name, version in lab.items() if gate.get(name) != version}
    return {"gate.lock": "".join(_lines(gate)), "lab.lock": "".join(_lines(besides))}


def resolve(extras: str) -> Mapping[str, str]:
    """Return the version of each package that pip would install for the project, by package name.

    These are the packages that build the project, and those that it needs with ``extras``, which
    are names of optional dependencies, separated by commas.
    """
    words = ("install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-")
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, *BUILDS_WITH, "-e", f".[{extras}]"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = (it["metadata"] for it in json.loads(done.stdout)["install"])
    return {it["name"].lower().replace("_", "-"): it["version"] for it in found if it["name"] != "stingy"}


def _lines(packages: Mapping[str, str]) -> Iterator[str]:
    yield "# Written by python -m lab.lock.\n"
    for name, version in sorted(packages.items()):
        hashes = "".join(f" \\\n    --hash=sha256:{hash_}" for hash_ in sorted(_hashes(name, version)))
        yield f"{name}=={version}{hashes}\n"


def _hashes(name: str, version: str) -> Iterator[str]:
    """Yield the SHA-256 hash of each file that PyPI has of this version of the package.

    Files for systems and Pythons on which the continuous integration does not run are left out.
    """
    with urlopen(Request(f"{INDEX}{name}/", headers={"Accept": SIMPLE}), timeout=60) as answer:
        files = json.load(answer)["files"]
    for file in files:
        if _version_of(file["filename"]) == version and not any(it in file["filename"] for it in ELSEWHERE):
            yield file["hashes"]["sha256"]


def _version_of(file: str) -> str:
    """Return the version in the file name of a wheel, or of a source archive."""
    if file.endswith(".whl"):
        return file.split("-")[1]
    return file.removesuffix(".zip").removesuffix(".tar.gz").rpartition("-")[2]


if __name__ == "__main__":
    main()
