"""A store for a work queue to keep its items in, which takes note of what it is asked."""

from __future__ import annotations

from collections.abc import Hashable


class Store:
    """Hands out what came last, and keeps back what it is told to hide."""

    def __init__(self, hides: int = 0) -> None:
        self.ops = {"hook_calls": lambda: self._calls}
        self._calls: list[list[str]] = []
        self._items: list[Hashable] = []
        self._hides = hides

    def touch(self, item: Hashable) -> None:
        self._note("touch", item)

    def push(self, item: Hashable) -> None:
        self._note("push", item)
        self._items.append(item)

    def pop(self) -> Hashable:
        item = self._items.pop()
        self._note("pop", item)
        return item

    def __len__(self) -> int:
        return max(0, len(self._items) - self._hides)

    def _note(self, call: str, item: Hashable) -> None:
        self._calls.append([call, str(item)])
