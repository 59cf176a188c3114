"""What a candidate in this process is made with, and what the suite sees there for itself.

A driver is told the same options, and sets the same things out in its own language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stingy.contract import SECOND
from stingy.transport.calling import Made
from stingy.transport.surroundings.items import Keeper
from stingy.transport.surroundings.limiter import Scripted
from stingy.transport.surroundings.metrics import Recorder
from stingy.transport.surroundings.reconciler import AwaitedReconciler, Ending, Reconciler
from stingy.transport.surroundings.store import Store
from stingy.transport.surroundings.values import Spelled


class Surroundings:
    """Everything around one candidate; made where it is made, so that its locks are of the same kind."""

    def __init__(self, options: Mapping[str, Any], reconciler: Reconciler | AwaitedReconciler | None) -> None:
        self.arguments: dict[str, Any] = {name: _argument(name, value) for name, value in options.items()}
        """What the candidate's constructor is offered."""
        self._watches = bool(self.arguments.pop("watched", False))
        self._spells = bool(self.arguments.pop("values", False))
        self.ops: dict[str, Callable[..., Any]] = {}
        """Calls of a lane that are not for the candidate."""
        self.release: Callable[[], None] = lambda: None
        for argument in self.arguments.values():
            self.ops |= getattr(argument, "ops", {})
        if reconciler is not None:
            self.arguments["reconcile"] = reconciler.reconcile
            # Who has to be told a number of workers is told what the others would take it to be.
            self.arguments.setdefault("max_concurrent_reconciles", 1)
            self.ops |= reconciler.ops
            self.release = reconciler.release

    def around(self, candidate: Any) -> Made:
        """The candidate as it is called."""
        called = Spelled(candidate) if self._spells else candidate
        if not self._watches:
            return Made(called, self.ops, self.release, candidate)
        keeper = Keeper(called)
        return Made(keeper, self.ops | keeper.ops, self.release, candidate)


STAND_INS: Mapping[str, Callable[[], Any]] = {
    "rate_limiter": lambda: Scripted((0,)),
    "limiter": lambda: Scripted((0,)),
    "metrics": Recorder,
}
"""For a constructor that requires such a thing where the rule is about something else."""


def _argument(name: str, value: Any) -> Any:
    match name:
        case "queue":
            return Store(**value)
        case "metrics":
            return Recorder()
        case "rate_limiter" | "limiter":
            return Scripted(**value)
        case "limiters":
            return [Scripted(**each) for each in value]
    return value / SECOND if name.endswith("_delay") else value


__all__ = ["STAND_INS", "AwaitedReconciler", "Ending", "Reconciler", "Surroundings"]
