"""Checks that the clocks that a driver claims to move are the ones that its candidate reads."""

from __future__ import annotations

import time
from itertools import pairwise

from stingy.contract import MILLISECOND, SECOND
from stingy.doctor import Doubt, Ill
from stingy.doctor.driver import NOTHING, Driver

STEPS = (5 * SECOND, -5 * SECOND)


def moves_its_clock(driver: Driver) -> str:
    if not driver.can("virtual_clock"):
        return "not claimed"
    delays = "delay" in driver.offered and driver.make("delay").ok
    if not delays:
        driver.make_any()
    before = driver.reading(driver.well("advance", ns=MILLISECOND))
    time.sleep(NOTHING)
    still = driver.reading(driver.settle()) if driver.can("settle") else before
    if still != before:
        raise Ill(
            f"its clock advanced by {still - before} ns by itself: a virtual clock moves only by advance"
        )
    after = driver.reading(driver.well("advance", ns=SECOND))
    resolution = (driver.hello["capabilities"]).get("resolution_ns") or 1
    if abs(after - before - SECOND) >= resolution:
        moved = "did not move" if after == before else f"moved by {after - before} ns"
        raise Ill(
            f"it was asked to advance by {SECOND} ns, and its clock {moved}: move the clock that the candidate "
            "reads, or do not claim virtual_clock"
        )
    if delays:
        _fires_after_a_second(driver)
    return ""


def _fires_after_a_second(driver: Driver) -> None:
    """Raise Doubt if an item added with a delay does not come after the driver advanced its clock."""
    waits = driver.conversation.start("get", lane="w1")
    driver.call("p1", "add_after", item="late", ns=SECOND)
    driver.settle()
    driver.well("advance", ns=2 * SECOND)
    if driver.conversation.poll(waits, NOTHING) is None:
        raise Doubt(
            "an item that was added with a delay of one second is not handed out after two: check that the "
            "candidate reads the clock that advance moves"
        )


def sets_its_clock(driver: Driver) -> str:
    if not driver.can("step"):
        return "not claimed"
    driver.make_any()
    readings = []
    for span in (0, *STEPS):
        reply = driver.conversation.ask("step", ns=span)
        if reply.refused:
            return "refused by the first candidate that it makes"
        if not reply.ok:
            raise Ill(f"it claims step, but answers it with an error: {reply.text}")
        readings.append(driver.reading(reply))
    for (before, after), span in zip(pairwise(readings), STEPS, strict=True):
        if after != before + span:
            raise Ill(
                f"it was asked to step by {span} ns, and its wall clock moved by {after - before} ns: set the "
                "clock that the candidate reads, or do not claim step"
            )
    return ""
