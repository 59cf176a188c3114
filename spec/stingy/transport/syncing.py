"""Calls ``sync`` on a proxy in this process, and simulates events while it programs its rules.

The proxy programs its rules by calling a function of ours. In that function, time passes and an
informer may call the proxy.
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
"""Seconds of virtual time to wait until the informer's calls have returned.

Virtual time passes only when every thread waits, so if the informer is blocked, the wait ends
immediately.
"""


@dataclass(frozen=True)
class Meanwhile:
    """How time passes, and how long to wait for an informer, while kube-proxy programs its rules."""

    elapse: Callable[[Nanoseconds, Nanoseconds], None]
    """Makes time pass; takes the span and a further step of the wall clock, in nanoseconds."""
    moment: float
    """Seconds to wait for the informer's calls; if they take longer, the sync goes on meanwhile."""


class Sync:
    """One call of kube-proxy's ``sync``, and the informer's calls while it runs."""

    def __init__(self, proxy: Any, meanwhile: Meanwhile, program: Program) -> None:
        self._proxy = proxy
        self._program = program
        self._meanwhile = meanwhile
        self._informer: Thread | None = None
        self._raised: BaseException | None = None

    def make(self) -> Any:
        """Call ``sync``, wait for the informer's calls, and return the result of the sync.

        Raises what the sync or one of the informer's calls raises.
        """
        latencies = self._proxy.sync(self._program_rules)
        if self._informer is not None:
            self._informer.join()
        if self._raised is not None:
            raise self._raised
        return latencies

    def _program_rules(self) -> bool:
        self._meanwhile.elapse(self._program.takes_ns, self._program.step_ns)
        if self._program.meanwhile and self._informer is None:
            # The informer needs its own thread, because a proxy may block it until the sync ends.
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
