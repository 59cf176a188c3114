"""Records what a candidate prints while it is judged, and still prints it."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from _thread import get_ident
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stingy.contract.kinds import is_a
from stingy.engine.life import life_of
from stingy.language.story import Story

STREAMS = ("stdout", "stderr")
"""Names of the streams in ``sys``."""

_NUMBERED = re.compile(r"Task-\d+")
"""Names that asyncio makes up: their numbers depend on what ran before."""

_stories: Sequence[Story] = ()
"""The stories so far of the rule that is judged now; the last one records what is printed."""

_writing: set[int] = set()
"""Idents of the threads that write to an ``Overheard``.

Such a stream may write to another one; only the first of them records the text.
"""


class Overheard:
    """A stream in place of ``sys.stdout`` or ``sys.stderr``: it records what it passes on.

    A candidate may keep it, as a handler of ``logging`` does: it then records later rules as well.
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> Any:
        me = get_ident()
        if not _stories or me in _writing or not is_a(text, str):
            return self.stream.write(text)
        _stories[-1].hear(_name_lane(me), text)
        _writing.add(me)
        try:
            return self.stream.write(text)
        finally:
            _writing.discard(me)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _name_lane(ident: int) -> str:
    """Return the story's name for a thread: a lane, or a thread of the candidate; empty if unknown."""
    thread = threading._active.get(ident)  # type: ignore[attr-defined]
    if thread is None or thread is threading.main_thread():
        return ""
    life = life_of(thread)
    name = thread.name if life is None else life.name
    task = asyncio.current_task() if asyncio._get_running_loop() is not None else None
    if task is not None and not _NUMBERED.fullmatch(task.get_name()):
        name = task.get_name()
    return str(name).replace("_", " ")


@contextmanager
def overheard(stories: Sequence[Story] = ()) -> Iterator[None]:
    """Until the block ends, record what is printed in this process in the last of these stories.

    If the candidate replaces a stream, its own stream stays in place. A block without stories
    surrounds the candidate's import: handlers that keep a stream then are recorded in later blocks.
    """
    global _stories  # noqa: PLW0603
    streams = {name: getattr(sys, name) for name in STREAMS}
    ours = {
        name: Overheard(stream)
        for name, stream in streams.items()
        if stream is not None and not isinstance(stream, Overheard)
    }
    for name, stream in ours.items():
        setattr(sys, name, stream)
    before, _stories = _stories, stories
    try:
        yield
    finally:
        _stories = before
        for name, stream in ours.items():
            if getattr(sys, name, None) is stream:
                setattr(sys, name, stream.stream)
