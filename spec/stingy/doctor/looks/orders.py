"""Checks that a driver that claims ``schedules`` runs lanes in the order that is chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stingy.doctor import Doubt, Ill
from stingy.doctor.driver import QUEUE, Driver

SEEDS = range(1, 6)
PROGRAMS = {
    "p1": [["add", "a"], ["add", "b"]],
    "p2": [["add", "a"]],
    "w1": [["get"], ["done"]],
    "w2": [["get"]],
}


def goes_in_the_order_that_is_chosen(driver: Driver) -> str:
    if not driver.schedules:
        return f"not claimed: {driver.unscheduled}" if driver.unscheduled else "not claimed"
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    for seed in SEEDS:
        drawn = _run(driver, strategy="random", seed=seed)
        again = _run(driver, choices=drawn["choices"])
        for key in ("choices", "calls"):
            if drawn[key] != again[key]:
                raise Doubt(
                    f"a burst with the choices of an earlier one differs from it: its {key} are {json.dumps(again[key])}, but were "
                    f"{json.dumps(drawn[key])}. Something is not under control: a random number, the order of a map, or code of "
                    "another package"
                )
    left = len(driver.schedules.get("uncontrolled") or ())
    return f"{len(SEEDS)} orders, twice" + (f"; {left} places are not under control" if left else "")


def _run(driver: Driver, **schedule: Any) -> Mapping[str, Any]:
    """Run the burst of this check on a fresh queue by this schedule; return the driver's answer."""
    driver.make_queue()
    answer = driver.well("burst", programs=PROGRAMS, seed=1, schedule=schedule).val
    if not isinstance(answer, dict) or not isinstance(answer.get("choices"), list):
        raise Ill(
            f"it claims schedules, but answers a burst that has one with {json.dumps(answer)}: expected the choices that were made"
        )
    lowest = min((call["start"] for call in answer["calls"]), default=0)
    for call in answer["calls"]:  # stamps may continue from burst to burst
        call.update({key: call[key] - lowest for key in ("start", "end") if call.get(key) is not None})
    return answer
