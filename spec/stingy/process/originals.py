"""Python's builtins as they were before code of a candidate ran in this process."""

from __future__ import annotations

import builtins
from types import TracebackType
from typing import Self

APART = "judge it in a process of its own (without -s or --no-isolate; with pytest, add --stingy-isolate)"
"""Advice for a candidate that harms the process in which it is judged."""

_space = vars(builtins)

__builtins__ = dict(_space)  # type: ignore[assignment]  # a dict is allowed as well
"""Builtins for the functions below: a copy, because the candidate may replace those that others find."""

_NAMES = tuple(_space.keys() - {"_"})
"""Names of the builtins, without that which a prompt and ``gettext`` set."""


class Originals:
    """A context manager that notes whether its block replaces a builtin, and puts all of them back.

    If the block has replaced one, an error in it is dropped: the replacement may be its cause. Only an
    interrupt remains.
    """

    def __init__(self) -> None:
        self.replaced = ""
        """The builtin that the block has replaced, as in "builtins.len"; empty if none."""

    def __enter__(self) -> Self:
        self._before = dict(_space)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        for name in _NAMES:
            if name in self._before and _space.get(name) is not self._before[name]:
                self.replaced = self.replaced or f"builtins.{name}"
                _space[name] = self._before[name]
        return self.replaced != "" and not isinstance(error, KeyboardInterrupt)
