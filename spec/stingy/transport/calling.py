"""Calling an op of a candidate that is an object in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import isawaitable
from math import isfinite
from operator import methodcaller
from typing import Any

from stingy.contract import SECOND
from stingy.engine import scarcity
from stingy.engine.task import Abort
from stingy.engine.tracing import files_of, unseen_in
from stingy.forms import Ns
from stingy.ops import OPS
from stingy.testimony import Testimony, describe
from stingy.transport.syncing import Meanwhile, Sync
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
        except Abort:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a candidate raises is an answer
            self.raised = describe_raised(error)
        self.returned = True


def describe_raised(error: BaseException) -> Testimony:
    """What a call of the candidate has raised; if it was for want of something, that is noted: later it can be had again."""
    scarcity.look_at(error)
    return describe(error)


@dataclass(frozen=True)
class Made:
    """A candidate, and what answers the calls that are not for it."""

    candidate: Any
    ops: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    release: Callable[[], None] = lambda: None
    """Let go of what its own threads may be waiting for outside it."""
    behind: Any = None
    """The candidate itself, where something of ours stands in front of it."""

    @property
    def files(self) -> frozenset[str]:
        """Those that its own code stands in."""
        return files_of(self.kind)

    @property
    def unseen(self) -> str:
        """Which of its methods nobody can be interrupted in."""
        return unseen_in(self.kind)

    @property
    def kind(self) -> type:
        """The class of the candidate itself."""
        kind: type = (self.candidate if self.behind is None else self.behind).__class__
        return kind

    @property
    def whole(self) -> Any:
        """The candidate, with what is answered for it as methods beside its own."""
        return _Whole(self)

    def telling(self, **ops: Callable[..., Any]) -> Made:
        """The same, where these calls are answered, too."""
        return replace(self, ops={**self.ops, **ops})

    def operation(self, op: str, args: tuple[Any, ...], meanwhile: Meanwhile) -> Callable[[], Any]:
        """The op as a call without arguments. ``meanwhile`` is what can happen while a sync programs."""
        if op in self.ops:
            return partial(self.ops[op], *args)
        if op == "sync":
            return Sync(self.candidate, meanwhile, *args).make
        positional, named = in_python(op, args)
        # To fetch a method may be a call of the candidate's own code.
        call = partial(methodcaller(method(op), *positional, **named), self.candidate)
        return lambda: in_nanoseconds(op, in_builtins(op, call()))


def in_builtins(op: str, answer: Any) -> Any:
    """Return an answer made of builtin types, as far as it is of others, so that a rule that looks at it runs no code of the candidate.

    What such code raises is raised here, where the call is made.
    """
    kind, due = type(answer), OPS[op].result
    if kind is int and due is int and abs(answer) > sys.maxsize:
        raise OverflowError("it is too large for a number of items")
    if kind in _BUILTIN or isawaitable(answer):
        return answer
    if due is bool:
        return bool(answer)
    return tuple(tuple.__iter__(answer)) if isinstance(answer, tuple) else answer


_BUILTIN = frozenset((bool, int, float, str, tuple, list, dict, type(None)))


class _Whole:
    __slots__ = ("_made",)

    def __init__(self, made: Made) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        return self._made.ops[name] if name in self._made.ops else getattr(self._made.candidate, name)


def in_python(op: str, args: Sequence[Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The arguments as a candidate in Python takes them; an option that is not set is left to the candidate."""
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
"""Ops whose arguments a candidate in Python is called with as they are."""


def in_nanoseconds(op: str, answer: Any) -> Any:
    """Return what a limiter says in seconds, to the nanosecond; any other answer, or what is no number, as it is."""
    is_span = OPS[op].in_seconds and isinstance(answer, int | float) and isfinite(answer)
    return round(answer * SECOND) if is_span else answer
