"""One run of a program, for a tool that starts the threads itself; and the oracle, which is the same for all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import stingy_reference.workqueue
import torn
from faults import Fault
from stingy.language.linearizability import find_unexplained
from stingy.transport.programs import Stamps, run_program


def maker(fault: Fault) -> Callable[[], Any]:
    """What makes the candidate, with the locks that ``threading`` has at that moment.

    The candidates bind them when they are imported, which is before a tool puts its own there.
    """
    module, _, name = fault.target.partition(":")
    kind = getattr(import_module(module), name)

    def make() -> Any:
        stingy_reference.workqueue.Condition = threading.Condition
        stingy_reference.workqueue.Lock = torn.Lock = threading.Lock
        return kind()

    return make


class Play:
    """A fresh candidate after the steps that come before; ``lanes`` are to be run at once."""

    def __init__(self, fault: Fault, make: Callable[[], Any]) -> None:
        self.candidate = make()
        self._stamps = Stamps()
        for step in filter(None, fault.program.before.split(";")):
            lane, _, did = step.strip().partition(" ") if step.strip()[0].isdigit() else ("0", "", step)
            self._lane(lane, did)()
        self.lanes = [self._lane(str(n), did) for n, did in enumerate(fault.program.at_once.split("|"), 1)]

    def fault_seen(self) -> bool:
        """Whether no order of the calls explains what they answered; a call that waits has no answer yet."""
        calls = self._stamps.calls()
        return any(call.raised for call in calls) or find_unexplained(calls) is not None

    def _lane(self, lane: str, did: str) -> Callable[[], None]:
        ops = [tuple(op.split()) for op in did.split(",")]
        return run_program(self.candidate, f"lane {lane}", ops, self._stamps)
