"""One run of a program, for tools that start the threads themselves, and the oracle that all of them use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import stingy_reference.workqueue
from peers import torn
from peers.faults import Fault
from stingy.language.linearizability import find_unexplained
from stingy.transport.programs import Stamps, run_program


def maker(fault: Fault) -> Callable[[], Any]:
    """Return a function that creates the candidate with the current ``Lock`` and ``Condition``.

    A tool replaces those of ``threading``, but the candidates have bound the originals at import.
    """
    module, _, name = fault.target.partition(":")
    kind = getattr(import_module(module), name)

    def make() -> Any:
        stingy_reference.workqueue.Condition = threading.Condition
        stingy_reference.workqueue.Lock = torn.Lock = threading.Lock
        return kind()

    return make


class Play:
    """One run: a new candidate after the first steps of the fault's program.

    ``lanes`` are the functions to run at once after that.
    """

    def __init__(self, fault: Fault, make: Callable[[], Any]) -> None:
        self.candidate = make()
        self._stamps = Stamps()
        for step in filter(None, fault.program.before.split(";")):
            lane, _, did = step.strip().partition(" ") if step.strip()[0].isdigit() else ("0", "", step)
            self._lane(lane, did)()
        self.lanes = [self._lane(str(n), did) for n, did in enumerate(fault.program.at_once.split("|"), 1)]

    def fault_seen(self) -> bool:
        """Return True if a call raised an exception, or if no order of the calls explains the answers."""
        calls = self._stamps.calls()
        return any(call.raised for call in calls) or find_unexplained(calls) is not None

    def _lane(self, lane: str, did: str) -> Callable[[], None]:
        ops = [tuple(op.split()) for op in did.split(",")]
        return run_program(self.candidate, f"lane {lane}", ops, self._stamps)
