"""Runs a rule with the witness in place of the candidate: does a correct queue keep the rule?

This is not in ``witness``, because that file has only code in which threads can be interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stingy.engine.exploration import Keeps, few_orders
from stingy.engine.shrinking import Program
from stingy.language.order import Attempt
from stingy.language.session import Session
from stingy.transport.calling import Made
from stingy.transport.threads import ControlledThreads, Habits
from stingy.transport.witness import Witness


class StandIn:
    """Opens sessions with a correct queue in place of the candidate, to check a shortened program."""

    def __init__(self) -> None:
        self.is_there = False
        """True while ``open`` of the candidate must return a session with the witness."""

    def open(self) -> Session:
        return ControlledThreads(lambda clock: Made(Witness()), (), Habits())  # noqa: ARG005

    def keeps(self, attempt: Attempt) -> Keeps:
        """Return a function that checks whether a correct queue keeps the rule that ``attempt`` runs.

        The function takes operations to leave out of the rule's programs. It returns True if the
        rule is kept without them, in a few orders.
        """

        def keeps(without: Program) -> bool:
            with self._in_place():
                return all(attempt(order) is None for order in few_orders(without))

        return keeps

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        self.is_there = True
        try:
            yield
        finally:
            self.is_there = False
