"""Correct implementations that work differently from the reference. No rule may accuse them.

The package ``oddities`` has more of them. Those test the engine rather than the rules, so the
record of which rule catches which candidate does not list them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

MODULES = (
    *("queues", "coroutines", "delays", "limiters", "metrics"),
    *("controllers", "priorities", "triggers", "trackers", "proxies"),
)
"""Modules of this package, by part of the contract. Each lists its classes in ``SOUND``."""


def sound_candidates() -> Iterator[type[Any]]:
    """Yield all sound classes, module by module."""
    for name in MODULES:
        yield from import_module(f"{__name__}.{name}").SOUND
