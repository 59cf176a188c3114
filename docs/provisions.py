"""Fetches what the pages need to judge a queue in the browser to ``provisions/``, and looks whether it is what it should be.

``python docs/provisions.py``, once; it takes npm and pip. The site can be made without: its pages then have no *Try it*.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parent.parent
PINNED = Path(__file__).with_suffix(".toml")


def main() -> int:
    there = ROOT / "provisions"
    there.mkdir(exist_ok=True)
    pinned = tomllib.loads(PINNED.read_text(encoding="utf-8"))
    wanted = sums(pinned)
    if any(not is_right(there / name, wanted[name]) for name in wanted):
        with TemporaryDirectory() as work:
            _fetch(pinned, Path(work))
            for name in wanted:
                if not is_right(Path(work) / name, wanted[name]):
                    sys.stderr.write(
                        f"{name} is not what {PINNED.name} says: nothing is kept of what was fetched\n"
                    )
                    return 1
            for name in wanted:
                (there / name).write_bytes((Path(work) / name).read_bytes())
    for path in there.iterdir():
        if path.name not in wanted:
            path.unlink()
    sys.stdout.write(f"{len(wanted)} files are in {there}; now: python docs/generate.py\n")
    return 0


def are_there(root: Path, names: Iterable[str]) -> bool:
    """Whether these have been fetched."""
    return all((root / "provisions" / name).is_file() for name in names)


def sums(pinned: Mapping[str, Any]) -> Mapping[str, str]:
    """The SHA-256 of each file."""
    packages = (package["files"] for package in pinned["npm"].values())
    files = (*map(_flatten, packages), _wheels(pinned))
    return {name: found for file in files for name, found in file.items()}


def of_the_judge() -> frozenset[str]:
    """What runs Python in a page; the workshop takes more."""
    pinned = tomllib.loads(PINNED.read_text(encoding="utf-8"))
    return frozenset({**_flatten(pinned["npm"]["pyodide"]["files"]), **pinned["pypi"]["wheels"]})


def of_the_kata() -> frozenset[str]:
    """What only the workshop takes."""
    return frozenset(tomllib.loads(PINNED.read_text(encoding="utf-8"))["pypi"]["kata"])


def of_the_slides() -> frozenset[str]:
    """What presents the slides."""
    pinned = tomllib.loads(PINNED.read_text(encoding="utf-8"))
    return frozenset(_flatten(pinned["npm"]["reveal.js"]["files"]))


def _flatten(files: Mapping[str, str]) -> Mapping[str, str]:
    """By their names alone: where they lie in their package is nobody's business here."""
    return {PurePosixPath(file).name: sum_ for file, sum_ in files.items()}


def _wheels(pinned: Mapping[str, Any]) -> Mapping[str, str]:
    return {**pinned["pypi"]["wheels"], **pinned["pypi"]["kata"]}


def is_right(path: Path, sum_: str) -> bool:
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == sum_


def _fetch(pinned: Mapping[str, Any], work: Path) -> None:
    for name, package in pinned["npm"].items():
        _run("npm", "pack", "--silent", "--pack-destination", str(work), f"{name}@{package['version']}")
        with tarfile.open(next(work.glob(f"{name}-*.tgz"))) as archive:
            for file in package["files"]:
                packed = archive.extractfile(f"package/{file}")
                if packed is not None:
                    (work / PurePosixPath(file).name).write_bytes(packed.read())
    pypi = pinned["pypi"]
    pinned_wheels = (wheel.split("-")[:2] for wheel in _wheels(pinned))
    _run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
        *("--python-version", pypi["python"], "--implementation", "cp", "--abi", pypi["abi"]),
        *("--platform", pypi["platform"], "--platform", "any", "--abi", "none"),
        *("--dest", str(work), *("==".join(it) for it in pinned_wheels)),
    )


def _run(*words: str) -> None:
    subprocess.run(words, check=True)  # noqa: S603 - what it runs stands above


if __name__ == "__main__":
    sys.exit(main())
