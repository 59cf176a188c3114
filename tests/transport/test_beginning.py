"""Each session begins with a candidate's modules as they were imported, and another queue may live beside it."""

import sys
import threading
from itertools import chain, count
from pathlib import Path

import pytest

from stingy.engine import pool
from stingy.guarantees import all_rules
from stingy.transport.inprocess import InProcess
from stingy.transport.slate import Slate
from stingy.trial import Trial
from stingy.verdict import Evidence, Finding

RULES = all_rules()
ASKED = ("handing_out/an-added-item-is-handed-out", "handing_out/get-takes-the-item-out")
LEAVES_SOME = "length/len-counts-what-is-queued"
LATER = (
    "delays/an-item-is-there-when-its-delay-is-over",
    "delays/an-item-is-not-there-before-its-delay-is-over",
)


@pytest.fixture(autouse=True)
def candidates_folder(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "candidates"))
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        end_given_up(thread)
    for name in ("shared", "shared_timer", "for_a_loop", "add_raises", "slate_of"):
        sys.modules.pop(name, None)


def end_given_up(thread):
    """End the thread of ``shared_timer``, which has been given up, and sleeps until somebody wakes it.

    CPython 3.11 does not get on with any traced function while an exception waits for a thread that sleeps,
    and another thread may be given the same ident.
    """
    changed = sys.modules["shared_timer"]._CHANGED
    with changed:
        changed.notify()
    thread.join()
    pool._abandoned.discard(thread.ident)


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        ("shared:CountsOnAPool", ASKED),
        ("shared:NumbersItems", ASKED),
        ("shared:ToldByLocals", ASKED),
        ("shared_timer:AddsLater", LATER),
    ],
)
def test_what_a_module_shares_is_no_fault(target, asked):
    candidate = InProcess(target, 1)
    trial = Trial(candidate, 1)
    verdicts = [trial.judge(RULES[id_], None) for id_ in (*asked, *asked)]
    candidate.close()
    assert {(verdict.verdict, verdict.evidence) for verdict in verdicts} == {
        (Finding.PASS, Evidence.DETERMINISTIC)
    }, [verdict.because for verdict in verdicts]


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

    def done(self, item):
        pass

    def shut_down(self):
        pass

    def shutting_down(self):
        return False

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


def test_what_needs_a_loop_to_be_made_has_one_for_the_other_queue_as_well(tmp_path, monkeypatch):
    (tmp_path / "for_a_loop.py").write_text(FOR_A_LOOP)
    monkeypatch.syspath_prepend(tmp_path)
    candidate = InProcess("for_a_loop", 1)
    trial = Trial(candidate, 1)
    verdicts = [trial.judge(RULES[id_], None) for id_ in (*ASKED, *LATER)]
    candidate.close()
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


def test_an_add_that_raises_is_told_of_the_queue_that_is_judged(tmp_path, monkeypatch):
    (tmp_path / "add_raises.py").write_text(ADD_RAISES)
    monkeypatch.syspath_prepend(tmp_path)
    candidate = InProcess("add_raises", 1)
    trial = Trial(candidate, 1)
    verdicts = [trial.judge(RULES[id_], None) for id_ in ASKED]
    candidate.close()
    assert {verdict.verdict for verdict in verdicts} == {Finding.FAIL}, [it.because for it in verdicts]


def test_what_two_queues_share_is_a_fault():
    candidate = InProcess("shared:SharesWhatIsDirty", 1)
    trial = Trial(candidate, 1)
    found = [trial.judge(RULES[id_], None).verdict for id_ in (LEAVES_SOME, *ASKED)]
    candidate.close()
    assert Finding.FAIL in found


