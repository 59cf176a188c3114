"""Whatever the usual slips make of the reference's locking is found, unless nobody could tell it from the reference."""

import pytest
from mutants import mutants

from stingy.guarantees import all_rules
from stingy.verdict import Finding
from stingy_reference import WorkQueue

SEED = 1
MUTANTS = mutants(WorkQueue)
NUMBERS = {name: number for number, name in enumerate(MUTANTS)}

LEGAL = (
    "only a Done of what nobody holds comes there, which no caller may make: "
    "a held item stays where it is till then"
)
ONE_STEP = "both are done under the lock: nobody sees what is between them"
WAKES_LATER = "whoever is woken has to wait for the lock, and sees what has been done by then"
READS_ONCE = "it only reads, and CPython reads that in one step"
LOOKS_AGAIN = "whoever is woken for nothing looks again, and waits on"
NOTHING_LEFT = "the item has been taken already: what is left is to return it"

EQUIVALENT = {
    "__init__: `self._idle = Condition(self._lock)` is `self._changed`": (
        "workers and drains never wait at once: a drain begins by sending the workers home"
    ),
    "add: `self._dirty.add(item)` after `self._metrics.added(item)`": ONE_STEP,
    "add: `self._metrics.added(item)` after `if item not in self._processing:`": ONE_STEP,
    "get: `self._processing.add(item)` after `self._metrics.taken(item)`": ONE_STEP,
    "get: the lock is let go before `return (item, False)`": NOTHING_LEFT,
    "get: no lock from `return (item, False)`": NOTHING_LEFT,
    "get: `self._dirty.remove(item)` after `self._processing.add(item)`": ONE_STEP,
    "get: `self._changed.wait()` for a second at most": LOOKS_AGAIN,
    "done: the lock is let go before `self._processing.remove(item)`": LEGAL,
    "done: the lock is let go before `if not self._processing:`": (
        "if a Get comes between, the drain waits on, as if it had been woken after that Get"
    ),
    "done: no lock up to `if item not in self._processing:`": LEGAL,
    "done: `if item not in self._processing:` is asked before the lock is taken": LEGAL,
    "done: without `if item not in self._processing:`": LEGAL,
    "done: without `return`": LEGAL,
    "done: `self._processing.remove(item)` after `self._metrics.finished(item)`": ONE_STEP,
    "done: `self._metrics.finished(item)` after `if item in self._dirty:`": ONE_STEP,
    "done: `if item in self._dirty:` after `if not self._processing:`": WAKES_LATER,
    "done: `self._idle.notify_all()` the other way": (
        "of two drains one may return, as client-go's does: drain/whether-two-drains-both-return"
    ),
    "shut_down: the lock is let go before `self._stop()`": (
        "an Add that comes between came before the ShutDown, and a drain that comes between after it"
    ),
    "shut_down: no lock up to `self._draining = False`": (
        "a drain that has looked before it is woken afterwards, under the lock, and looks again"
    ),
    "shut_down: `self._draining = False` after `self._stop()`": WAKES_LATER,
    "shut_down_with_drain: the lock is let go before `self._stop()`": (
        "an Add that comes between came before the drain, and a ShutDown that comes between has ended it"
    ),
    "shut_down_with_drain: the lock is let go before `while self._processing and self._draining:`": (
        "what comes between is seen at the first look, which is made under the lock"
    ),
    "shut_down_with_drain: no lock up to `self._draining = True`": (
        "a ShutDown at that time came before the drain, or has ended it"
    ),
    "shut_down_with_drain: `self._draining = True` after `self._stop()`": WAKES_LATER,
    "shut_down_with_drain: `self._idle.wait()` for a second at most": LOOKS_AGAIN,
    "shutting_down: no lock up to `return self._shutting_down`": READS_ONCE,
    "shutting_down: a lock of its own": READS_ONCE,
    "_enqueue: `self._queue.push(item)` after `self._changed.notify()`": WAKES_LATER,
    "_enqueue: `self._changed.notify()` the other way": LOOKS_AGAIN,
    "_stop: `self._shutting_down = True` after `self._metrics.stop()`": ONE_STEP,
    "_stop: `self._metrics.stop()` after `self._changed.notify_all()`": ONE_STEP,
    "_stop: `self._changed.notify_all()` after `self._idle.notify_all()`": WAKES_LATER,
}
"""Why nobody could tell it from the reference."""

METERS = "what is told of an item that is added again in that instant would be wrong"

UNASKED = {
    "get: the lock is let go before `self._metrics.taken(item)`": METERS,
    "get: no lock from `self._metrics.taken(item)`": METERS,
    "shut_down_with_drain: `while self._processing and self._draining:` but once": (
        "a second drain wakes the first, which returns while an item is in processing"
    ),
    "_stop: `self._idle.notify_all()` the other way": "a ShutDown ends one drain of two",
}
"""What only two drains at once would show, of which no rule asks more than whether both return, or metrics that are
read while calls are under way."""

EXCUSED = EQUIVALENT | UNASKED


def soonest(rule):
    """What takes one run comes first, then the tables of races; what is drawn comes last."""
    return bool(rule.for_all), rule.races, rule.guarantee != "interleavings"


RULES = sorted(
    (rule for rule in all_rules().values() if rule.profile.name in ("queue", "drain", "hook", "metrics")),
    key=soonest,
)


@pytest.fixture
def found(first_objection):
    """Which rule finds a mutant first, if any does."""
    return lambda name: first_objection(
        f"mutant_{NUMBERS[name]}", MUTANTS[name], RULES, _is_broken, SEED, "WorkQueue", follows=False
    )


def _is_broken(verdict):
    """A thread that spins is an ERROR, for the reference has none; it is not followed with real waiting."""
    return verdict.verdict in (Finding.FAIL, Finding.ERROR)


@pytest.mark.parametrize("name", [name for name in MUTANTS if name not in EXCUSED])
def test_a_mutant_is_found(name, found):
    assert found(name)


@pytest.mark.parametrize("name", EXCUSED)
def test_what_nobody_could_tell_from_the_reference_is_not_accused(name, found):
    assert found(name) is None


def test_whatever_is_excused_is_still_made():
    assert EXCUSED.keys() <= MUTANTS.keys()


def test_there_are_as_many_mutants_as_there_were():
    assert len(MUTANTS) >= 130
