"""Calling an op of a candidate that is an object in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stingy.contract import Nanoseconds
from stingy.transport.target import method


class Answered:
    """A call that has been made on a lane's own thread."""

    def __init__(self) -> None:
        self.returned = False
        self.value: Any = None
        self.raised: str | None = None

    def make(self, call: Callable[[], Any]) -> None:
        """Make the call and keep what came of it."""
        try:
            self.value = call()
        except Exception as error:  # noqa: BLE001 - whatever a candidate raises is an answer
            self.raised = described(error)
        except (SystemExit, KeyboardInterrupt) as error:
            self.raised = described(error)
        self.returned = True


def described(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def operation(
    candidate: Any, op: str, args: tuple[Any, ...], elapse: Callable[[Nanoseconds], None]
) -> Callable[[], Any]:
    """The op as a call without arguments. ``elapse`` lets time pass while a sync programs the rules."""
    called = getattr(candidate, method(op))
    if op != "sync":
        return lambda: called(*args)
    succeeds, takes = args

    def program() -> bool:
        elapse(takes)
        return bool(succeeds)

    return lambda: called(program)
