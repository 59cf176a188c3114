"""The wheel holds all files that the packages need, and no others."""

import shutil
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
from machine import patience

ROOT = Path(__file__).parents[2]
PACKAGES = ("spec/stingy/*", "reference/stingy_reference/*", "exercises/stingy_kata/*")
LEFT_OUT = ("*_test.go", "*/testdata/*", "*/.gitignore")
"""Patterns of files to leave out: Go would run the tests of a starter in the environment of a user."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    subprocess.run(build, check=True, timeout=patience(20))
    [built] = folder.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


@pytest.mark.skipif(not (shutil.which("git") and (ROOT / ".git").exists()), reason="needs git and a checkout")
def test_the_wheel_holds_what_git_has_of_the_packages(wheel):
    git = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate")
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True, timeout=patience(5))
    files = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    wanted = {
        name.partition("/")[2]
        for name in files
        if any(fnmatch(name, it) for it in PACKAGES) and not any(fnmatch(name, it) for it in LEFT_OUT)
    }
    assert {name for name in wheel if ".dist-info/" not in name} ^ wanted == set()
