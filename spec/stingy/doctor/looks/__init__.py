"""Checks that a driver keeps to the protocol; only then can its candidate be judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stingy.doctor import Condition, Doubt, Examination, Found, Ill
from stingy.doctor.conversation import Conversation
from stingy.doctor.driver import Driver
from stingy.doctor.looks import bursts, calls, candidates, clocks, hello, manners, orders
from stingy.transport.connection import connect

LOOKS: Mapping[str, Callable[[Driver], str]] = {
    "says hello": hello.says_hello,
    "refuses what it does not know": candidates.refuses_what_it_does_not_know,
    "reads all that has come": manners.reads_all_that_has_come,
    "makes what it offers": candidates.makes_what_it_offers,
    "answers calls in their form": calls.answers_calls_in_their_form,
    "reads on while a call waits": calls.reads_on_while_a_call_waits,
    "answers settle when idle": calls.settles_when_nothing_moves,
    "starts afresh at new": candidates.begins_anew,
    "moves its clock": clocks.moves_its_clock,
    "sets its clock": clocks.sets_its_clock,
    "has the ops it claims": candidates.has_the_ops_it_claims,
    "runs programs at once": bursts.runs_programs_at_once,
    "follows the chosen order": orders.goes_in_the_order_that_is_chosen,
    "answers in time": manners.answers_in_time,
    "exits at bye": manners.goes_when_told,
}
"""The checks, in the order in which they are made: each relies on the checks before it."""


def examine(target: str, patience: float) -> Examination:
    """Check a driver, and return the results; stop at the first fault, which may cause others."""
    driver = Driver(Conversation(connect(target), patience))
    examination = Examination(target.partition(":")[2])
    try:
        for looked_at, look in LOOKS.items():
            try:
                says = look(driver) or ""
                driver.conversation.look()
                examination.found.append(Found(looked_at, Condition.WELL, says))
            except Doubt as doubt:
                examination.found.append(Found(looked_at, Condition.DOUBTFUL, str(doubt)))
            except Ill as ill:
                examination.found.append(Found(looked_at, Condition.ILL, str(ill)))
                break
    finally:
        driver.conversation.end()
    examination.title = driver.title(examination.title)
    if examination.ill:
        examination.traffic = [*driver.conversation.traffic, *driver.conversation.remarks]
    else:
        examination.summary = list(driver.summary())
    return examination
