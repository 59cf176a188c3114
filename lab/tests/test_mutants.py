"""The rules find every usual mistake in the reference's locking that a call can tell from the reference."""

from functools import cache

import pytest
from mutants import mutants
from objections import Search, cases_of, script_of

from stingy.guarantees import all_rules
from stingy.verdict import Finding
from stingy_reference import WorkQueue

SEED = 1
PARTS = 2
"""The excused mutants are shared out among so many tests, for xdist."""
METHODS = (
    *("add", "get", "done", "__len__", "shut_down", "shut_down_with_drain", "shutting_down"),
    *("_enqueue", "_stop"),
)

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
"""Mutants that no call can tell from the reference, and why."""

METERS = "what is told of an item that is added again in that instant would be wrong"

UNASKED = {
    "get: the lock is let go before `self._metrics.taken(item)`": METERS,
    "get: no lock from `self._metrics.taken(item)`": METERS,
    "shut_down_with_drain: `while self._processing and self._draining:` but once": (
        "a second drain wakes the first, which returns while an item is in processing"
    ),
    "_stop: `self._idle.notify_all()` the other way": "a ShutDown ends one drain of two",
}
"""Mutants that only two drains at once would show, or metrics that are read during a call: no rule asks for these."""

EXCUSED = EQUIVALENT | UNASKED

RARELY_FOUND = {
    "add: the lock is let go before `if item in self._dirty:`": (
        "interleavings/some-order-of-the-calls-explains-every-answer",
        "an Add and ShutDown at once",
    ),
    "get: the lock is let go before `if not self._queue:`": (
        "interleavings/nobody-is-sent-home-unasked",
        "two waiting workers and two Adds in a row",
    ),
    "get: the lock is let go before `self._dirty.remove(item)`": (
        "interleavings/some-order-of-the-calls-explains-every-answer",
        "workers that add what they hold",
    ),
    "__len__: no lock up to `return len(self._queue)`": (
        "hooks/the-store-is-asked-one-thing-at-a-time",
        "Len and an Add",
    ),
}
"""Mutants that few rules find, and one that does: tried first, it saves 10 CPU-s. If it finds nothing, all rules are tried."""


@cache
def all_mutants():
    """Return the source of each mutant, by its name."""
    return mutants(WorkQueue)


def soonest(rule):
    """Sort rules that take one run first, then tables of races, then what is drawn."""
    return bool(rule.for_all), rule.races, rule.guarantee != "interleavings"


RULES = sorted(
    (rule for rule in all_rules().values() if rule.profile.name in ("queue", "drain", "hook", "metrics")),
    key=soonest,
)


def search():
    return Search(cases_of(RULES, SEED), _is_broken)


def _is_broken(verdict):
    """ERROR is an objection: a thread spins, and the reference has none that does. Real threads are not tried."""
    return verdict.verdict in (Finding.FAIL, Finding.ERROR)


@pytest.mark.budget(40)
@pytest.mark.parametrize("method", METHODS)
def test_every_mutant_is_found(method):
    made = {name: source for name, source in all_mutants().items() if name.startswith(f"{method}: ")}
    assert made
    rules = search()
    findable = [(name, source) for name, source in made.items() if name not in EXCUSED]
    found = {
        name: rules.first_objection(script_of(source), RARELY_FOUND.get(name, ("", "")))
        for name, source in findable
    }
    assert [name for name, case in found.items() if case is None] == []


@pytest.mark.budget(40)
@pytest.mark.parametrize("part", range(PARTS))
def test_an_equivalent_mutant_is_not_accused(part):
    """By every rule, with one order of each race: all orders would take 20 CPU-s a mutant.

    A false accusation that needs a rare order is looked for by the panel of sound candidates.
    """
    rules, accused = search(), {}
    for name in list(EXCUSED)[part::PARTS]:
        if objections := rules.objections_in_one_order(script_of(all_mutants()[name])):
            accused[name] = [case.name for case in objections]
    assert accused == {}


def test_every_excused_mutant_is_still_made():
    assert EXCUSED.keys() | RARELY_FOUND.keys() <= all_mutants().keys()


def test_there_are_as_many_mutants_as_there_were():
    assert len(all_mutants()) >= 130
    assert {name.partition(":")[0] for name in all_mutants()} == {"__init__", *METHODS}
