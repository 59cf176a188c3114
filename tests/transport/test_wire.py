"""Requests that go to a driver together, and answers that are read while the driver takes no request."""

import json
import os
from itertools import repeat
from types import SimpleNamespace

import pytest

from stingy.contract import PROFILES
from stingy.language.deadline import Deadline
from stingy.language.session import CandidateError, NotOffered, Undecided
from stingy.request import Limits
from stingy.transport import processes, protocol, wire
from stingy.transport.driver import DriverSession
from stingy.transport.wire import Ration, Wire


class Connected:
    """A driver in this process that answers each write at once; ``full`` attempts to write are in vain."""

    remarks = None
    processes = None
    may_stand = False

    def __init__(self):
        ours, theirs = os.pipe()
        self.answers, self._told = os.fdopen(ours, "rb"), os.fdopen(theirs, "wb", buffering=0)
        self.full = 0
        self.writes = []

    def say(self, lines, meanwhile):
        while self.full:
            self.full -= 1
            self.answer({"id": -1, "ok": True, "val": "x" * 50_000})
            meanwhile(0.0)
        asked = [json.loads(line) for line in lines.splitlines()]
        self.writes.append([it["op"] for it in asked])
        for it in asked:
            self.answer({"id": it["id"], "ok": True, "val": {"now_ns": 0} if it["op"] in SETTLING else None})

    def answer(self, message):
        self._told.write(json.dumps(message).encode() + b"\n")

    def hang_up(self):
        self._told.close()

    def ended(self, seconds=None):
        return "closed the connection"


@pytest.fixture
def connected():
    made = Connected()
    yield made
    made.hang_up()
    made.answers.close()


SETTLING = ("new", "settle", "advance")


def session(connected, *, settles):
    capabilities = protocol.Capabilities(virtual_clock=True, settle=settles)
    return DriverSession(Wire(connected), PROFILES["queue"], {}, capabilities, 0.0)


def test_a_call_goes_to_the_driver_together_with_the_settle_that_follows(connected):
    queue = session(connected, settles=True)
    adding = queue.call("producer", "add", "a")
    queue.settle(adding)
    assert connected.writes == [["new"], ["add", "settle"]]
    assert adding.returned


def test_a_call_goes_alone_and_at_once_to_a_driver_that_does_not_settle(connected):
    session(connected, settles=False).call("producer", "add", "a")
    assert connected.writes == [["new"], ["add"]]


def test_whether_a_call_has_returned_is_known_without_a_settle(connected):
    assert session(connected, settles=True).call("producer", "len").returned


def test_answers_are_read_while_the_driver_has_no_room_for_a_request(connected):
    """It may read no request before its answers are read, which fill the pipe here."""
    wire, connected.full = Wire(connected), 20
    assert wire.ask("settle") == {"now_ns": 0}


@pytest.mark.parametrize(
    ("op", "raised", "says"),
    [
        ("new", NotOffered, "refuses to make it: no"),
        ("step", NotOffered, "refuses to set its clock: no"),
        ("burst", Undecided, "cannot make these calls at once: no"),
    ],
)
def test_what_a_driver_does_not_support_is_not_held_against_it(connected, op, raised, says):
    refusal = {"ok": False, "error": {"kind": "unsupported", "text": "no"}}
    connected.say = lambda lines, _: connected.answer({"id": json.loads(lines)["id"], **refusal})
    with pytest.raises(raised, match=says):
        Wire(connected).ask(op)


def test_a_driver_that_ends_without_an_answer_is_reported(connected):
    wire = Wire(connected)
    connected.say = lambda lines, meanwhile: connected.hang_up()
    with pytest.raises(CandidateError, match=r'closed the connection while it had to answer .*"settle"'):
        wire.ask("settle")


def test_a_wait_for_an_answer_ends_though_the_machine_gives_the_driver_nothing(connected, monkeypatch):
    now, looks = 0.0, iter(repeat((0.0, True), 1000))

    def hear(seconds):
        nonlocal now
        now += seconds

    monkeypatch.setattr(processes, "CAN_BE_SEEN", True)
    for module in (wire, processes):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    connected.processes = SimpleNamespace(look=lambda: next(looks))
    asks = Wire(connected)
    asks._hear = hear
    wait = asks.wait  # for as long as ``hear`` says
    wait(asks.send("len", {}), 1.0)
    assert now == pytest.approx(0.5 + 0.5 / processes.LEAST, abs=processes.SHORTEST)


def test_a_driver_has_for_an_attempt_what_earlier_ones_have_left_of_the_limit(monkeypatch):
    now = 0.0
    monkeypatch.setattr(wire, "time", SimpleNamespace(monotonic=lambda: now))
    ration, deadline = Ration(Limits(seconds=10)), Deadline(10, lambda: now)
    now = 7.0
    with ration.of_a_rule(deadline):
        now = 9.9
        assert ration.exceeded(None) is None
        now = 10.5
        assert ration.exceeded(None) == ("has not finished the rule within 10 s", "--limit S")
