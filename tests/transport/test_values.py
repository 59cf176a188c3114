"""Items that are no texts: a name is given as what it spells, and comes back as a name."""

from typing import ClassVar

import msgspec
import pytest

from stingy.contract import PROFILES
from stingy.guarantees import all_rules
from stingy.transport.inprocess import InProcess
from stingy.trial import Trial
from stingy.verdict import Finding
from stingy_reference import WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue


class Noting(WorkQueue):
    """Notes what it is given."""

    given: ClassVar = []

    def __init__(self):
        super().__init__()

    def add(self, item):
        self.given.append(item)
        super().add(item)


@pytest.mark.parametrize("queue", [Noting, AsyncWorkQueue])
@pytest.mark.parametrize("name", ["7", "7.0", "'7'", "True", "None", "b'web'", "('shop', 'web')"])
def test_a_name_comes_back_as_it_went(queue, name):
    candidate = InProcess(queue, 1)
    session = candidate.open(PROFILES["values"], {"values": True})
    session.settle(session.call("producer", "add", f"salt-{name}"))
    got = session.call("worker", "get")
    session.settle(got)
    assert got.value == (name, False)
    session.settle(session.call("worker", "done", f"salt-{name}"))
    length = session.call("producer", "len")
    session.settle(length)
    assert length.value == 0
    session.close()
    candidate.close()


def test_the_candidate_is_given_what_the_name_spells():
    Noting.given.clear()
    candidate = InProcess(Noting, 1)
    session = candidate.open(PROFILES["values"], {"values": True})
    session.settle(session.call("producer", "add", "salt-('shop', 7)"))
    session.close()
    candidate.close()
    assert Noting.given == [("shop", 7)]


class Bad:
    """Misbehaves in C: what that raises has no frame of its own."""

    def __repr__(self):
        return None

    __str__ = __repr__

    def __bool__(self):
        return "yes"  # noqa: PLE0304

    def __eq__(self, other):
        return Bad()

    def __hash__(self):
        return "hash"  # noqa: PLE0309


class BadTuple(tuple):  # noqa: SLOT001
    def __len__(self):
        return 2**70


class HandsOutBad(WorkQueue):
    def get(self):
        super().get()
        return Bad(), False


class RaisesBadFlag(WorkQueue):
    def get(self):
        return super().get()[0], Bad()


class ReturnsBadTuple(WorkQueue):
    def get(self):
        return BadTuple(super().get())


class HandsOutNone(WorkQueue):
    def get(self):
        super().get()
        return None, False


class HasTooMany(WorkQueue):
    def __len__(self):
        return 10**30


class SaysBad(WorkQueue):
    def shutting_down(self):
        return Bad()


RULES = (
    *(
        "handing_out/an-added-item-is-handed-out",
        "length/len-counts-what-is-queued",
        "shutdown/shutting-down-says-so",
    ),
    *("workers/all-that-is-added-gets-done", "interleavings/work-is-done-in-every-order"),
    "interleavings/some-order-of-the-calls-explains-every-answer",
)


@pytest.mark.parametrize(
    ("queue", "broken"),
    [
        (HandsOutBad, RULES[:1]),
        (RaisesBadFlag, RULES[:1]),
        (ReturnsBadTuple, ()),
        (HandsOutNone, RULES[:1]),
        (HasTooMany, RULES[1:2]),
        (SaysBad, RULES[2:3]),
    ],
)
def test_a_value_that_misbehaves_is_the_candidates_fault_and_nobody_elses(queue, broken):
    candidate = InProcess(queue, 1)
    trial = Trial(candidate, 1)
    rules = [all_rules()[id_] for id_ in RULES]
    verdicts = [trial.judge(rule, row) for rule in rules for row in [*rule.cases][:1]]
    candidate.close()
    assert [it.because for it in verdicts if it.fault or it.verdict is Finding.ERROR] == []
    assert set(broken) <= {it.rule for it in verdicts if it.verdict is Finding.FAIL}
    msgspec.json.encode(verdicts)
