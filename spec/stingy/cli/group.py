"""The end of a command of ``stingy`` or ``stingy-kata``: exit status, errors, closed outputs."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from io import StringIO
from typing import Any, NoReturn

import click

from stingy.process import interrupt
from stingy.process.ending import GUARD
from stingy.process.intact import NotIntactError

USAGE = 4
"""``Exit.USAGE`` of ``stingy.judging.verdict``, whose import takes longer than listing commands."""
FAULT = 5
"""``Exit.FAULT`` of ``stingy.judging.verdict``, whose import may itself be what fails."""
BROKEN_PIPE = 141
"""The status that a shell reports for a process ended by SIGPIPE."""
FULL_OR_CLOSED = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF}
"""Errors of standard output or error, if they name no file: the device is full or closed."""


class Group(click.Group):
    """A click group that exits with 4 after a usage error, and with 5 after a fault of the suite.

    If the output cannot be written, the exit status is 4, or 141 for a closed pipe: neither can be
    taken for a verdict on a candidate.
    """

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        _replace_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            status = self._end(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            status = BROKEN_PIPE
        except OSError as error:
            if error.errno not in FULL_OR_CLOSED or error.filename is not None:
                raise
            _say(f"Error: the output cannot be written: {error.strerror}\n")
            # A closed terminal causes this error and an interrupt by SIGHUP.
            status = interrupt.INTERRUPTED if interrupt.is_heard() else USAGE
        if status in (BROKEN_PIPE, USAGE, interrupt.INTERRUPTED):
            _forget_output()
        GUARD.status = interrupt.status() if status == interrupt.INTERRUPTED else status
        sys.exit(GUARD.status)

    def _end(self, *args: Any, **kwargs: Any) -> int:
        """Run the command and return its exit status.

        Raises OSError if its output cannot be written.
        """
        output = sys.stdout  # on a closed pipe click replaces sys.stdout and exits with 1
        try:
            with interrupt.Interruptible():
                result = super().main(*args, **kwargs)
        except click.ClickException as error:
            from stingy.contract.testimony import in_lines

            said = StringIO()
            error.show(said)
            _say(in_lines(said.getvalue()))
            return USAGE
        except (click.exceptions.Abort, KeyboardInterrupt):
            _say(interrupt.farewell().decode())
            return interrupt.INTERRUPTED
        except SystemExit:
            if sys.stdout is not output:
                return BROKEN_PIPE
            raise
        except OSError as error:
            if error.errno in FULL_OR_CLOSED and error.filename is None:
                raise
            if not _is_somewhere():
                _say("Error: the current folder has been deleted: go to one that exists\n")
                return USAGE
            return _tell_fault(error)
        except NotIntactError as error:
            _say(f"Error: {error}\n")
            return USAGE
        except Exception as error:  # noqa: BLE001 - no exception may look like a verdict
            return _tell_fault(error)
        return result if isinstance(result, int) else 0


def _is_somewhere() -> bool:
    """Return False if the current folder was deleted; then no path from it can be used."""
    try:
        os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        return False
    return True


def _tell_fault(error: Exception) -> int:
    from stingy.contract.testimony import in_a_line, in_lines

    try:
        _say(in_lines("".join(traceback.format_exception(error))))
        _say(f"Error: a fault of stingy itself: {in_a_line(f'{type(error).__name__}: {error}')}\n")
    except Exception:  # noqa: BLE001 - a candidate in this process may have replaced anything
        os.write(
            2,
            b"Error: something in this process was replaced, so there is no report: judge the candidate without -s\n",
        )
    return FAULT


def _say(text: str) -> None:
    """Write the text to standard error; ignore a failure, so that the exit status stays the same."""
    try:
        click.echo(text, err=True, nl=False)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # so that the flush at exit does not fail


def _forget_output() -> None:
    """Discard unwritten standard output if it cannot be written, so that exit does not fail."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _replace_closed_streams() -> None:
    """Open the null device as standard output or error if that stream is closed.

    Otherwise the next file opened would get its descriptor. Writing to standard output then fails,
    as it should. Text to standard error is lost.
    """
    for name, number, how in (("stdout", 1, os.O_RDONLY), ("stderr", 2, os.O_WRONLY)):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, how), number)
            setattr(sys, name, open(number, "w", closefd=False))  # noqa: SIM115
