"""The pages are plain Markdown and need no theme: MkDocs with a theme of its own builds all of them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PLAIN = """\
INHERIT: build/nav.yml
docs_dir: build/docs
site_dir: plain
site_name: stingy
site_url: ""
use_directory_urls: false
strict: true
theme:
  name: mkdocs
plugins: []
extra_javascript: [scripts/stepper.js, scripts/clocks.js]
extra_css: [stylesheets/stingy.css]
markdown_extensions: [admonition, attr_list, def_list, md_in_html, tables, pymdownx.details, pymdownx.superfences]
"""


@pytest.mark.budget(40)
def test_another_engine_builds_the_same_pages(site, pages, tmp_path):
    """A strict build without Material has each page, with each rule in its place."""
    (tmp_path / "build").symlink_to(ROOT / "build")
    (tmp_path / "mkdocs.yml").write_text(PLAIN)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    as_shown = type(pages["index.html"])
    plain = {
        path.relative_to(tmp_path / "plain").as_posix(): as_shown(path.read_text(encoding="utf-8"))
        for path in (tmp_path / "plain").rglob("*.html")
    }
    assert plain.keys() == pages.keys()
    for what in ("rules", "broken", "traces", "pictured", "tabled"):
        found = {name: getattr(it, what) for name, it in plain.items()}
        assert found == {name: getattr(it, what) for name, it in pages.items()}, what
