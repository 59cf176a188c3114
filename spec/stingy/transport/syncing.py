"""A sync of a proxy in this process, with what happens while it programs its rules.

Programming is a callback of ours: time passes in it, and an informer may call the proxy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

from stingy.contract import Nanoseconds
from stingy.contract.forms import Arrival, Program
from stingy.engine.task import Abort

A_MOMENT = 1e-9
"""Seconds of virtual time to wait for the informer.

They pass only when every thread waits: so they are over at once if the informer is blocked.
"""


@dataclass(frozen=True)
class Meanwhile:
    """What a transport lets happen while rules are programmed."""

    elapse: Callable[[Nanoseconds, Nanoseconds], None]
    """Takes how much time passes, and how far the wall clock is set forward, in nanoseconds."""
    moment: float
    """Seconds to wait for the informer: if it has not returned by then, it waits for the sync."""


class Sync:
    """One call of ``sync``, and the informer's calls that come in the middle of it."""

    def __init__(self, proxy: Any, meanwhile: Meanwhile, program: Program) -> None:
        self._proxy = proxy
        self._program = program
        self._meanwhile = meanwhile
        self._informer: Thread | None = None
        self._raised: BaseException | None = None

    def make(self) -> Any:
        """Call ``sync``, wait for the informer, and return the result; raise what either raised."""
        latencies = self._proxy.sync(self._program_rules)
        if self._informer is not None:
            self._informer.join()
        if self._raised is not None:
            raise self._raised
        return latencies

    def _program_rules(self) -> bool:
        self._meanwhile.elapse(self._program.takes_ns, self._program.step_ns)
        if self._program.meanwhile and self._informer is None:
            # On a thread of its own: a proxy may block it until the sync is over.
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
