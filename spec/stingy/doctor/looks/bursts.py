"""Checks that a driver runs programs concurrently and reports every call that they make."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stingy.doctor import Ill
from stingy.doctor.driver import QUEUE, Driver


def runs_programs_at_once(driver: Driver) -> str:
    if not driver.can("burst"):
        return "not claimed"
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    driver.make_queue()
    programs = {"w1": [["get"], ["done"], ["get"]], "p1": [["add", "a"], ["add", "b"]]}
    answer = driver.well("burst", programs=programs, seed=1).val
    calls = answer.get("calls") if isinstance(answer, dict) else None
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise Ill(
            f'it answers burst with {json.dumps(answer)}: expected {{"calls": […]}}, a history of all calls'
        )
    _look_at_stamps(calls)
    added = [call.get("item") for call in calls if call.get("lane") == "p1" and call.get("op") == "add"]
    if added != ["a", "b"]:
        raise Ill(
            f"a burst was to add a and b on lane p1, but its history has {json.dumps(added)}: report each call, with lane, op and item"
        )
    if not any(call.get("lane") == "w1" and call.get("op") == "get" for call in calls):
        raise Ill(
            "a burst was to call Get on lane w1, but its history does not have it: report each call, also one that has not returned"
        )
    return ""


def _look_at_stamps(calls: Sequence[Mapping[str, Any]]) -> None:
    stamps = [call.get(key) for call in calls for key in ("start", "end")]
    for call in calls:
        start, end = call.get("start"), call.get("end")
        if not isinstance(start, int) or not (end is None or (isinstance(end, int) and end > start)):
            raise Ill(
                f"a burst reports {json.dumps(call)}: expected start, drawn before the call, and a greater end, drawn "
                "after it, or null for a call that has not returned"
            )
    drawn = [stamp for stamp in stamps if stamp is not None]
    if len(set(drawn)) != len(drawn):
        raise Ill(
            "two stamps of a burst are the same: draw all of them from one counter, of which each number is drawn once"
        )
