"""Sound oddities: correct work queues, each with one unusual technique.

They show that the engine can control more than a lock and a condition: other kinds of locks,
threads, timers, polls, messages, processes, memory and classes. No rule may accuse one of them, and
no run may wait for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

MODULES = (
    *("locks", "timers", "executors", "messages", "processes", "storage"),
    *("polls", "coroutines", "surroundings", "shapes", "memory", "profiles"),
)
"""Modules of this package, by the kind of technique. Each lists its classes in ``SOUND``.

No rule may accuse one of these.
"""


def oddities() -> Iterator[Callable[[], Any]]:
    """Yield all odd classes, and functions that make an odd queue, module by module."""
    for name in MODULES:
        yield from import_module(f"{__name__}.{name}").SOUND
