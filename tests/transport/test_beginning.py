"""Each session begins with the candidate's modules as imported, and other queues do not change its verdicts."""

import sys
import threading
from itertools import chain, count

import pytest

from stingy.engine import pool
from stingy.engine.patches import patched
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Evidence, Finding
from stingy.transport import beginning
from stingy.transport.slate import Slate

RULES = all_rules()
ASKED = ("handing_out/an-added-item-is-handed-out", "handing_out/get-takes-the-item-out")
LEAVES_SOME = "length/len-counts-what-is-queued"
LATER = (
    "delays/an-item-is-there-when-its-delay-is-over",
    "delays/an-item-is-not-there-before-its-delay-is-over",
)


@pytest.fixture(autouse=True)
def no_thread_left(folder_of_candidates):
    """End the thread of ``shared_timer``, which the engine has abandoned, by notifying it.

    In CPython 3.11, traced functions do not work while an exception is pending for a thread that
    sleeps, and another thread may get the same ident.
    """
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        changed = sys.modules["shared_timer"]._CHANGED
        with changed:
            changed.notify()
        thread.join()
        pool._abandoned.discard(thread.ident)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Return a function that writes modules to given paths; they can be imported until the test ends."""
    names = []

    def written(sources):
        for path, source in sources.items():
            file = tmp_path / f"{path}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text(source)
            names.extend([path.replace("/", "."), path.partition("/")[0]])
        monkeypatch.syspath_prepend(tmp_path)

    yield written
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def judged(candidate_of):
    """Return a function that judges a target by the first row of given rules, and returns the verdicts."""

    def judged(target, *asked):
        trial = Trial(candidate_of(target), 1)
        return [trial.judge(RULES[id_], RULES[id_].cases[0]) for id_ in asked]

    return judged


@pytest.mark.parametrize(
    ("target", "asked"), [("shared:NumbersItems", ASKED), ("shared_timer:AddsLater", LATER)]
)
def test_state_shared_by_a_module_is_no_fault(judged, target, asked):
    verdicts = judged(target, *asked, *asked)
    found = {(verdict.verdict, verdict.evidence) for verdict in verdicts}
    assert found == {(Finding.PASS, Evidence.DETERMINISTIC)}, [it.because for it in verdicts]


def test_items_shared_by_two_queues_are_a_fault(judged):
    found = [it.verdict for it in judged("shared:SharesWhatIsDirty", LEAVES_SOME, *ASKED)]
    assert Finding.FAIL in found


def test_an_exception_that_ends_a_thread_is_told(judged):
    (verdict,) = judged("shared:DiesOfAnItem", LATER[0])
    assert verdict.verdict is Finding.FAIL
    assert verdict.because.endswith("; thread 1 ended: ValueError: no room")
    assert [str(line) for line in verdict.story][-1] == "thread 1: ended: ValueError: no room"


FOR_A_LOOP = """
import asyncio

MADE = []


class Plain:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.items = asyncio.Queue()
        MADE.append(self.loop)

    def add(self, item):
        self.items.put_nowait(item)

    async def get(self):
        return await self.items.get(), False

    def shutting_down(self, item=None):
        return False

    shut_down = done = shutting_down

    def __len__(self):
        return self.items.qsize()


class Delaying(Plain):
    def add_after(self, item, seconds):
        self.loop.call_later(seconds, self.add, item)


def WorkQueue():
    return Plain()


def DelayingQueue():
    return Delaying()
"""


def test_each_queue_of_a_module_is_made_in_the_event_loop_that_it_needs(judged, written):
    written({"for_a_loop": FOR_A_LOOP})
    verdicts = judged("for_a_loop", *ASKED, *LATER)
    assert {verdict.verdict for verdict in verdicts} == {Finding.PASS}, [it.because for it in verdicts]


ADD_RAISES = """
from stingy_reference import workqueue

MADE = []


class WorkQueue(workqueue.WorkQueue):
    def __init__(self):
        super().__init__()
        MADE.append(self)

    def add(self, item):
        raise KeyError(item)
"""


def test_an_add_that_raises_breaks_the_rule(judged, written):
    """The candidate's module keeps each queue, so that it is imported anew for each session."""
    written({"add_raises": ADD_RAISES})
    verdicts = judged("add_raises", *ASKED)
    assert {verdict.verdict for verdict in verdicts} == {Finding.FAIL}, [it.because for it in verdicts]


OTHER = """
from stingy_sound.queues import WithDispatcher


class WorkQueue(WithDispatcher):
    def _dispatch(self):
        while True:
            with self._lock:
                while not self._inbox:
                    self._mail.wait()
                item = self._inbox.popleft()
            with self._lock:
                self._queue.append(item)
"""
"""Broken: its thread takes an item out of the inbox in one step, and queues it in another."""
ASSIGNS = """
class Assigns:
    def begin_anew(self):
        self._inbox, self._queue, self._mail, self._lock = [], [], None, None
"""
"""Assigns attributes that only the constructor of the queue assigns: if it belonged to the queue, they might change."""


