"""The witness in a candidate's place: what a rule expects of a queue that is right by definition.

Apart from the witness, in whose file is nothing but what is to be interrupted.
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
    """Puts a witness in a candidate's place, for as long as it is asked what a rule expects."""

    def __init__(self) -> None:
        self.is_there = False
        """Whether it is the witness that is to be opened now."""

    def open(self) -> Session:
        return ControlledThreads(lambda clock: Made(Witness()), (), Habits())  # noqa: ARG005

    def keeps(self, attempt: Attempt) -> Keeps:
        """Whether the witness keeps the rule that is attempted, when this is left out of its programs."""

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
