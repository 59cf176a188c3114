"""The whole site, made once for all tests."""

import fcntl
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


class Page(HTMLParser):
    """As much of a page as is asked for here."""

    LOADS = frozenset(("src", "srcset", "href", "xlink:href", "data", "poster", "action"))

    def __init__(self, text):
        super().__init__()
        self.ids, self.rules, self.broken, self.loaded, self.links, self.traces = [], [], [], [], [], []
        self.pictured, self.tabled = [], []
        self.classes = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        self.classes.update(classes)
        if "id" in given:
            self.ids.append(given["id"])
        if "stingy-rule" in classes:
            self.rules.append(given["id"])
        if "stingy-broken" in classes:
            self.broken.append(given["id"])
        if tag == "stingy-stepper":
            self.traces.append(given["data-trace"])
        if "data-step" in given:
            steps = {"g": self.pictured, "tr": self.tabled}[tag]
            steps.append(int(given["data-step"]))
        if tag == "a":
            self.links.append(given.get("href", ""))
        else:
            self.loaded += [given[name] for name in self.LOADS & given.keys()]


def run(*words, cwd):
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id):
    """Built strictly: a warning is a failure. The first process that asks builds it, and the others wait."""
    if find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: pip install -e '.[docs]'")
    ours = tmp_path_factory.getbasetemp()
    folder = (ours if worker_id == "master" else ours.parent) / "the-site"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "built").exists():
            shutil.copy(ROOT / "mkdocs.yml", folder)
            run(ROOT / "docs/generate.py", folder / "build", cwd=ROOT)
            run("-m", "mkdocs", "build", "--strict", cwd=folder)  # --quiet would silence what strict counts
            (folder / "built").touch()
    return folder / "site"


@pytest.fixture(scope="session")
def pages(site):
    return {
        path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
