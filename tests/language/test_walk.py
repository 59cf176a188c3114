"""Walks: a broken promise is named, and nothing else is blamed for it."""

from dataclasses import replace

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.values import Range
from stingy.transport.inprocess import InProcess
from stingy_reference import DelayingQueue
from stingy_sound.delays import WhoeverCallsLooks


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
    """What came due while nobody looked is queued behind what was added then, be it due itself."""
    steps = f"b after 50 s, c after 5 s, 60 s pass, add {added}, 60 s pass, get, get, get"
    assert judge(WhoeverCallsLooks, "a-delaying-queue-keeps-the-order", steps) is Finding.PASS
