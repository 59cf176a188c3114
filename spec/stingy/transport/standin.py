"""Puts the witness in a candidate's place, to find out what a rule expects of a correct queue.

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
    """Opens sessions with a witness in a candidate's place while a shortened program is checked."""

    def __init__(self) -> None:
        self.is_there = False
        """True while sessions are to be opened with the witness."""

    def open(self) -> Session:
        return ControlledThreads(lambda clock: Made(Witness()), (), Habits())  # noqa: ARG005

    def keeps(self, attempt: Attempt) -> Keeps:
        """Return a function that tells whether the witness keeps the rule without some operations.

        The rule is the attempted one; the operations are left out of its programs.
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
