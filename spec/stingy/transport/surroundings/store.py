"""A store for the items of a work queue, which records the calls that it receives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any


class Store:
    """A store that hands out the newest item first, and leaves ``hides`` items out of its length.

    Raises RuntimeError if it is called during another call: the work queue has to prevent that.
    """

    def __init__(self, hides: int = 0) -> None:
        self._calls: list[list[str]] = []
        self._items: list[Hashable] = []
        self._hides = hides
        self._guard = threading.Lock()
        self._under_way = ""

    @property
    def ops(self) -> dict[str, Callable[..., Any]]:
        return {"hook_calls": lambda: self._calls}

    def touch(self, item: Hashable) -> None:
        with self._alone("touch"):
            self._note("touch", item)

    def push(self, item: Hashable) -> None:
        with self._alone("push"):
            self._note("push", item)
            self._items.append(item)

    def pop(self) -> Hashable:
        with self._alone("pop"):
            item = self._items.pop()
            self._note("pop", item)
            return item

    def __len__(self) -> int:
        with self._alone("len"):
            return max(0, len(self._items) - self._hides)

    @contextmanager
    def _alone(self, call: str) -> Iterator[None]:
        """Mark a call of the store as under way until the block ends.

        Raises RuntimeError if another one is. The lock is not held meanwhile, so that a call of
        another thread is noticed, not delayed.
        """
        with self._guard:
            if self._under_way:
                raise RuntimeError(f"the store is asked for {call} while {self._under_way} has not returned")
            self._under_way = call
        try:
            yield
        finally:
            with self._guard:
                self._under_way = ""

    def _note(self, call: str, item: Hashable) -> None:
        self._calls.append([call, str(item)])
