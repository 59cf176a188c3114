"""Implementations wrong in exactly one way, each named for its fault. Everything here is *wrong*.

Each says which rule it breaks; by which others it is found is recorded, and judged again where something has changed. So these
are also the proof that each rule bites.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, TypeVar

MODULES = (
    *("queues", "keys", "buffers", "lengths", "races", "shutdowns", "drains", "neighbours"),
    *("wakeups", "atomicity", "locking", "closing", "devices", "successions", "layers", "leases"),
    *("coroutines", "hooks", "memory", "delays", "endings", "retries", "limiters"),
    *("metrics", "controllers", "priorities", "priority_steps", "mixes"),
    *("triggers", "codecs", "trackers", "changes", "checkouts"),
    *("proxies", "latencies", "arrivals", "clocks", "histograms", "bounds"),
)
"""By the part of the contract that is broken there."""

Broken = TypeVar("Broken", bound=type)


def breaks(rule: str) -> Callable[[Broken], Broken]:
    """Say which rule the fault of this class is about. Others may object as well: ``python -m lab kills`` finds them."""

    def mark(cls: Broken) -> Broken:
        cls.about = rule  # type: ignore[attr-defined]
        return cls

    return mark


def broken_candidates() -> Iterator[Any]:
    """Every broken class, module by module."""
    for name in MODULES:
        module = import_module(f"{__name__}.{name}")
        for thing in vars(module).values():
            if inspect.isclass(thing) and thing.__module__ == module.__name__ and "about" in vars(thing):
                yield thing
