"""Checks that a driver answers without delay, and exits after ``bye``."""

from __future__ import annotations

from stingy.doctor import Doubt, Ill
from stingy.doctor.driver import SLOW, Driver
from stingy.transport.connection import PARTING


def answers_in_time(driver: Driver) -> str:
    usual = driver.usual
    if usual > SLOW:
        raise Doubt(
            f"it takes {usual * 1000:.0f} ms for an answer, and a run asks thousands of times: check whether it "
            "sleeps or buffers its output"
        )
    return f"{usual * 1000:.1f} ms for an answer"


def goes_when_told(driver: Driver) -> str:
    bye = driver.conversation.start("bye")
    answered = driver.conversation.poll(bye, PARTING)
    how = driver.conversation.ended(PARTING)
    if not how:
        raise Ill(
            f"{PARTING:g} s after bye it still runs: answer null, and exit with status 0, even if calls still wait "
            "in the candidate"
        )
    if how not in ("exited with 0", "closed the connection"):
        raise Ill(f"after bye it {how}: exit with status 0")
    if answered is None or not answered.ok:
        raise Ill("it exits at bye without a valid answer: answer null first, and flush it")
    return ""
