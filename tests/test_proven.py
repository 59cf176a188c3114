"""What is proven is not run again, and nothing but what is the same is taken for proven."""

import json
import shutil
import subprocess

import pytest

import proven

TEST = """
import pytest
from pathlib import Path

@pytest.mark.depends_on("part/", "other/{id}.txt")
@pytest.mark.parametrize("name", ["one", "two"])
def test_it(name):
    assert "right" in Path("part/file.txt").read_text()

def test_what_depends_on_who_knows_what(): ...
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """A checkout of somebody's with two tests that depend on parts of it, and one that says nothing; what pytest counts there."""
    monkeypatch.delenv("STINGY_NIGHTLY", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take longer to be loaded than the tests
    for folder in ("tests", "part", "other"):
        pytester.mkdir(folder)
    for name, text in {
        "tests/test_it.py": TEST,
        "tests/conftest.py": "pytest_plugins = ['proven']",
        "tests/samples.py": "",
        "part/file.txt": "right",
        "other/one.txt": "",
        "other/two.txt": "",
        "pytest.ini": "[pytest]\npythonpath = tests\n",
        ".gitignore": "*.built",
    }.items():
        (pytester.path / name).write_text(text)
    shutil.copy(proven.__file__, pytester.path / "tests")
    subprocess.run(["git", "init", "-q"], cwd=pytester.path, check=True)

    def counted(*words):
        words = ("-p", "xdist", *words) if "-n" in words else words
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "tests", *words).parseoutcomes()

    return pytester.path, counted


def test_what_has_passed_is_proven_and_run_again_once_something_changes_that_it_depends_on(project):
    folder, counted = project
    assert counted() == {"passed": 3}, "and nothing is recorded by the way"
    assert counted("--prove") == {"passed": 2, "deselected": 1}
    assert counted() == counted("-n", "1") == {"passed": 1, "proven": 2}
    for changed in ("part/file.txt", "tests/test_it.py"):
        was = (folder / changed).read_text()
        (folder / changed).write_text(f"{was}  # right")
        assert counted() == {"passed": 3}, changed
        (folder / changed).write_text(was)
    (folder / "part" / "new.txt").touch()
    assert counted() == {"passed": 3}
    (folder / "part" / "new.txt").rename(folder / "part" / "new.built")
    assert counted() == {"passed": 1, "proven": 2}, "git ignores what was built"
    (folder / "other" / "two.txt").write_text("changed")
    assert counted() == {"passed": 2, "proven": 1}


def test_what_fails_is_not_recorded_and_what_was_recorded_is_dropped(project):
    folder, counted = project
    counted("--prove")
    (folder / "part" / "file.txt").write_text("wrong")
    assert counted("--prove", "-n", "1") == {"failed": 2}, "a worker tells its controller"
    assert json.loads((folder / "tests" / "proven.json").read_text()) == {}
    (folder / "part" / "file.txt").write_text("right")
    assert counted() == {"passed": 3}


def test_at_night_nothing_is_taken_on_trust(project, monkeypatch):
    _, counted = project
    counted("--prove")
    monkeypatch.setenv("STINGY_NIGHTLY", "1")
    assert counted() == {"passed": 3}


def test_a_part_that_is_not_there_is_named(project):
    folder, counted = project
    (folder / "tests" / "test_it.py").write_text(TEST.replace("part/", "prat/"))
    assert counted() == {"errors": 2, "passed": 1}


def test_what_judges_is_known_with_its_engine_its_drivers_and_its_rules():
    assert {"engine.scheduler", "language.race", "transport.wire", "guarantees.fair", "isolation.inside"} <= {
        name.partition(".")[2] for name in proven.of_the_judge()
    }


def test_what_is_told_at_the_end_says_how_to_have_it_proven(project, pytester):
    said = pytester.runpytest_subprocess("-p", "no:cacheprovider", "tests").stdout.str()
    assert "2 passed that were not proven of what is there now: CI=true python -m pytest --prove" in said
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "tests", "--prove")
    said = pytester.runpytest_subprocess("-p", "no:cacheprovider", "tests").stdout.str()
    assert "not proven" not in said
