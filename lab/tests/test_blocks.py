"""Every block of code on a page that is written by hand: it runs as it stands, or the page says what it is instead."""

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from stingy.cli import main
from stingy.verdict import Exit
from test_docs import OTHER_NAMES

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
}
BLOCK = re.compile(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", re.MULTILINE)

SHELL = ("console", "sh")
COMPILED = {
    "go": "tests/test_docs.py finds it in what stingy init writes, and tests/test_starters.py builds that"
}
"""Languages that need a toolchain, and who makes sure that it is right."""
LANGUAGES = {*SHELL, *COMPILED, "python", "json", "toml", "yaml", "text"}
"""``text`` is what a program prints, or a line or two out of their context."""

ELSEWHERE = {
    "python3 -m venv": "the gate sets itself up so",
    "python -m venv": "the gate sets itself up so",
    ". ": "the gate sets itself up so",
    ".venv/bin/python": "the gate is run so",
    "bash .ci/run": "that is the gate",
    "python docs/provisions.py": "the gate does",
    "pip install": "asks a registry",
    "pip wheel": "asks a registry",
    "pip download": "asks a registry",
    "stingy-kata": "tests/test_kata.py does",
    "stingy run attach:": "tests/transport/test_driver.py has a driver that listens",
    "dask ": "tests/test_cluster.py does",
    "stingy run mypkg.queue:WorkQueue --cluster": "tests/test_cluster.py does",
    "go run stingy.invalid/driver/control": "tests/test_starters.py does",
    "java -cp classes stingy.Control": "tests/test_starters.py does",
    "git": "is about a checkout of one's own",
    "python docs/generate.py": "tests/site does",
    "mkdocs": "tests/site does, and serve never ends",
    "python -m pytest": "these very tests",
    "python -m lab": "the lab itself",
    "pytest --pyargs stingy": "tests/test_plugin.py does",
}
"""What a reader types that is not run here, and why."""

FEW = ("--rule", "stingy/one-worker-at-a-time")
"""Instead of every rule, where a command asks for no other."""
SMALL = "mypkg.codec:AnnotationCodec"
"""Instead of a queue, where a command judges by every rule: it offers little."""


def blocks(page, *languages):
    """The blocks of a page in these languages, and all lines of each."""
    for indent, language, text in BLOCK.findall(PAGES[page].read_text(encoding="utf-8")):
        if not languages or language in languages:
            yield language, textwrap.dedent(text) if indent else text


def typed(page):
    """What a reader types, line by line."""
    for language, text in blocks(page, *SHELL):
        for line in text.replace("\\\n", "").splitlines():
            if language == "sh" or line.startswith("$ "):
                yield line.removeprefix("$ ").partition("  #")[0].strip()


def is_elsewhere(line):
    return any(line.startswith(known) for known in ELSEWHERE)


COMMANDS = sorted(
    {line for page in PAGES for line in typed(page) if line.startswith("stingy ") and not is_elsewhere(line)}
)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page):
    assert {language for language, _ in blocks(page)} <= LANGUAGES


@pytest.mark.parametrize("page", PAGES)
def test_what_is_typed_is_run_here_or_elsewhere(page):
    known = ("stingy ", "mkdir ", "cd ", "touch ")

    assert [line for line in typed(page) if not line.startswith(known) and not is_elsewhere(line)] == []


@pytest.mark.parametrize("page", PAGES)
def test_data_can_be_read(page):
    for language, text in blocks(page, "json", "toml", "yaml"):
        if language == "toml":
            tomllib.loads(text)
        elif language == "yaml":
            pytest.importorskip("yaml", reason="no YAML here: pip install -e '.[docs]'").safe_load(text)
        else:
            assert values(re.sub(r"^\s*…\n", "", text, flags=re.MULTILINE))


def values(text):
    """One JSON text after the other."""
    found, rest = [], text.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        found.append(value)
        rest = rest[end:].lstrip()
    return found


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """Where a reader stands: with a package of their own, a driver, and what earlier commands have left."""
    folder = tmp_path_factory.mktemp("reader")
    package = folder / "mypkg"
    package.mkdir()
    naive, mended = (text for _, text in blocks("docs/start.md", "python"))
    imports, others = naive[: naive.index("class ")], naive[naive.index("\n    def __len__") :]
    (adapted,) = (text for _, text in blocks("docs/candidates.md", "python") if "import Tracker" in text)
    files = {
        "__init__.py": "from stingy_reference import WorkQueue\n",
        "queue.py": imports + mended + others,
        "tracker.py": "from stingy_reference import EndpointsChangeTracker as Tracker\n",
        "candidates.py": adapted,
        "codec.py": "from stingy_reference import AnnotationCodec\n",
        "controller.py": "from stingy_reference import Controller\n",
        "line.py": "class Closed(Exception): ...\n\n\nclass Line: ...\n",
        "queues.py": OTHER_NAMES,
    }
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")
    (folder / "theirs.py").write_text("class Queue: ...\n", encoding="utf-8")
    driver = folder / "driver"
    driver.write_text(
        f"#!/bin/sh\nexec {sys.executable} {ROOT / 'tests/drivers/served.py'} stingy_reference\n"
    )
    driver.chmod(0o755)
    (folder / "naive.py").write_text(naive, encoding="utf-8")
    stingy(folder, "run", "naive:WorkQueue", *FEW, "--report", "json=stingy.json")
    stingy(folder, "baseline", "write", SMALL, "--reason", "none")
    return folder


def stingy(folder, *words):
    path = os.pathsep.join((str(folder), *sys.path))
    return subprocess.run(
        [sys.executable, "-m", "stingy", *words],
        cwd=folder,
        env=os.environ
        | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "GITHUB_STEP_SUMMARY": "summary.md"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_does_what_a_reader_expects(line, scratch):
    """It is understood, it reaches its candidate, and nobody falls over."""
    line = line.replace("yourpkg.module:YourClass", "mypkg.queue:WorkQueue").replace(
        "TARGET", "mypkg.queue:WorkQueue"
    )
    words = shlex.split(line)[1:]
    if words[0] == "run" and "--rule" not in words:
        words += ["--rule", "controller/*"] if "controller" in words else FEW
    if words[0] == "baseline":
        words = [SMALL if it == "mypkg.queue:WorkQueue" else it for it in words]

    done = stingy(scratch, *words)

    assert Exit(done.returncode) in (Exit.CONFORMS, Exit.DOES_NOT), done.stdout + done.stderr


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_is_understood(line):
    words, found = shlex.split(line)[1:], main
    while hasattr(found, "get_command"):
        command, *words = words
        found = found.get_command(None, command)

    found.make_context(command, words)


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page, "python"))])
def test_python_runs(page, scratch):
    """The blocks of a page one after the other, as who reads it would have them."""
    text = "\n\n".join(text for _, text in blocks(page, "python"))
    path = os.pathsep.join((str(scratch), *sys.path))

    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=scratch,
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
