"""What was said to a driver, as a test says it again: all of it that counts, and nothing that may be another one each time."""

import json

import pytest

from stingy.reports.conversation import NotRepeatable, retell, write


def said(*messages):
    return [json.dumps(message).encode() for message in messages]


NEW = {"id": 7, "op": "new", "impl": "work_queue", "options": {}}
READING = {"id": 7, "ok": True, "val": {"now_ns": 5}}
SETTLE, SETTLED = {"id": 9, "op": "settle"}, {"id": 9, "ok": True, "val": {"now_ns": 5}}
GET, GOT = {"id": 8, "op": "get", "lane": "w"}, {"id": 8, "ok": True, "val": {"item": "a", "shutdown": False}}
BURST = {
    "id": 10,
    "op": "burst",
    "programs": {"l": [["len"]]},
    "seed": 1,
    "schedule": {"choices": [["l", 2]], "aloud": True},
}
CALLS = [
    {"lane": "l", "op": "len", "val": 0, "start": 41, "end": 44},
    {"lane": "m", "op": "get", "start": 42, "end": None},
    {
        "lane": "n",
        "op": "add",
        "item": "a",
        "error": {"kind": "raised", "text": "at 0xc0de"},
        "start": 43,
        "end": 45,
    },
]
WAITING = [{"who": "m", "at": "queue.go:3", "in": "Get", "for": "a signal"}]
HISTORY = {
    "id": 10,
    "ok": True,
    "val": {"calls": CALLS, "choices": [["l", 2]], "trail": [], "waiting": WAITING},
}


def test_only_what_tells_something_is_told_and_the_requests_are_numbered():
    told = retell(said({"id": 1, "op": "hello"}, NEW, READING, GET, SETTLE, SETTLED, GOT))
    assert told == [{**NEW, "id": 1}, {**GET, "id": 2}, {**GOT, "id": 2}]


def test_of_a_burst_the_choices_are_told_and_what_its_calls_came_to_in_which_order():
    asked, answered = retell(said(BURST, HISTORY))
    assert asked["schedule"] == {"choices": [["l", 2]]}
    assert answered["val"]["waiting"] == ["m"]
    assert [(call["start"], call["end"]) for call in answered["val"]["calls"]] == [(1, 4), (2, None), (3, 5)]
    assert answered["val"]["calls"][2]["error"] == {"kind": "raised"}


def test_what_is_written_is_read_back():
    told = retell(said(NEW, READING, GET, BURST, HISTORY, {**BURST, "programs": {}}))
    assert json.loads(f"[{write(told)}]") == told


def test_what_ran_by_chance_is_not_said_again():
    with pytest.raises(NotRepeatable, match="the operating system chose their order"):
        retell(said({**NEW, "control": False}, READING))
