"""Items that are not strings: numbers, bytes, tuples and whatever else a literal can spell."""

from __future__ import annotations

import inspect
from ast import literal_eval
from collections.abc import Awaitable
from typing import Any


class Spelled:
    """A wrapper of a work queue whose callers write an item as text, such as ``(1, 2)``.

    The queue gets the value that the text means.
    """

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    def add(self, name: str) -> Any:
        return self._queue.add(_spell(name))

    def add_after(self, name: str, seconds: float) -> Any:
        return self._queue.add_after(_spell(name), seconds)

    def get(self) -> Any:
        answer = self._queue.get()
        return self._awaited(answer) if inspect.isawaitable(answer) else _name(answer)

    def done(self, name: str) -> Any:
        return self._queue.done(_spell(name))

    def __len__(self) -> int:
        return len(self._queue)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    async def _awaited(self, answer: Awaitable[Any]) -> Any:
        return _name(await answer)


def _spell(name: str) -> Any:
    """Return the value of the literal in an item's name, without the name's prefix.

    The prefix ends with the first dash; it is a salt that makes names differ from run to run.
    """
    return literal_eval(name.partition("-")[2] or name)


def _name(answer: Any) -> Any:
    """Return a Get's answer with ``repr(item)`` in place of the item; unchanged if it has none."""
    match answer:
        case (item, False as shutdown):
            return repr(item), shutdown
    return answer
