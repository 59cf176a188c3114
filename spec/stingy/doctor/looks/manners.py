"""Checks that a driver reads every request, answers without delay, and exits after ``bye``."""

from __future__ import annotations

from stingy.doctor import Doubt, Ill
from stingy.doctor.driver import SLOW, UNKNOWN, Driver
from stingy.transport.connection import PARTING


def reads_all_that_has_come(driver: Driver) -> str:
    conversation = driver.conversation
    first, second = conversation.start_together(UNKNOWN, UNKNOWN)
    if conversation.poll(second, conversation.patience) is None:
        if conversation.poll(first) is None:
            raise conversation.silence(first)
        raise Ill(
            "it answers only the first of two requests that arrive together: before it waits for more input, it has to "
            "serve every line that its reader has already taken in"
        )
    return ""


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
