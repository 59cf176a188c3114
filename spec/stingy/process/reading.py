"""Read a file that the user names: the file may be a device without end, or a pipe that nobody writes to."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

LARGEST = 256 << 20
"""Most bytes of such a file. The largest reports have a hundredth of that."""
SILENCE = 30.0
"""Seconds to wait for the next bytes of a pipe: its writer may have to compute them first."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Without O_NONBLOCK, opening a pipe waits for a writer. Windows has neither the flag nor such pipes."""


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file that the user names.

    Raises OSError, with a text for the user, also if it has more than ``LARGEST`` bytes, and if
    nothing comes out of a pipe or a device for ``SILENCE`` seconds.
    """
    content, opened = bytearray(), os.open(path, _FLAGS)
    try:
        known = os.fstat(opened)
        size, is_file = known.st_size, stat.S_ISREG(known.st_mode)
        while max(size, len(content)) <= LARGEST:
            if not (read := _read(opened, path, begun=is_file or bool(content))):
                return bytes(content)
            content += read
    finally:
        os.close(opened)
    raise OSError(errno.EFBIG, f"it has more than {LARGEST >> 20} MB", str(path))


def _read(opened: int, path: Path, *, begun: bool) -> bytes:
    """Return the next bytes; empty at the end. Raises OSError if none come for ``SILENCE`` seconds.

    ``begun``: False if there may be no writer yet, which looks like the end.
    """
    with suppress(BlockingIOError):
        if (read := os.read(opened, 1 << 20)) or begun:
            return read
    _wait(opened, path)
    return os.read(opened, 1 << 20)


def _wait(opened: int, path: Path) -> None:
    """Wait until there is something to read. Raises OSError if that takes too long."""
    import select

    if not hasattr(select, "poll"):
        return
    poll = select.poll()
    poll.register(opened, select.POLLIN)
    if not poll.poll(SILENCE * 1000):
        raise OSError(errno.ETIMEDOUT, f"nothing has been written to it for {SILENCE:g} s", str(path))
