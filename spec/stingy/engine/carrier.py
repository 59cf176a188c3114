"""Carriers of the controlled threads: threads of the system, or WebAssembly stacks in a browser.

A browser gives a page no threads. The choice is made once, when this module is imported, so that
no scheduling point has to make it.
"""

from __future__ import annotations

import sys

if sys.platform == "emscripten":
    from stingy.engine.stacks import (
        HAS_THREADS,
        Gate,
        Locals,
        Processor,
        allocate,
        count,
        frames_of,
        get_ident,
        get_native_id,
        is_runnable,
        processor_seconds,
        raise_in,
        spawn,
        thread_time,
    )
else:
    from stingy.engine.system import (
        HAS_THREADS,
        Gate,
        Locals,
        Processor,
        allocate,
        count,
        frames_of,
        get_ident,
        get_native_id,
        is_runnable,
        processor_seconds,
        raise_in,
        spawn,
        thread_time,
    )

__all__ = (
    "HAS_THREADS",
    "Gate",
    "Locals",
    "Processor",
    "allocate",
    "count",
    "frames_of",
    "get_ident",
    "get_native_id",
    "is_runnable",
    "processor_seconds",
    "raise_in",
    "spawn",
    "thread_time",
)
