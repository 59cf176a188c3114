"""A file that is written whole or not at all."""

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
"""Why nothing can be put beside a file, or in its place, though the file itself may be written."""


def put(path: Path, text: str) -> None:
    """Make it the file's text: written beside it, and then moved into its place; until then the file is as it was.

    A link goes on leading to where it leads, and what is there keeps its owner and its permissions.
    """
    if (out := stream(path)) is not None:
        with out:
            out.write(text)
        return
    try:
        place = path.resolve()
    except RuntimeError:  # so Python 3.11 says it; later ones raise what follows
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None
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
    """Put a file with this text in the place of whatever lies there: a link that somebody else has put there is not followed."""
    with _beside(path, text) as beside:
        beside.replace(path)


@contextmanager
def _beside(place: Path, text: str) -> Iterator[Path]:
    """A new file with this text, to be moved; gone after the block if it is still there."""
    beside = place.with_name(f".{place.name}.{token_hex(4)}")
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.write(text)
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def stream(path: Path) -> TextIO | None:
    """What takes one text after the other, open for the next; None for an ordinary file, which is replaced.

    So do a device, a pipe, whatever standard output goes to, and the summary of a job of GitHub's, to which other steps write, too.
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
    if stat.S_ISREG(there.st_mode) and not _is_a_descriptor(path) and not _is_the_summary(there):
        return None
    return path.open("a", encoding="utf-8")


def _is_a_descriptor(path: Path) -> bool:
    return path.as_posix().startswith(("/dev/fd/", "/dev/std", "/proc/"))


def _is_the_summary(there: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(there, os.stat(os.environ.get("GITHUB_STEP_SUMMARY", "")))  # noqa: PTH116
    return False


def _make_like(path: Path, other: Path) -> None:
    """With the owner and the permissions of the other, if there is one."""
    with suppress(FileNotFoundError):
        known, made = other.stat(), path.stat()
        if (known.st_uid, known.st_gid) != (made.st_uid, made.st_gid):
            os.chown(path, known.st_uid, known.st_gid)
        path.chmod(stat.S_IMODE(known.st_mode))
