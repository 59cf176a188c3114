"""Items other than texts: a candidate gets the value, and rules see its name."""

from typing import ClassVar

import msgspec
import pytest

from stingy.contract import PROFILES
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy_reference import WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue


class Noting(WorkQueue):
    """A queue that keeps each added item, as it was given, in ``given``."""

    given: ClassVar = []

    def __init__(self):
        super().__init__()

    def add(self, item):
        self.given.append(item)
        super().add(item)


@pytest.fixture
def session_of(candidate_of, request):
    def session_of(kind):
        session = candidate_of(kind).open(PROFILES["values"], {"values": True})
        request.addfinalizer(session.close)
        return session

    return session_of


@pytest.mark.parametrize("queue", [Noting, AsyncWorkQueue])
@pytest.mark.parametrize("name", ["7", "7.0", "'7'", "True", "None", "b'web'", "('shop', 'web')"])
def test_an_item_comes_back_by_its_name(session_of, queue, name):
    session = session_of(queue)
    answers = []
    for op, *args in (("add", f"salt-{name}"), ("get",), ("done", f"salt-{name}"), ("len",)):
        call = session.call("lane", op, *args)
        session.settle(call)
        answers.append(call.value)
    assert (answers[1], answers[3]) == ((name, False), 0)


def test_the_candidate_is_given_the_value_that_the_name_spells(session_of):
    Noting.given.clear()
    session = session_of(Noting)
    session.settle(session.call("producer", "add", "salt-('shop', 7)"))
    assert Noting.given == [("shop", 7)]


class Bad:
    """An object whose methods fail in C code, so that the exception has no stack frame of its own."""

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


def hand_out(answer):
    """Return the method Get of a queue that returns ``answer(item)`` in place of the item it takes."""

    def get(queue):
        return answer(WorkQueue.get(queue)[0])

    return {"get": get}


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
    ("methods", "broken"),
    [
        (hand_out(lambda _: (Bad(), False)), RULES[:1]),
        (hand_out(lambda item: (item, Bad())), RULES[:1]),
        (hand_out(lambda item: BadTuple((item, False))), ()),
        (hand_out(lambda _: (None, False)), RULES[:1]),
        ({"__len__": lambda _: 10**30}, RULES[1:2]),
        ({"shutting_down": lambda _: Bad()}, RULES[2:3]),
    ],
    ids=["item", "flag", "tuple", "none", "length", "answer"],
)
def test_a_value_that_misbehaves_is_a_fault_of_the_candidate_alone(candidate_of, methods, broken):
    candidate = candidate_of(type("Theirs", (WorkQueue,), methods))
    trial = Trial(candidate, 1)
    rules = [all_rules()[id_] for id_ in RULES]
    verdicts = [trial.judge(rule, row) for rule in rules for row in [*rule.cases][:1]]
    assert [it.because for it in verdicts if it.fault or it.verdict is Finding.ERROR] == []
    assert set(broken) <= {it.rule for it in verdicts if it.verdict is Finding.FAIL}
    msgspec.json.encode(verdicts)
