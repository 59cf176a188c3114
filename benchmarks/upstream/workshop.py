"""A driver beside a copy of the module that it drives. The copy can be changed; the driver is built under control."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CANDIDATES = Path(__file__).parent.parent.parent / "candidates"


@dataclass(frozen=True)
class Workshop:
    """A driver and a copy of upstream's Go module that can be changed, in a temporary folder."""

    driver: Path
    """The folder; the program that is built in it has the same name."""
    module: Path
    card: Path

    @property
    def target(self) -> str:
        return f"cmd:{self.driver / 'driver'}"

    def build(self, *options: str) -> None:
        """Build the driver. Instrumented copies are kept, so that Go compiles only what has changed."""
        (build,) = tomllib.loads(self.card.read_text())["build"]
        go, run, control, *rest = shlex.split(build)
        keep = ["-keep", str(self.driver.parent / "control")]
        subprocess.run([go, run, control, *keep, *options, *rest], cwd=self.driver, check=True)

    @contextmanager
    def changed(self, file: str, text: str) -> Iterator[None]:
        """Replace the text of a file of the copied module during the block."""
        path = self.module / file
        sound = path.read_text()
        path.write_text(text)
        try:
            yield
        finally:
            path.write_text(sound)


@contextmanager
def set_out(candidate: str) -> Iterator[Workshop]:
    folder = CANDIDATES / candidate
    card = folder / "candidate.toml"
    module = tomllib.loads(card.read_text())["registry"].partition("pkg.go.dev/")[2]
    version, there = go(folder, "list", "-m", "-f", "{{.Version}} {{.Dir}}", module).split()
    with tempfile.TemporaryDirectory(prefix="stingy-upstream-") as temporary:
        # The driver reads the release from the path of the copy.
        driver, copy = Path(temporary) / "driver", Path(temporary) / f"{module}@{version}"
        shutil.copytree(there, copy, copy_function=_copy)
        shutil.copytree(folder, driver, ignore=shutil.ignore_patterns("driver", "*.json"))
        go_mod = _by_full_path((folder / "go.mod").read_text(), folder)
        (driver / "go.mod").write_text(f"{go_mod}\nreplace {module} {version} => {copy}\n")
        yield Workshop(driver, copy, card)


def go(folder: Path, *words: str) -> str:
    return subprocess.run(["go", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def _copy(source: str, target: str) -> str:
    """Copy a file, but not its mode: Go's module cache is read-only, and the copy will be changed."""
    return str(shutil.copyfile(source, target))


def _by_full_path(go_mod: str, folder: Path) -> str:
    return re.sub(r"=> (\.\S*)", lambda found: f"=> {(folder / found[1]).resolve()}", go_mod)
