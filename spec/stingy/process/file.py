"""Files: their paths for the user, and writing one atomically: completely, or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TextIO

_NOT_BESIDE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.ENAMETOOLONG}
"""Errors of creating a new file in the folder, or of moving it over the old one.

At these, ``put`` overwrites the old file in place, which may still be permitted.
"""


def from_here(file: str) -> str:
    """Return a file's path from the current folder; only its name if it is elsewhere."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path.name)


def follow_links(path: Path) -> Path:
    """Return the absolute path without links. Raises OSError for a loop of links."""
    looped = OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    try:
        place = path.resolve()
    except RuntimeError:  # until Python 3.12; since 3.13 the loop stays in the path
        raise looped from None
    if any(it.is_symlink() for it in (place, *place.parents)):
        raise looped
    return place


def put(path: Path, text: str) -> None:
    """Replace the file's text atomically: write a new file beside it, and rename that.

    A link is followed. The file's owner and permissions stay. If no file can be created beside it,
    the file is overwritten in place. To a device, a pipe or another path that ``stream`` opens, the
    text is appended. Raises OSError.
    """
    if (out := stream(path)) is not None:
        with out:
            out.write(text)
        return
    place = follow_links(path)
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    try:
        with _beside(place, text) as beside:
            _make_like(beside, place)
            beside.replace(place)
    except OSError as error:
        if error.errno not in _NOT_BESIDE:
            raise
        place.write_text(text, encoding="utf-8")


def put_anew(path: Path, text: str) -> None:
    """Replace whatever is at this path by a new file with this text; a link itself is replaced."""
    with _beside(path, text) as beside:
        beside.replace(path)


@contextmanager
def _beside(place: Path, text: str) -> Iterator[Path]:
    """Yield the path of a new file with this text in the folder of ``place``.

    After the block, the file is deleted if it is still there.
    """
    beside = place.with_name(f".{place.name}.{token_hex(4)}")
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.write(text)
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


_claimed: dict[tuple[int, int], int] = {}
"""Descriptors of pipes that ``claim`` has opened and nothing has written to yet, by device and inode."""


def claim(path: Path) -> None:
    """Open the path now for ``stream`` if it is a named pipe, before a run whose report nobody reads.

    The pipe stays open, because its reader would take a close for the end. Raises OSError if nobody
    reads from it.
    """
    try:
        there = path.stat()
    except OSError:
        return
    if stat.S_ISFIFO(there.st_mode) and not _is_a_descriptor(path):
        _claimed[there.st_dev, there.st_ino] = _open(path)


def _open(path: Path) -> int:
    """Open a path for appending. Raises OSError for a pipe that nobody reads, instead of waiting."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ENXIO and path.is_fifo():
            says = "nobody reads from this pipe, so start its reader first"
            raise OSError(errno.ENXIO, says, str(path)) from None
        raise
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(opened, True)
    return opened


def stream(path: Path) -> TextIO | None:
    """Open the path for appending if it is no ordinary file; None for an ordinary or missing file.

    It is opened if it is a device, a pipe, the file behind standard output or error, or the job
    summary of GitHub Actions, which other steps write to as well.
    """
    try:
        there = path.stat()
    except OSError:
        return None
    for output in (sys.__stdout__, sys.__stderr__):
        with suppress(OSError, ValueError, AttributeError):
            if output is not None and os.path.samestat(there, os.fstat(output.fileno())):
                output.flush()
                return os.fdopen(os.dup(output.fileno()), "w", encoding="utf-8")
    if (claimed := _claimed.pop((there.st_dev, there.st_ino), None)) is not None:
        return os.fdopen(claimed, "a", encoding="utf-8")
    return None if _is_ordinary(path, there) else os.fdopen(_open(path), "a", encoding="utf-8")


def _is_ordinary(path: Path, there: os.stat_result) -> bool:
    """Return True for a regular file that nothing else writes to; ``there``: status of the path."""
    return stat.S_ISREG(there.st_mode) and not _is_a_descriptor(path) and not _is_the_summary(there)


def _is_a_descriptor(path: Path) -> bool:
    return path.as_posix().startswith(("/dev/fd/", "/dev/std", "/proc/"))


def _is_the_summary(there: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(there, os.stat(os.environ.get("GITHUB_STEP_SUMMARY", "")))  # noqa: PTH116
    return False


def is_output(path: Path) -> bool:
    """Return True if the path leads to the file behind standard output, as /dev/stdout does."""
    with suppress(OSError, ValueError, AttributeError):
        return sys.__stdout__ is not None and os.path.samestat(path.stat(), os.fstat(sys.__stdout__.fileno()))
    return False


def is_replaced(path: Path) -> bool:
    """Return True if ``put`` creates or replaces the file; False if it appends, as to a device."""
    try:
        there = path.stat()
    except OSError:
        return True
    return _is_ordinary(path, there) and not is_output(path)


def _make_like(path: Path, other: Path) -> None:
    """Give the file ``path`` the owner and permissions of the file ``other``, if that exists."""
    with suppress(FileNotFoundError):
        known, made = other.stat(), path.stat()
        if (known.st_uid, known.st_gid) != (made.st_uid, made.st_gid):
            os.chown(path, known.st_uid, known.st_gid)
        path.chmod(stat.S_IMODE(known.st_mode))
