"""The conversation with a driver during which a rule broke, for a test that repeats it.

A rule depends only on the driver's answers, so the same answers break it again. If the driver
answers otherwise, the test passes: it cannot judge those answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

OURS = ("hello", "bye", "settle")
"""Requests left out of the conversation, because the test makes them by itself where needed.

It sends hello at the start, and settle after each request.
"""
READINGS = ("new", "advance", "step")
"""Requests answered by a reading of the clock, which is not compared: it may differ each time."""
CALL = ("lane", "op", "item", "val", "error", "start", "end")
"""The fields that are kept of each call in the answer to a burst."""

Message = Mapping[str, Any]


class NotRepeatable(Exception):  # noqa: N818 - not an error
    """The conversation with a driver cannot be repeated exactly; the message says why."""


def retell(lines: Sequence[bytes]) -> Sequence[Message]:
    """Return the requests to repeat and the answers to compare, to repeat a talk with a driver.

    ``lines``: all requests and answers, each as JSON. Raises NotRepeatable.
    """
    messages = [json.loads(line) for line in lines]
    ops: dict[int, str] = {it["id"]: it["op"] for it in messages if "op" in it}
    said = [it for it in messages if ops.get(it["id"]) not in OURS]
    if any(it.get("control") is False for it in said):
        raise NotRepeatable("its lanes could not be followed, so the operating system chose their order")
    numbers = {number: n for n, number in enumerate(dict.fromkeys(it["id"] for it in said), 1)}
    told = [{**it, "id": numbers[it["id"]]} for it in said if "op" in it or _tells(it, ops[it["id"]])]
    return [_briefly(it) for it in told]


def _tells(answer: Message, op: str) -> bool:
    return op not in READINGS or not answer["ok"]


def _briefly(message: Message) -> Message:
    match message:
        case {"op": "burst", "schedule": {} as schedule}:
            return {**message, "schedule": {"choices": schedule.get("choices", [])}}
        case {"val": {"calls": [*calls]} as history}:
            waiting = [each["who"] for each in history.get("waiting", ())]
            return {**message, "val": {"calls": list(_in_order(calls)), "waiting": waiting}}
        case {"error": {"kind": kind}}:
            return {**message, "error": {"kind": kind}}
    return message


def _in_order(calls: Sequence[Message]) -> Iterator[Message]:
    """Yield the calls of a burst, with their start and end stamps renumbered from 1."""
    drawn = sorted({stamp for call in calls for stamp in (call["start"], call["end"]) if stamp is not None})
    stamps = {stamp: n for n, stamp in enumerate(drawn, 1)} | {None: None}
    for call in calls:
        now = {**call, "start": stamps[call["start"]], "end": stamps[call["end"]]}
        if "error" in now:
            now["error"] = {"kind": now["error"]["kind"]}
        yield {name: now[name] for name in CALL if name in now}


def write(messages: Sequence[Message]) -> str:
    """Return the requests and answers as JSON, one a line; the answer to a burst has several lines.

    Characters that could end a string literal of a program are escaped.
    """
    text = ",\n".join(_write(message) for message in messages)
    return "".join(f"\\u{ord(char):04x}" if char in "`#$" else char for char in text)


def _write(message: Message) -> str:
    match message:
        case {"op": "burst", "programs": {} as programs} if programs:
            lanes = [f"{json.dumps(lane)}: {json.dumps(program)}" for lane, program in programs.items()]
            rest = {name: it for name, it in message.items() if name != "programs"}
            return _fold(json.dumps(rest)[:-1], '"programs": {', lanes) + "}}"
        case {"val": {"calls": [*calls], "waiting": waiting}} if calls:
            rest = {"id": message["id"], "ok": message["ok"], "val": {"waiting": waiting}}
            return _fold(json.dumps(rest)[:-2], '"calls": [', map(json.dumps, calls)) + "]}}"
    return json.dumps(message)


def _fold(begun: str, opens: str, each: Iterable[str]) -> str:
    return f"{begun}, {opens}\n    " + ",\n    ".join(each)
