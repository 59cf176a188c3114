"""Download the packages that the pages use in a browser to ``provisions/``, and check their hashes.

They are needed to write and judge a queue in a page, and to present the slides. Run ``python
docs/provisions.py`` once; it needs npm and pip. The site can be built without them, but its pages
then have no *Try it*.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parent.parent
PINNED = Path(__file__).with_suffix(".toml")


def main() -> int:
    there = ROOT / "provisions"
    there.mkdir(exist_ok=True)
    pinned = _pinned()
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
    """Return True if all these files are in the folder ``provisions/`` of ``root``, the project's folder."""
    return all((root / "provisions" / name).is_file() for name in names)


def sums(pinned: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the expected SHA-256 of each file to download, as hex digits, by the file's name.

    ``pinned`` is the content of ``provisions.toml``.
    """
    files = (*(_flatten(pinned, package) for package in pinned["npm"]), _wheels(pinned))
    return {name: found for file in files for name, found in file.items()}


def of_the_judge() -> frozenset[str]:
    """Return the names of the files that run Python and stingy in a page."""
    pinned = _pinned()
    python = (_flatten(pinned, package) for package in _packages(pinned, "judge"))
    return frozenset(pinned["pypi"]["wheels"]).union(*python)


def of_the_kata() -> frozenset[str]:
    """Return the names of the files that the workshop in a page needs besides ``of_the_judge()``."""
    return frozenset(_pinned()["pypi"]["kata"])


def of_the_slides() -> frozenset[str]:
    """Return the names of the files that show slides as a presentation."""
    pinned = _pinned()
    return frozenset().union(*(_flatten(pinned, package) for package in _packages(pinned, "slides")))


def of_the_editor() -> Mapping[str, str]:
    """Return the files of the code editor, by the module names that other files import."""
    pinned = _pinned()
    return {
        specifier: _name(package, file)
        for package in _packages(pinned, "editor")
        for file in _files(pinned, package)
        for specifier in (package, f"{package}/{file.removesuffix('.js')}")
    }


def _pinned() -> Mapping[str, Any]:
    return tomllib.loads(PINNED.read_text(encoding="utf-8"))


def _packages(pinned: Mapping[str, Any], use: str) -> Iterator[str]:
    return (package for package, it in pinned["npm"].items() if it["use"] == use)


def _files(pinned: Mapping[str, Any], package: str) -> Mapping[str, str]:
    files: Mapping[str, str] = pinned["npm"][package]["files"]
    return files


def _flatten(pinned: Mapping[str, Any], package: str) -> Mapping[str, str]:
    """Return the expected SHA-256 of each file of a package, by the file's name in ``provisions/``."""
    return {_name(package, file): sum_ for file, sum_ in _files(pinned, package).items()}


def _name(package: str, file: str) -> str:
    """Return the name that a package's file has in ``provisions/``, a folder without subfolders.

    An ``index.js`` is named after its package, because many packages have one.
    """
    name = PurePosixPath(file).name
    return f"{_slug(package)}.js" if name == "index.js" else name


def _slug(package: str) -> str:
    """Return an npm package's name as it is written in file names, such as ``scope-name``."""
    return package.removeprefix("@").replace("/", "-")


def _wheels(pinned: Mapping[str, Any]) -> Mapping[str, str]:
    return {**pinned["pypi"]["wheels"], **pinned["pypi"]["kata"]}


def is_right(path: Path, sum_: str) -> bool:
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == sum_


def _fetch(pinned: Mapping[str, Any], work: Path) -> None:
    versions = {package: it["version"] for package, it in pinned["npm"].items()}
    _run("npm", "pack", "--silent", "--pack-destination", str(work), *map("@".join, versions.items()))
    for package, version in versions.items():
        with tarfile.open(work / f"{_slug(package)}-{version}.tgz") as archive:
            for file in _files(pinned, package):
                packed = archive.extractfile(f"package/{file}")
                if packed is not None:
                    (work / _name(package, file)).write_bytes(packed.read())
    pypi = pinned["pypi"]
    pinned_wheels = (wheel.split("-")[:2] for wheel in _wheels(pinned))
    _run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
        *("--python-version", pypi["python"], "--implementation", "cp", "--abi", pypi["abi"]),
        *("--platform", pypi["platform"], "--platform", "any", "--abi", "none"),
        *("--dest", str(work), *("==".join(it) for it in pinned_wheels)),
    )


def _run(*words: str) -> None:
    subprocess.run(words, check=True)  # noqa: S603 - only the commands above


if __name__ == "__main__":
    sys.exit(main())
