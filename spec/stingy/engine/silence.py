"""Silence: the engine's own code makes no trace events, though threads that are traced run it.

Where events cannot be had of single code objects, a trace function is called for every call of a
Python function, also of those with which the engine handles a lock. In the races of the reference
that would be four million calls.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from stingy.engine.cpython import EVENTS_OF_CODE

P = ParamSpec("P")
R = TypeVar("R")


def silent(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function of the engine that runs no code of the candidate, so that nothing in it is traced."""

    @wraps(function)
    def in_silence(*args: P.args, **kwargs: P.kwargs) -> R:
        if sys.gettrace() is None:
            return function(*args, **kwargs)
        state = _get_state()
        _enter(state)
        try:
            return function(*args, **kwargs)
        finally:
            _leave(state)

    return function if EVENTS_OF_CODE else in_silence


if not EVENTS_OF_CODE:
    _get_state = ctypes.pythonapi.PyThreadState_Get
    _get_state.argtypes, _get_state.restype = (), ctypes.c_void_p
    _enter, _leave = ctypes.pythonapi.PyThreadState_EnterTracing, ctypes.pythonapi.PyThreadState_LeaveTracing
    _enter.argtypes = _leave.argtypes = (ctypes.c_void_p,)
    _enter.restype = _leave.restype = None
