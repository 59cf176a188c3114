"""Files with a candidate's own code, and scheduling points in them."""

import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType

import pytest

from scheduling import scheduled
from stingy.engine import tracing
from stingy.engine.patches import patched
from stingy.engine.scheduler import NEVER, Fair
from stingy.engine.silence import silent
from stingy.engine.tracing import files_of, tracer, unseen_in


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that writes a package with given files; it can be imported until the test ends."""

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


def test_other_imported_modules_of_a_package_do_not_belong_to_it(package):
    """If other modules belonged to a package, a race's orders would depend on earlier tests."""
    package(__init__="def mark(): ...\n", queue=QUEUE, other="class Other: ...\n")
    importlib.import_module("somebodys.other")
    assert {file.rpartition("/")[2] for file in files_of(queue())} == {"__init__.py", "queue.py"}


@pytest.mark.parametrize(
    "imports", ["from . import impl", "import somebodys.impl", "def mark():\n    from . import impl\n"]
)
def test_modules_that_the_package_imports_belong_to_it(package, imports):
    mark = "" if "def mark" in imports else "def mark(): ...\n"
    package(__init__=f"{imports}\n{mark}", queue=QUEUE, impl="def f(): ...\n")
    importlib.import_module("somebodys.impl")
    names = {file.rpartition("/")[2] for file in files_of(queue())}
    assert names == {"__init__.py", "queue.py", "impl.py"}


LOOPS = """
class Works:
    def __init__(self):
        self.steps, self.number = [0], 0

    def work(self):
        for _ in range(5_000):
            self.steps[0] += 1
        self.count()

    def work_through_another(self):
        for _ in range(5_000):
            self._step()
        self.count()

    def _step(self):
        self.steps[0] += 1

    def count(self):
        number = self.number
        self.number = number + 1

    def first(self):
        return self.steps[0]
"""


@pytest.fixture
def works(package):
    package(__init__="", works=LOOPS, before=LOOPS, assigns=ASSIGNS)
    kind = importlib.import_module("somebodys.works").Works
    with patched():
        yield kind()


def run_beside(works, one, other, strategy):
    with scheduled() as scheduler:
        scheduler.follow(strategy, tracer(type(works)))
        for name, call in (("one", one), ("two", other)):
            scheduler.start(name, call)
        scheduler.settle()
    return scheduler.points


@pytest.mark.parametrize("name", ["work", "work_through_another"])
def test_only_the_first_rounds_of_a_loop_make_scheduling_points(works, name):
    work = getattr(works, name)
    assert run_beside(works, work, work, Fair()) < 1_500
    assert works.steps == [10_000]


class Interrupts(Fair):
    """A strategy that switches to the other thread once, at the scheduling point with the number ``stop``."""

    def __init__(self, stop):
        self.stop = stop

    def at_point(self, scheduler, current):
        self.stop = NEVER
        return next((task for task in scheduler.lineup.ready() if task is not current), current)


def test_a_race_after_a_long_loop_is_found(works):
    last = run_beside(works, works.work, works.work, Fair()) // 2
    numbers = set()
    for point in range(last - 10, last + 1):
        works.number = 0
        run_beside(works, works.work, works.count, Interrupts(point))
        numbers.add(works.number)
    assert numbers == {1, 2}


def test_a_candidate_that_was_judged_before_makes_no_scheduling_points(works):
    before = importlib.import_module("somebodys.before").Works()

    def call_both():
        works.count()
        before.count()

    points = run_beside(works, call_both, call_both, Fair())
    run_beside(before, before.count, before.count, Fair())
    assert run_beside(works, call_both, call_both, Fair()) == points


ASSIGNS = "from somebodys import works\n\nclass Works(works.Works):\n    def assign(self):\n        self.steps = []\n"
"""A class with code that assigns what the code of its base only reads."""


def test_code_gets_the_scheduling_points_of_each_candidate_that_uses_it(works):
    def points(works):
        return run_beside(works, works.first, works.first, Fair())

    assigning = importlib.import_module("somebodys.assigns").Works()
    first = points(assigning)
    assert points(works) < first
    tracing.forget_tracers()
    assert points(assigning) == first


@pytest.mark.parametrize(("suffix", "blind"), [(EXTENSION_SUFFIXES[0], True), (".py", False)])
def test_compiled_code_cannot_be_traced(monkeypatch, suffix, blind):
    """Cython and mypyc, for example, compile code; evidence about a compiled queue is never exhaustive."""
    module = ModuleType("compiled_queues")
    module.__file__ = f"queue{suffix}"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert bool(unseen_in(type("Queue", (), {"__module__": module.__name__}))) is blind


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="only the candidate's code has events")
def test_the_engines_own_code_makes_no_trace_events_even_if_it_raises():
    def inner(error=None):
        if error:
            raise error

    def outer():
        return inner()

    heard, quiet = [], silent(inner)
    sys.settrace(lambda frame, *_: heard.append(frame.f_code))
    try:
        silent(outer)()
        with pytest.raises(KeyError):
            quiet(KeyError("an item"))
        assert not {outer.__code__, inner.__code__} & {*heard}
        outer()
    finally:
        sys.settrace(None)
    assert heard[-2:] == [outer.__code__, inner.__code__]
