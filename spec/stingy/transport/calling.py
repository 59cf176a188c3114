"""Calls of ops on a candidate that is an object in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import isawaitable
from math import isfinite
from operator import is_, methodcaller
from typing import Any

from stingy.contract import SECOND
from stingy.contract.forms import Ns
from stingy.contract.kinds import BUILTIN, as_it_claims, is_a
from stingy.contract.ops import OPS
from stingy.contract.testimony import Testimony, describe
from stingy.engine import scarcity
from stingy.engine.escapes import noticed_at_an_error
from stingy.engine.task import Abort
from stingy.engine.tracing import files_of, unseen_in
from stingy.transport import stop
from stingy.transport.syncing import Meanwhile, Sync
from stingy.transport.target import method


class Answered:
    """A call that a lane makes, and its outcome: the value, or a description of what it raised."""

    def __init__(self) -> None:
        self.returned = False
        self.value: Any = None
        self.raised: str | None = None

    def make(self, call: Callable[[], Any]) -> None:
        """Make the call and keep its outcome; Abort, which unwinds a thread, passes through."""
        try:
            self.value = call()
        except Abort:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a candidate raises is an answer
            self.raised = describe_raised(error)
        self.returned = True


def describe_raised(error: BaseException) -> Testimony:
    """Return text that describes the exception that a call of the candidate raised.

    A cause that is not the candidate's is recorded as well: a shortage, such as of memory, after
    which the same call may succeed, or the engine's own code, without which it may succeed.
    """
    scarcity.look_at(error)
    noticed_at_an_error(error)
    return describe(error)


@dataclass(frozen=True)
class Made:
    """A candidate that was made, and functions of the suite that answer some ops in its place."""

    candidate: Any
    ops: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    release: Callable[[], None] = lambda: None
    """End the waits of its threads in code of ours, such as in our reconcile function."""
    behind: Any = None
    """The candidate itself, if ``candidate`` is a wrapper of ours; None if it is not."""

    @property
    def files(self) -> frozenset[str]:
        """Files that contain the candidate's own code."""
        return files_of(self.kind)

    @property
    def unseen(self) -> str:
        """The candidate's code in which no thread can be preempted, and why; empty if there is none."""
        return unseen_in(self.kind)

    @property
    def kind(self) -> type:
        """Class of the candidate itself, not of a wrapper around it."""
        kind: type = (self.candidate if self.behind is None else self.behind).__class__
        return kind

    @property
    def whole(self) -> Any:
        """An object with the candidate's methods, and a method for each op that the suite answers."""
        return _Whole(self)

    def telling(self, **ops: Callable[..., Any]) -> Made:
        """Return a copy in which these functions answer ops; each keyword is the name of an op."""
        return replace(self, ops={**self.ops, **ops})

    def operation(self, op: str, args: tuple[Any, ...], meanwhile: Meanwhile) -> Callable[[], Any]:
        """Return a function without arguments that calls the op with ``args``.

        ``meanwhile`` makes time pass while a ``sync`` programs its rules; other ops ignore it.
        """
        if op in self.ops:
            return partial(self.ops[op], *args)
        if op == "sync":
            sync = Sync(self.candidate, meanwhile, *args).make
            return sync if stop.current is None else stop.current.wrap(sync)
        positional, named = in_python(op, args)
        # Looking up the method may run the candidate's code, so it is part of the call.
        call: Callable[[], Any] = partial(methodcaller(method(op), *positional, **named), self.candidate)
        if stop.current is not None:
            call = stop.current.wrap(call)
        return lambda: in_nanoseconds(op, in_builtins(op, call()))


def in_builtins(op: str, answer: Any) -> Any:
    """Return a candidate's answer in builtin types, so that reading it runs none of its code.

    This converts the answer of an op that returns a bool, a subclass of tuple, and a value that
    claims a builtin type, also inside a tuple or a list. If a ``__bool__`` of the candidate raises an
    error, it is raised here, as part of the call. Raises OverflowError for a number of items beyond
    ``sys.maxsize``.
    """
    answer, due = as_it_claims(answer), OPS[op].result
    kind = type(answer)
    if kind is int and due is int and abs(answer) > sys.maxsize:
        raise OverflowError("it is too large for a number of items")
    if is_a(answer, tuple):
        return tuple(map(as_it_claims, tuple.__iter__(answer)))
    if kind is list and not BUILTIN.issuperset(map(type, answer)):
        read = [*map(as_it_claims, answer)]
        return answer if all(map(is_, read, answer)) else read
    if kind in BUILTIN or isawaitable(answer):
        return answer
    return bool(answer) if due is bool else answer


class _Whole:
    __slots__ = ("_made",)

    def __init__(self, made: Made) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        return self._made.ops[name] if name in self._made.ops else getattr(self._made.candidate, name)


def in_python(op: str, args: Sequence[Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Convert an op's arguments for a candidate in Python; return positional and named ones.

    Spans are converted to seconds. Options without a value are left out, so the candidate's
    defaults apply.
    """
    if op in _AS_THEY_ARE:
        return args, {}
    given = [
        (argument, value / SECOND if argument.form is Ns else value)
        for argument, value in zip(OPS[op].arguments, args, strict=False)
    ]
    named = {argument.option: value for argument, value in given if argument.option and value}
    return [value for argument, value in given if not argument.option], named


_AS_THEY_ARE = frozenset(
    op.name for op in OPS.values() if not any(it.option or it.form is Ns for it in op.arguments)
)
"""Ops whose arguments are passed to a candidate in Python unchanged."""


def in_nanoseconds(op: str, answer: Any) -> Any:
    """Return a rate limiter's delay in nanoseconds instead of seconds; other answers unchanged."""
    is_span = OPS[op].in_seconds and is_a(answer, int, float) and isfinite(answer)
    return round(answer * SECOND) if is_span else answer
