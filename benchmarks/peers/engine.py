"""stingy's own search, as in ``stingy run``, without shrinking."""

from __future__ import annotations

from itertools import count
from time import perf_counter
from typing import Annotated

from peers import Found
from peers.faults import Fault
from stingy.engine.exploration import explore
from stingy.language import Race, With
from stingy.language.order import Budget, Failure, Order
from stingy.language.rule import ORDERS
from stingy.language.stage import stage
from stingy.language.story import Story
from stingy.language.words import read
from stingy.transport.inprocess import InProcess


def search(fault: Fault, seconds: float) -> Found:
    candidate = InProcess(fault.target)

    def attempt(order: Order) -> Failure | None:
        with stage(
            candidate.open, read(Annotated[Race, With("drain")]), Story(str(order.number)), order
        ) as race:
            history = race.play(fault.program.before, fault.program.at_once)
            why = history.raised() or history.unexplained()
        return Failure(AssertionError(why), 0) if why else None

    began, runs, complete = perf_counter(), 0, False
    end = began + seconds
    for seed in count():
        explored = explore(attempt, str(seed), Budget(ORDERS, end))
        runs += explored.runs
        complete |= explored.exhaustive
        spent = perf_counter() - began
        if explored.failure is not None or perf_counter() >= end:
            break
    candidate.close()
    note = "every order was run" if complete and explored.failure is None else ""
    return Found(explored.failure is not None, spent, runs, note)
