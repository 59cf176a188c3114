"""A conversation with a driver as a test contains it: without values that may differ each time."""

import json

import pytest

from stingy.reports.conversation import NotRepeatable, retell, write


def said(*messages):
    return [json.dumps(message).encode() for message in messages]


NEW = {"id": 7, "op": "new", "impl": "work_queue", "options": {}}
READING = {"id": 7, "ok": True, "val": {"now_ns": 5}}
SETTLE, SETTLED = {"id": 9, "op": "settle"}, {"id": 9, "ok": True, "val": {"now_ns": 5}}
GET, GOT = {"id": 8, "op": "get", "lane": "w"}, {"id": 8, "ok": True, "val": {"item": "a", "shutdown": False}}
SCHEDULE = {"choices": [["l", 2]], "aloud": True}
BURST = {"id": 10, "op": "burst", "programs": {"l": [["len"]]}, "seed": 1, "schedule": SCHEDULE}
RAISED = {"kind": "raised", "text": "at 0xc0de"}
CALLS = [
    {"lane": "l", "op": "len", "val": 0, "start": 41, "end": 44},
    {"lane": "m", "op": "get", "start": 42, "end": None},
    {"lane": "n", "op": "add", "item": "a", "error": RAISED, "start": 43, "end": 45},
]
WAITING = [{"who": "m", "at": "queue.go:3", "in": "Get", "for": "a signal"}]
RAN = {"calls": CALLS, "choices": [["l", 2]], "trail": [], "waiting": WAITING}
HISTORY = {"id": 10, "ok": True, "val": RAN}


def test_only_calls_are_written_with_numbers_of_their_own():
    told = retell(said({"id": 1, "op": "hello"}, NEW, READING, GET, SETTLE, SETTLED, GOT))
    assert told == [{**NEW, "id": 1}, {**GET, "id": 2}, {**GOT, "id": 2}]


def test_a_burst_is_written_with_its_choices_and_the_order_of_its_calls():
    asked, answered = retell(said(BURST, HISTORY))
    assert asked["schedule"] == {"choices": [["l", 2]]}
    assert answered["val"]["waiting"] == ["m"]
    assert [(call["start"], call["end"]) for call in answered["val"]["calls"]] == [(1, 4), (2, None), (3, 5)]
    assert answered["val"]["calls"][2]["error"] == {"kind": "raised"}


def test_a_written_conversation_is_json():
    told = retell(said(NEW, READING, GET, BURST, HISTORY, {**BURST, "programs": {}}))
    assert json.loads(f"[{write(told)}]") == told


def test_a_run_in_no_chosen_order_is_not_repeatable():
    with pytest.raises(NotRepeatable, match="the operating system chose their order"):
        retell(said({**NEW, "control": False}, READING))
