"""Tests that are not run again as long as nothing has changed that they depend on.

Such a test names that in a mark: ``@pytest.mark.depends_on(JUDGE, "stingy_kata.proof", "candidates/{id}")``. A path stands for
all that git knows of there, with ``{id}`` for that of the parameters; the name of a module for its code and that of all it
imports; ``JUDGE`` for what comes between a candidate and its verdict, the rules among it. The file of the test always
belongs to it. ``proven.json`` has a fingerprint of all of this for each such test that has passed. One whose fingerprint is
the same is told as *proven*; any other is run.

``CI=true python -m pytest --prove`` runs those that are not proven, and records which of them pass. ``STINGY_NIGHTLY=1``
takes nothing on trust. Nor does a Python of another version, whose bytecode is another; toolchains and libraries are taken
as they were.
"""

import json
import os
import platform
import subprocess
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from stingy.fingerprint import fingerprint_of_modules, modules_used
from stingy.guarantees import GUARANTEES, all_rules

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).with_suffix(".json")
JUDGE = "stingy.trial, its doors, and every rule"
ALWAYS = ("tests/conftest.py", "tests/samples.py")
DEPENDS, PROVEN = "depends on", "proven"
"""What a report says of its test: the fingerprint, and whether it was known."""


def pytest_addoption(parser):
    parser.addoption("--prove", action="store_true", help="run what is not proven, and record what passes")


def pytest_configure(config):
    config.addinivalue_line("markers", "depends_on(*parts): its outcome comes of these, and of nothing else")
    if config.getoption("prove") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Prover(), "prover")


def pytest_collection_modifyitems(config, items):
    if config.getoption("prove"):
        others = [item for item in items if not item.get_closest_marker("depends_on")]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    mark = item.get_closest_marker("depends_on")
    if mark is None or not (ROOT / ".git").exists():
        return
    now = fingerprint((item.path.relative_to(ROOT).as_posix(), *ALWAYS, *_parts(item, mark)))
    item.user_properties.append((DEPENDS, now))
    if now == recorded().get(item.nodeid) and "STINGY_NIGHTLY" not in os.environ:
        item.user_properties.append((PROVEN, True))
        pytest.skip("nothing has changed that it depends on")


def pytest_report_teststatus(report):
    if report.skipped and (PROVEN, True) in report.user_properties:
        return PROVEN, "p", "PROVEN"
    return None


def pytest_terminal_summary(terminalreporter):
    passed = [it for it in terminalreporter.stats.get("passed", ()) if DEPENDS in dict(it.user_properties)]
    if passed and not terminalreporter.config.getoption("prove"):
        how = "CI=true python -m pytest --prove records that"
        terminalreporter.write_line(f"{len(passed)} passed that were not proven of what is there now: {how}")


def _parts(item, mark):
    id_ = item.callspec.id if hasattr(item, "callspec") else ""
    return [part.format(id=id_) for part in mark.args]


@cache
def recorded():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


@cache
def fingerprint(parts):
    texts = (f"{part} {_of_part(part)}" for part in sorted(parts))
    python = (platform.python_implementation(), *sys.version_info[:2], sys.platform)
    return sha256("\n".join((str(python), *texts)).encode()).hexdigest()[:12]


@cache
def _of_part(part):
    if part == JUDGE:
        levels = {id_: str(rule.level) for id_, rule in all_rules().items()}  # which a docstring says
        return f"{fingerprint_of_modules(of_the_judge())} {levels}"
    return _of_files(part) if "/" in part else fingerprint_of_modules(modules_used(part))


def of_the_judge():
    """The modules between a candidate and its verdict."""
    rules = (f"guarantees.{name}" for name in GUARANTEES)
    doors = ("trial", "transport", "isolation", "guarantees", *rules)
    return frozenset().union(*(modules_used(f"stingy.{door}") for door in doors))


def _of_files(path):
    """Of each its name and what is in it; not of what was only built there."""
    asked = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", f":(glob){path}")
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = sorted({ROOT / name for name in told.split("\0") if name})
    assert files, f"there is nothing at {path}: name what is there"
    digest = sha256()
    for file in files:
        digest.update(f"{file.relative_to(ROOT).as_posix()}\n".encode())
        digest.update(sha256(file.read_bytes()).digest() if file.is_file() else b"gone")
    return digest.hexdigest()


class Prover:
    """Records what passes."""

    def __init__(self):
        self._record = dict(recorded())

    def pytest_runtest_logreport(self, report):
        now = dict(report.user_properties).get(DEPENDS)
        if now and report.failed:
            self._record.pop(report.nodeid, None)
        elif now and report.when == "call" and report.passed:
            self._record[report.nodeid] = now

    def pytest_sessionfinish(self):
        text = json.dumps(dict(sorted(self._record.items())), indent=0, ensure_ascii=False)
        RECORD.write_text(text + "\n", encoding="utf-8")
