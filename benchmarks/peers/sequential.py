"""Hypothesis: random sequences of calls in one thread, checked against the sequential model.

Calls that would wait are left out. The program of the fault is not used.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from hypothesis.strategies import sampled_from

from peers import Found
from peers.faults import Fault
from peers.play import maker
from stingy.language.model import ANYTHING, SHUTDOWN, State, must_return, step

BATCH = 20
"""Number of sequences between two checks of the time."""


def search(fault: Fault, seconds: float) -> Found:
    make = maker(fault)
    made = []

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)
            self.candidate = make()
            self.state = State()

        def follow(self, op: str, item: str | None = None, answer: Any = ANYTHING) -> None:
            after = step(self.state, op, item, answer)
            assert after is not None, (op, item, answer, self.state)
            self.state = after

        @rule(item=sampled_from("abc"))
        def add(self, item: str) -> None:
            self.candidate.add(item)
            self.follow("add", item)

        @precondition(lambda self: must_return(self.state, "get", None))
        @rule()
        def get(self) -> None:
            item, shutdown = self.candidate.get()
            self.follow("get", answer=SHUTDOWN if shutdown else item)

        @precondition(lambda self: self.state.processing)
        @rule(n=sampled_from(range(3)))
        def done(self, n: int) -> None:
            held = sorted(self.state.processing)
            item = held[n % len(held)]
            self.candidate.done(item)
            self.follow("done", item)

        @rule()
        def length(self) -> None:
            self.follow("len", answer=len(self.candidate))

        @rule()
        def shut_down(self) -> None:
            self.candidate.shut_down()
            self.follow("shut_down")

        @precondition(lambda self: not self.state.processing and not self.state.queue)
        @rule()
        def drain(self) -> None:
            self.candidate.shut_down_with_drain()
            self.follow("drain begins")
            self.follow("drain ends")

    how = settings(
        max_examples=BATCH,
        stateful_step_count=30,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    began = perf_counter()
    while (spent := perf_counter() - began) < seconds:
        try:
            run_state_machine_as_test(Machine, settings=how)
        except Exception:  # noqa: BLE001 - whatever it raises, it has found something
            return Found(found=True, seconds=perf_counter() - began, schedules=len(made))
    return Found(found=False, seconds=spent, schedules=len(made))
