"""Items that are objects with weak references, so that rules can see whether they still exist."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import ref


class Item(str):  # noqa: SLOT000 - with slots, no weak reference to it
    """A string that can have weak references; to a queue, equal strings are the same item."""


class Keeper:
    """A wrapper of a work queue that detects memory leaks.

    Each Add passes a new object, to which only the queue and a worker have references.
    """

    def __init__(self, queue: Any) -> None:
        self._queue = queue
        self._made: list[ref[Item]] = []
        self._held: dict[str, Item] = {}

    @property
    def ops(self) -> dict[str, Callable[..., Any]]:
        return {"kept": self.kept}

    def add(self, name: str) -> Any:
        item = Item(name)
        self._made.append(ref(item))
        return self._queue.add(item)

    def get(self) -> Any:
        answer = self._queue.get()
        return self._awaited(answer) if inspect.isawaitable(answer) else self._told(answer)

    def done(self, name: str) -> Any:
        return self._queue.done(self._held.pop(name, name))

    def kept(self) -> list[str]:
        """Return the names of items that still exist in memory although no worker holds them."""
        if self._there():
            gc.collect()  # an item that only a reference cycle keeps alive does not count
        return self._there()

    def _there(self) -> list[str]:
        held = list(map(id, self._held.values()))
        there = [item for made in self._made if (item := made()) is not None]
        return sorted(str(item) for item in there if id(item) not in held)

    async def _awaited(self, answer: Awaitable[Any]) -> Any:
        return self._told(await answer)

    def _told(self, answer: Any) -> Any:
        """Return a Get's answer with a plain string as its item; unchanged if it has no item."""
        match answer:
            case (Item() as item, shutdown):
                self._held[str(item)] = item
                return str(item), shutdown
        return answer

    def __len__(self) -> int:
        return len(self._queue)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)
