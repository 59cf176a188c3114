"""Sound oddities: work queues as people write them, each odd in one way. Nobody may accuse them, nor wait for ever.

Who keeps every rule in a plain way, with a lock and a condition, is judged easily. These have every other kind of lock, thread, timer,
poll, message, process, memory and class that one meets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

MODULES = (
    *("locks", "timers", "executors", "messages", "processes", "storage"),
    *("polls", "coroutines", "surroundings", "shapes", "memory", "profiles"),
)
"""By what is odd in them; ``SOUND`` lists a module's classes. No rule may accuse one of them."""


def oddities() -> Iterator[Callable[[], Any]]:
    """Every odd class, or function that makes one, module by module."""
    for name in MODULES:
        yield from import_module(f"{__name__}.{name}").SOUND
