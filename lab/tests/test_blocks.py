"""Commands and code on the pages run as shown."""

import os
import shlex
import subprocess
import sys

import pytest
from machine import patience

from blocks import COMMANDS, PAGES, ROOT, blocks
from stingy.judging.verdict import Exit

OTHER_NAMES = ROOT / "tests" / "samples" / "other_names.py"
FEW = ("--rule", "stingy/one-worker-at-a-time")
"""Options added to a command that names no rule and no profile, so that it does not judge every rule."""
SMALL = "mypkg.codec:AnnotationCodec"
"""Target in place of a queue in a command that judges by every rule: it offers little."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """Folder of a reader, with a package of their own, a driver, and the files of earlier commands."""
    folder = tmp_path_factory.mktemp("reader")
    package = folder / "mypkg"
    package.mkdir()
    naive, mended = (text for _, text in blocks("docs/start.md", "python"))
    imports, others = naive[: naive.index("class ")], naive[naive.index("\n    def __len__") :]
    (adapted,) = (text for _, text in blocks("docs/candidates.md", "python") if "import Tracker" in text)
    files = {
        "__init__.py": "from stingy_reference import WorkQueue\n",
        "queue.py": imports + mended + others,
        "tracker.py": "from stingy_reference import EndpointsChangeTracker\n\nTracker = EndpointsChangeTracker\n",
        "candidates.py": adapted,
        "codec.py": "from stingy_reference import AnnotationCodec\n",
        "controller.py": "from stingy_reference import Controller\n",
        "line.py": "class Closed(Exception): ...\n\n\nclass Line: ...\n",
        "queues.py": OTHER_NAMES.read_text(encoding="utf-8"),
    }
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")
    (folder / "theirs.py").write_text("class Queue: ...\n", encoding="utf-8")
    driver = folder / "driver"
    driver.write_text(
        f"#!/bin/sh\nexec {sys.executable} {ROOT / 'lab/tests/drivers/served.py'} stingy_reference\n"
    )
    driver.chmod(0o755)
    (folder / "naive.py").write_text(naive, encoding="utf-8")
    stingy(
        folder, "run", "naive:WorkQueue", *FEW, "--report", "json=stingy.json", "--report", "json=base.json"
    )
    stingy(folder, "baseline", "write", SMALL, "--reason", "none")
    return folder


def python(folder, *words):
    path = os.pathsep.join((str(folder), *sys.path))
    given = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "GITHUB_STEP_SUMMARY": "summary.md"}
    command, env = [sys.executable, *words], os.environ | given
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=patience(20))


def stingy(folder, *words):
    return python(folder, "-m", "stingy", *words)


@pytest.mark.budget(40)
@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_pages_runs(line, scratch):
    """The command is understood, it reaches its candidate, and it does not crash."""
    line = line.replace("yourpkg.module:YourClass", "mypkg.queue:WorkQueue").replace(
        "TARGET", "mypkg.queue:WorkQueue"
    )
    words = shlex.split(line)[1:]
    if words[0] == "run" and not {"--rule", "--profile"} & set(words):
        words += FEW
    if words[0] == "baseline":
        words = [SMALL if it == "mypkg.queue:WorkQueue" else it for it in words]

    done = stingy(scratch, *words)

    assert Exit(done.returncode) in (Exit.CONFORMS, Exit.DOES_NOT), done.stdout + done.stderr


@pytest.mark.budget(50)
def test_the_page_start_shows_the_real_output(scratch):
    """The first queue fails with the story that the page shows; with the fixed methods it conforms."""
    (shown,) = (text.replace("mypkg/queue.py", "naive.py") for _, text in blocks("docs/start.md", "text"))

    refused = stingy(scratch, "run", "naive:WorkQueue")
    accepted = stingy(scratch, "run", "mypkg.queue:WorkQueue")

    assert refused.returncode == Exit.DOES_NOT, refused.stdout + refused.stderr
    assert " ".join(shown.split()) in " ".join(refused.stdout.split())
    assert accepted.returncode == Exit.CONFORMS, accepted.stdout + accepted.stderr


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(blocks(page, "python")) and page != "docs/controller.md"]
)
def test_python_runs(page, scratch):
    """The blocks of a page run one after the other, as a reader would run them."""
    text = "\n\n".join(text for _, text in blocks(page, "python"))
    done = python(scratch, "-c", text)

    assert done.returncode == 0, done.stderr


def test_the_controller_of_the_guide_looks_at_each_key():
    ((_, loop),) = blocks("docs/controller.md", "python")

    done = python(ROOT, "-c", loop)

    assert set(done.stdout.splitlines()) == {"looks at shop/web", "looks at shop/db"}
