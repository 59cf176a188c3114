"""What carries the threads under control: where one stops and goes on, and what can be told of it from outside.

Threads of the operating system; stacks of the page's own in a browser, which has none. Chosen where Python starts, so that nobody
has to ask at a scheduling point.
"""

from __future__ import annotations

import sys

if sys.platform == "emscripten":
    from stingy.engine.stacks import (
        HAS_THREADS,
        LOCALS_STAY,
        Gate,
        Processor,
        allocate,
        count,
        frames_of,
        get_ident,
        get_native_id,
        is_runnable,
        own_locals,
        processor_seconds,
        raise_in,
        spawn,
        take_locals,
        thread_time,
    )
else:
    from stingy.engine.system import (
        HAS_THREADS,
        LOCALS_STAY,
        Gate,
        Processor,
        allocate,
        count,
        frames_of,
        get_ident,
        get_native_id,
        is_runnable,
        own_locals,
        processor_seconds,
        raise_in,
        spawn,
        take_locals,
        thread_time,
    )

__all__ = (
    "HAS_THREADS",
    "LOCALS_STAY",
    "Gate",
    "Processor",
    "allocate",
    "count",
    "frames_of",
    "get_ident",
    "get_native_id",
    "is_runnable",
    "own_locals",
    "processor_seconds",
    "raise_in",
    "spawn",
    "take_locals",
    "thread_time",
)
