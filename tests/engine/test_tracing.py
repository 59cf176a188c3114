"""Which files a candidate's own code stands in, and where it makes scheduling points."""

import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType

import pytest

from stingy.engine.patches import patched, running
from stingy.engine.scheduler import NEVER, Fair, Scheduler
from stingy.engine.tracing import files_of, tracer, unseen_in


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


LOOPS = """
import threading

class Works:
    def __init__(self):
        self.lock = threading.Lock()
        self.steps = [0]
        self.number = 0

    def work(self):
        for _ in range(5_000):
            self.steps[0] += 1
        self.count()

    def work_through_another(self):
        for _ in range(5_000):
            self._step()
        with self.lock:
            self.number += 1

    def _step(self):
        self.steps[0] += 1

    def count(self):
        number = self.number
        self.number = number + 1
"""


@pytest.fixture
def works(package):
    package(__init__="", works=LOOPS)
    kind = importlib.import_module("somebodys.works").Works
    with patched():
        yield kind()


def run_two(works, call, strategy):
    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        scheduler.follow(strategy, tracer(type(works)))
        for name in "one", "two":
            scheduler.start(name, call)
        scheduler.settle()
        scheduler.close()
    return scheduler


@pytest.mark.parametrize("name", ["work", "work_through_another"])
def test_a_long_loop_makes_points_for_its_first_rounds_only(works, name):
    scheduler = run_two(works, getattr(works, name), Fair())
    assert works.steps == [10_000]
    assert scheduler.points < 1_500


class Interrupts(Fair):
    """Once, at this point."""

    def __init__(self, stop):
        self.stop = stop

    def at_point(self, scheduler, current):
        self.stop = NEVER
        return next((task for task in scheduler.ready() if task is not current), current)


def test_a_race_behind_a_long_loop_is_seen(works):
    last = run_two(works, works.work, Fair()).points // 2
    numbers = set()
    for point in range(last - 10, last + 1):
        works.number = 0
        scheduler = Scheduler(Fair())
        with running(scheduler), patched():
            scheduler.follow(Interrupts(point), tracer(type(works)))
            scheduler.start("one", works.work)
            scheduler.start("two", works.count)
            scheduler.settle()
            scheduler.close()
        numbers.add(works.number)
    assert numbers == {1, 2}


@pytest.mark.parametrize(("suffix", "blind"), [(EXTENSION_SUFFIXES[0], True), (".py", False)])
def test_code_that_was_compiled_cannot_be_looked_into(monkeypatch, suffix, blind):
    """By Cython or mypyc: of such a queue nothing is said to be exhaustive."""
    module = ModuleType("compiled_queues")
    module.__file__ = f"queue{suffix}"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert bool(unseen_in(type("Queue", (), {"__module__": module.__name__}))) is blind