def test_what_ended_a_thread_is_told_as_what_it_is():
    candidate = InProcess("shared:DiesOfAnItem", 1)
    verdict = Trial(candidate, 1).judge(RULES[LATER[0]], None)
    candidate.close()
    assert verdict.verdict is Finding.FAIL
    assert verdict.because.endswith("; thread 1 ended: ValueError: no room")
    assert [str(line) for line in verdict.story][-1] == "thread 1: ended: ValueError: no room"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Two queues with a thread each, in modules of their own; one of these keeps what nobody can look into."""
    (tmp_path / "of_two").mkdir()
    queue = (
        "from stingy_broken.devices import HasAnItemInItsHands as Broken\n\n\nclass WorkQueue(Broken): pass\n"
    )
    (tmp_path / "of_two" / "__init__.py").write_text("")
    (tmp_path / "of_two" / "plain.py").write_text(queue)
    (tmp_path / "of_two" / "numbered.py").write_text(f"import itertools\nN = itertools.count()\n{queue}")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("of_two", "of_two.plain", "of_two.numbered"):
        sys.modules.pop(name, None)


def first_failure_in(target):
    candidate = InProcess(target, 1)
    trial = Trial(candidate, 1)
    rule = RULES["interleavings/a-drain-reaches-everybody-in-every-order"]
    verdicts = (trial.judge(rule, row) for row in rule.cases)
    found = next(it for it in verdicts if it.verdict is Finding.FAIL)
    candidate.close()
    return found.id, found.order, found.story


def test_a_module_that_had_been_imported_is_judged_like_any_other(tmp_path, monkeypatch):
    """What it has of ``threading`` is the real thing, but in a session: nobody has changed it when another module is imported there."""
    (tmp_path / "bound_before.py").write_text(
        "from threading import Condition\nfrom stingy_broken.devices import HasAnItemInItsHands\n\n\n"
        "class WorkQueue(HasAnItemInItsHands):\n"
        "    def __init__(self):\n        super().__init__()\n        import imported_later\n"
    )
    (tmp_path / "imported_later.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("bound_before")
    try:
        candidate = InProcess("bound_before:WorkQueue", 1)
        trial = Trial(candidate, 1)
        rule = RULES["interleavings/no-item-overtakes-another"]
        for row in rule.cases[:1]:
            trial.judge(rule, row)
        assert not candidate.shortcuts.inherited
        assert all(vars(place)[name] is not new for place, name, new in candidate._bound_before())
        assert "bound_before" in [place.__name__ for place, _, _ in candidate._bound_before()]
        candidate.close()
    finally:
        for name in ("bound_before", "imported_later"):
            sys.modules.pop(name, None)


@pytest.mark.usefixtures("package")
def test_what_else_of_its_package_has_been_imported_is_the_same_to_a_queue():
    alone = first_failure_in("of_two.plain:WorkQueue")
    __import__("of_two.numbered")
    assert first_failure_in("of_two.plain:WorkQueue") == alone


@pytest.mark.usefixtures("package")
def test_threads_have_the_same_names_where_another_queue_lives_beside():
    number, order, _ = first_failure_in("of_two.plain:WorkQueue")
    assert first_failure_in("of_two.numbered:WorkQueue")[:2] == (number, order)


def test_a_pause_of_the_machine_makes_no_module_dear(monkeypatch):
    """A collection of garbage took longer than the candidate's modules, and what was judged changed."""
    from stingy.transport import beginning

    readings = chain([0.0, 9.0], count(9.0, 1e-4))
    monkeypatch.setattr(beginning, "thread_time", lambda: next(readings))
    candidate = InProcess("shared:NumbersItems", 1)
    trial = Trial(candidate, 1)
    for id_ in ASKED * 3:
        trial.judge(RULES[id_], None)
    assert not candidate.shortcuts.inherited
    candidate.close()


def module(tmp_path, monkeypatch, source):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "slate_of.py").write_text(source)
    sys.modules.pop("slate_of", None)
    return __import__("slate_of")


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
def test_whatever_changes_is_seen(source, change, tmp_path, monkeypatch):
    from stingy.engine.patches import patched

    with patched():
        it = module(tmp_path, monkeypatch, source)
    slate = Slate([it])
    assert slate.is_known
    assert slate.is_clean()
    exec(change, {"it": it})
    assert not slate.is_clean()


def test_what_cannot_be_looked_at_may_have_changed(tmp_path, monkeypatch):
    assert not Slate([module(tmp_path, monkeypatch, "import itertools\nn = itertools.count()")]).is_clean()


def test_a_module_that_keeps_nothing_is_clean(tmp_path, monkeypatch):
    source = "import re, enum, logging, threading\nWORD = re.compile('x')\nclass Colour(enum.Enum):\n    RED = 1\nlog = logging.getLogger()\nNONE = object()\nlocal = threading.local()"
    assert Slate([module(tmp_path, monkeypatch, source)]).is_clean()
