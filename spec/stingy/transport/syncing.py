"""A sync of a proxy in this process: the rules are programmed by us, and meanwhile time passes and an informer calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

from stingy.contract import Nanoseconds
from stingy.engine.task import Abort
from stingy.forms import Arrival, Program

A_MOMENT = 1e-9
"""Seconds of virtual time: while anybody can go on, none passes."""


@dataclass(frozen=True)
class Meanwhile:
    """What a transport lets happen while the rules are programmed."""

    elapse: Callable[[Nanoseconds, Nanoseconds], None]
    """Let time pass, and the clock step."""
    moment: float
    """Seconds after which an informer that has not come back is waiting for the sync to end."""


class Sync:
    """One call of ``sync``, and the calls of an informer that come in the middle of it."""

    def __init__(self, proxy: Any, meanwhile: Meanwhile, program: Program) -> None:
        self._proxy = proxy
        self._program = program
        self._meanwhile = meanwhile
        self._informer: Thread | None = None
        self._raised: BaseException | None = None

    def make(self) -> Any:
        """What the call returns, once the informer has come back as well; raises what either has raised."""
        latencies = self._proxy.sync(self._program_rules)
        if self._informer is not None:
            self._informer.join()
        if self._raised is not None:
            raise self._raised
        return latencies

    def _program_rules(self) -> bool:
        self._meanwhile.elapse(self._program.takes_ns, self._program.step_ns)
        if self._program.meanwhile and self._informer is None:
            # On a thread of its own: a proxy may have it wait until the sync is over.
            self._informer = Thread(
                target=self._tell, args=(self._program.meanwhile,), name="informer", daemon=True
            )
            self._informer.start()
            self._informer.join(self._meanwhile.moment)
        return self._program.ok

    def _tell(self, arrivals: Sequence[Arrival]) -> None:
        try:
            for arrival in arrivals:
                getattr(self._proxy, arrival.op)(arrival.slice)
        except Abort:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a candidate raises is an answer
            self._raised = error
