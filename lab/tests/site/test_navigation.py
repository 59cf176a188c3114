"""A page that is in no menu is a build error."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_a_page_that_stands_in_no_menu_is_an_error(tmp_path):
    """The site is built as in the gate; two of its pages are enough."""
    pytest.importorskip("material", reason="mkdocs-material is not installed: pip install -e '.[docs]'")
    docs = tmp_path / "build" / "docs"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text("# Here\n")
    (tmp_path / "build" / "nav.yml").write_text("nav:\n  - index.md\n")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (gate,) = [line for line in (ROOT / ".ci/run").read_text().splitlines() if "mkdocs build" in line]
    words = gate.partition("mkdocs ")[2].partition(" --site-dir")[0].split()

    def built():
        command = [sys.executable, "-m", "mkdocs", *words]
        env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)

    well = built()
    assert well.returncode == 0, well.stderr
    (docs / "lost.md").write_text("# Nobody finds me\n")
    lost = built()
    assert (lost.returncode, "lost.md" in lost.stderr) == (1, True), lost.stderr
