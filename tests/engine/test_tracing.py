"""Which files a candidate's own code stands in."""

import importlib
import sys

import pytest

from stingy.engine.tracing import files_of


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with these files, gone afterwards."""

    def made(**files):
        folder = tmp_path / "somebodys"
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return folder

    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == "somebodys"]:
        del sys.modules[name]


QUEUE = "from somebodys import mark\n\nclass Queue:\n    def add(self, item):\n        mark()\n"


def queue():
    return importlib.import_module("somebodys.queue").Queue


def test_what_somebody_else_imports_of_a_package_makes_no_difference(package):
    """Else the orders that a race is run in would depend on the tests that ran before."""
    package(__init__="def mark(): ...\n", queue=QUEUE, other="class Other: ...\n")
    importlib.import_module("somebodys.other")
    assert {file.rpartition("/")[2] for file in files_of(queue())} == {"__init__.py", "queue.py"}


@pytest.mark.parametrize(
    "imports", ["from . import impl", "import somebodys.impl", "def mark():\n    from . import impl\n"]
)
def test_what_the_package_takes_from_its_own_modules_is_part_of_it(package, imports):
    mark = "" if "def mark" in imports else "def mark(): ...\n"
    package(__init__=f"{imports}\n{mark}", queue=QUEUE, impl="def f(): ...\n")
    importlib.import_module("somebodys.impl")
    names = {file.rpartition("/")[2] for file in files_of(queue())}
    assert names == {"__init__.py", "queue.py", "impl.py"}