@pytest.fixture
def first_failure_in(candidate_of, written):
    """Return a function that judges a module of a package, and returns its first failure.

    The failure has an id, an order and a story. In one of the packages, other modules hold an object
    whose state cannot be read, and assign the attributes of the queue.
    """
    numbered = f"import itertools\nN = itertools.count()\n{OTHER}"
    written(
        {
            "alone/__init__": "",
            "alone/plain": OTHER,
            "of_many/__init__": "",
            "of_many/plain": OTHER,
            "of_many/numbered": numbered,
            "of_many/assigns": ASSIGNS,
        }
    )
    rule = RULES["interleavings/a-drain-reaches-everybody-in-every-order"]

    def first_failure_in(target):
        candidate = candidate_of(target)
        trial = Trial(candidate, 1)
        found = (trial.judge(rule, row) for row in rule.cases)
        failure = next((it.id, it.order, it.story) for it in found if it.verdict is Finding.FAIL)
        candidate.close()
        return failure

    return first_failure_in


def test_other_modules_of_the_package_make_no_difference(first_failure_in):
    __import__("of_many.assigns")
    assert first_failure_in("of_many.plain:WorkQueue") == first_failure_in("alone.plain:WorkQueue")


def test_threads_have_the_same_names_beside_another_queue(first_failure_in):
    number, order, _ = first_failure_in("of_many.plain:WorkQueue")
    assert first_failure_in("of_many.numbered:WorkQueue")[:2] == (number, order)


BOUND_BEFORE = """
from threading import Condition
from stingy_broken.devices import HasAnItemInItsHands


class WorkQueue(HasAnItemInItsHands):
    def __init__(self):
        super().__init__()
        import imported_later
"""


def test_names_bound_before_a_session_are_patched_only_in_it(candidate_of, written):
    """The original names are back after the session, also if another module was imported in it."""
    written({"bound_before": BOUND_BEFORE, "imported_later": ""})
    __import__("bound_before")
    candidate = candidate_of("bound_before:WorkQueue")
    rule = RULES["interleavings/no-item-overtakes-another"]
    Trial(candidate, 1).judge(rule, rule.cases[0])
    assert not candidate.shortcuts.inherited
    assert all(vars(place)[name] is not new for place, name, new in candidate._bound_before())
    assert "bound_before" in [place.__name__ for place, _, _ in candidate._bound_before()]


def test_a_pause_of_the_machine_does_not_change_how_modules_are_restored(candidate_of, monkeypatch):
    """A garbage collection once took longer than importing the candidate's modules."""
    readings = chain([0.0, 9.0], count(9.0, 1e-4))
    monkeypatch.setattr(beginning, "thread_time", lambda: next(readings))
    candidate = candidate_of("shared:NumbersItems")
    trial = Trial(candidate, 1)
    for id_ in ASKED * 3:
        trial.judge(RULES[id_], None)
    assert not candidate.shortcuts.inherited


CHANGES = {
    "a number": ("n = 1", "it.n = 2"),
    "a list": ("things = []", "it.things.append(1)"),
    "a table in a table": ("things = {'a': {}}", "it.things['a'][1] = 2"),
    "a set of a class": ("class Q:\n    all = set()", "it.Q.all.add(1)"),
    "a number of a class": ("class Q:\n    made = 0", "it.Q.made += 1"),
    "an object": ("class Box: pass\nbox = Box()\nbox.n = 1", "it.box.n = 2"),
    "an object with slots": ("class Box:\n    __slots__ = ('n',)\nbox = Box()", "it.box.n = 2"),
    "an argument": ("def f(x, seen=[]): seen.append(x)", "it.f(1)"),
    "what a function keeps": (
        "def make():\n    n = 0\n    def f():\n        nonlocal n\n        n += 1\n    return f\nf = make()",
        "it.f()",
    ),
    "an event": ("import threading\nover = threading.Event()", "it.over.set()"),
    "a cache": ("import functools\n@functools.cache\ndef f(x): return x", "it.f(1)"),
}


@pytest.mark.parametrize(("source", "change"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_a_module_is_seen(source, change, written):
    written({"slate_of": source})
    with patched():
        it = __import__("slate_of")
    slate = Slate([it])
    assert slate.is_known
    assert slate.is_clean()
    exec(change, {"it": it})
    assert not slate.is_clean()


CONSTANTS = """
import re, enum, logging, threading
WORD = re.compile('x')
class Colour(enum.Enum):
    RED = 1
log = logging.getLogger()
NONE = object()
local = threading.local()
"""


CLAIMS = "class Claims:\n    __class__ = property(lambda _: {})\nit = Claims()"


@pytest.mark.parametrize(
    ("source", "clean"),
    [
        (CONSTANTS, True),
        ("import itertools\nn = itertools.count()", False),
        (CLAIMS.format("dict"), False),
        (CLAIMS.format("int"), False),
        (CLAIMS.format("1 / 0"), False),
    ],
    ids=["constants", "an iterator in C", "a claimed dict", "a claimed number", "no class"],
)
def test_a_module_is_clean_if_nothing_in_it_can_have_changed(written, source, clean):
    written({"slate_of": source})
    assert Slate([__import__("slate_of")]).is_clean() is clean
