"""Differences between versions of CPython that the engine relies on.

Each name in capitals says what is so, with the version in which it began or ended. What a version names
differently (an opcode, an attribute) is found by looking for it, where it is used.
"""

from __future__ import annotations

import sys

NEWEST = (3, 15)
"""The last version with which the engine was tried. A later one may have instructions that it does not know."""

EVENTS_OF_CODE = sys.version_info >= (3, 12)
"""Events can be had of single code objects, by ``sys.monitoring`` (PEP 669). Before, a trace function is called for every function."""

LOCALS_ARE_WRITTEN_BACK = sys.version_info < (3, 12)
"""Locals that a trace function has read from ``f_locals`` are written back when that function returns."""

ATTRIBUTES_TELL_METHODS = sys.version_info >= (3, 12)
"""A bit of LOAD_ATTR says that the attribute is called next. Before, LOAD_METHOD does."""

NULL_IS_ON_TOP = sys.version_info >= (3, 13)
"""LOAD_GLOBAL of what is called next pushes the NULL after the value. Before, it comes first."""

LOCALS_WATCH_THREADS = sys.version_info >= (3, 13)
"""A thread-local with values of a thread has a weak reference to an object that is deleted as the thread ends."""

SLEEPS_FOR_FLOATS = sys.version_info >= (3, 15)
"""``time.sleep`` takes whatever has ``__float__``. Before, numbers of its own, and whatever has ``__index__``."""


def doubt() -> str:
    """Return why no candidate may be judged in this Python, and what to do; empty if the engine knows it."""
    found = sys.version_info[:2]
    if found <= NEWEST:
        return ""
    return (
        f"stingy knows Python up to {_written(NEWEST)}, and in {_written(found)} it may miss places where threads switch. "
        f"Use Python {_written(NEWEST)} or a newer stingy, or judge a queue for threads with --timed"
    )


def _written(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
