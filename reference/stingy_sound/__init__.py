"""Implementations that keep every rule, each in another way than the reference. Nobody may accuse them.

``oddities`` has more of them, for the sake of the engine and not of the rules: they stand in no record of who catches whom.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

MODULES = (
    *("queues", "coroutines", "delays", "limiters", "metrics"),
    *("controllers", "priorities", "triggers", "trackers", "proxies"),
)
"""By the part of the contract that they keep in other ways; ``SOUND`` lists a module's classes."""


def sound_candidates() -> Iterator[type[Any]]:
    """Every sound class, module by module."""
    for name in MODULES:
        yield from import_module(f"{__name__}.{name}").SOUND
