"""Walks: a broken promise is named, and nothing else is blamed for it."""

from dataclasses import replace
from itertools import count

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.values import Range
from stingy.transport.inprocess import InProcess
from stingy_reference import DelayingQueue
from stingy_reference.workqueue import Line
from stingy_sound.delays import WhoeverCallsLooks
from stingy_sound.oddities.polls import EverybodyPolls


class CountsWhatWaitsForItsDone(DelayingQueue):
    """Delays nothing that is dirty, as upstream leaves open; and its Len has what is held and was added again."""

    def add_after(self, item, seconds):
        if item not in self._dirty:
            super().add_after(item, seconds)

    def __len__(self):
        return super().__len__() + len(self._dirty & self._processing)


def judge(candidate, about, steps):
    """Return the verdict of the rule ``mixes/ABOUT`` on one walk."""
    rule = all_rules()[f"mixes/{about}"]
    walk = replace(rule, for_all={"does": Range("this walk", lambda _: steps.split(", "), walks=True)})
    return Trial(InProcess(candidate), seed=1).judge(walk, None).verdict


def test_a_queue_whose_len_is_wrong_is_not_said_to_lose_anything():
    """Were the wrong Len believed, a would have come due while it was held, and be lost."""
    steps = "add a, get, add a, a after 5 s, done a, get, add b, get, add b, 60 s pass, done a, len, get"
    assert judge(CountsWhatWaitsForItsDone, "a-delaying-queue-loses-nothing", steps) is Finding.PASS


@pytest.mark.parametrize("added", ["a", "b"])
def test_a_queue_that_looks_for_what_is_due_when_it_is_asked_keeps_the_order(added):
    """An item that came due while nobody looked is queued behind those added then, even if these are due as well."""
    steps = f"b after 50 s, c after 5 s, 60 s pass, add {added}, 60 s pass, get, get, get"
    assert judge(WhoeverCallsLooks, "a-delaying-queue-keeps-the-order", steps) is Finding.PASS


def test_a_shutdown_may_drop_part_of_what_came_due_unseen():
    """The second AddAfter looks for what is due, and ShutDown does not."""
    steps = "a after 5 s, until due, b after 5 s, until due, shut down, get, get"
    assert judge(WhoeverCallsLooks, "a-delaying-queue-loses-nothing-in-a-shutdown", steps) is Finding.PASS


def test_a_deadline_may_come_while_a_worker_that_polls_is_given_its_time():
    """A second passes at the Add, so that b is due again before the ShutDown."""
    steps = "get, b after 50 s, until nearly due, add b, shut down, 60 s pass, done b"
    assert judge(EverybodyPolls, "a-delaying-queue-takes-nothing-after-a-shutdown", steps) is Finding.PASS


def test_a_shutdown_that_never_was_loses_what_waits():
    class GoesHome(DelayingQueue):
        def get(self):
            with self._lock:
                if self._processing and self._deadlines:
                    return None, True
            return super().get()

    steps = "add a, get, b after 5 s, get"
    assert judge(GoesHome, "a-delaying-queue-loses-nothing", steps) is Finding.FAIL


class KeepsThePlaceOfItsAddAfter(DelayingQueue):
    """An item that waits and is added goes before what was queued since its AddAfter, as in controller-runtime."""

    def __init__(self, **options):
        super().__init__(**options)
        self._places = {}
        self._calls = count()

    def add_after(self, item, seconds):
        self._places[item] = next(self._calls)
        super().add_after(item, seconds)

    def add(self, item):
        super().add(item)
        self._places.setdefault(item, next(self._calls))
        self._queue = Line(sorted(self._queue, key=self._places.__getitem__))

    def get(self):
        item, shutdown = super().get()
        self._places.pop(item, None)
        return item, shutdown


class WhatIsAddedGoesFirst(DelayingQueue):
    """An item that is added is queued before all others."""

    def add(self, item):
        super().add(item)
        self._queue.rotate(1)


def test_an_item_that_waits_and_is_added_may_keep_its_place():
    steps = "a after 50 s, add b, add a, get, get"
    assert judge(KeepsThePlaceOfItsAddAfter, "a-delaying-queue-keeps-the-order", steps) is Finding.PASS


def test_an_item_that_waits_and_is_added_keeps_no_place_before_what_was_queued():
    steps = "add b, a after 50 s, add a, get"
    assert judge(WhatIsAddedGoesFirst, "a-delaying-queue-keeps-the-order", steps) is Finding.FAIL
