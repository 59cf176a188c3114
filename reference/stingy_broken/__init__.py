"""Implementations wrong in exactly one way, each named for its fault. Everything here is *wrong*.

Each says which rules catch it. The suite breaks if one of those lets it pass, and if any other catches
it: so these are also the proof that each rule bites.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, TypeVar

MODULES = (
    *("queues", "lengths", "races", "shutdowns", "drains"),
    *("wakeups", "atomicity", "locking", "closing", "devices"),
    *("coroutines", "hooks", "memory", "delays", "endings", "retries", "limiters"),
    *("metrics", "controllers", "priorities", "priority_steps"),
    *("triggers", "codecs", "trackers", "changes", "checkouts"),
    *("proxies", "latencies", "clocks", "histograms"),
)
"""By the part of the contract that is broken there."""

Broken = TypeVar("Broken", bound=type)


def caught_by(*rules: str) -> Callable[[Broken], Broken]:
    """Say which rules, and no others, object to this class."""

    def mark(cls: Broken) -> Broken:
        cls.caught_by = frozenset(rules)  # type: ignore[attr-defined]
        return cls

    return mark


def broken_candidates() -> Iterator[Any]:
    """Every broken class, module by module."""
    for name in MODULES:
        module = import_module(f"{__name__}.{name}")
        for thing in vars(module).values():
            if inspect.isclass(thing) and thing.__module__ == module.__name__ and "caught_by" in vars(thing):
                yield thing
