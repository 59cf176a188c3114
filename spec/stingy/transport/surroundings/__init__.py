"""Test doubles for a candidate in this process, such as a metrics provider that records values.

The candidate is constructed with them, and rules read what they recorded. A driver receives the
same options, and provides the same doubles in its own language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast
from weakref import ref

from stingy.contract import SECOND
from stingy.transport.calling import Made
from stingy.transport.surroundings.items import Keeper
from stingy.transport.surroundings.limiter import Scripted
from stingy.transport.surroundings.metrics import Recorder
from stingy.transport.surroundings.reconciler import AwaitedReconciler, Ending, Reconciler
from stingy.transport.surroundings.store import Store


class Surroundings:
    """The test doubles around one candidate, such as its store, rate limiter and metrics.

    They are created in the candidate's session, so that its scheduler controls their locks as well.
    """

    def __init__(self, options: Mapping[str, Any], reconciler: Reconciler | AwaitedReconciler | None) -> None:
        self.arguments: dict[str, Any] = {name: _argument(name, value) for name, value in options.items()}
        """Arguments that are offered to the candidate's constructor."""
        self._watches = bool(self.arguments.pop("watched", False))
        self.ops: dict[str, Callable[..., Any]] = {}
        """Functions that answer some ops in place of the candidate, by op."""
        self.release: Callable[[], None] = lambda: None
        self._reconciler = reconciler
        for argument in self.arguments.values():
            self.ops |= getattr(argument, "ops", {})
        if reconciler is not None:
            self.arguments["reconcile"] = reconciler.reconcile
            # A constructor may require a number of workers: 1 is the usual default.
            self.arguments.setdefault("max_concurrent_reconciles", 1)
            self.ops |= reconciler.ops
            self.release = reconciler.release

    def around(self, candidate: Any) -> Made:
        """Return the candidate with the test doubles' ops, and with a wrapper where a rule needs one."""
        if self._reconciler is not None:
            self._reconciler.send = _adding_to(candidate)
        if not self._watches:
            return Made(candidate, self.ops, self.release)
        keeper = Keeper(candidate)
        return Made(keeper, self.ops | keeper.ops, self.release, candidate)


def _adding_to(controller: Any) -> Callable[[str], Any]:
    """Return a function that sends an event to a controller, and does not keep it alive: it has the reconcile."""
    try:
        listens: Callable[[], Any] = ref(controller)
    except TypeError:  # an object with slots may have no place for weak references
        return cast(Callable[[str], Any], controller.add)
    return lambda key: listens().add(key)


STAND_INS: Mapping[str, Callable[[], Any]] = {
    "rate_limiter": lambda: Scripted((0,)),
    "limiter": lambda: Scripted((0,)),
    "metrics": Recorder,
}
"""Doubles for a constructor that requires one though the rule is about something else."""


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
