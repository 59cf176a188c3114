"""Connections to a driver: to a process that is started here, or to one that already listens."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol

from stingy.process.interrupt import Deferred
from stingy.transport import TargetError
from stingy.transport.child import Child
from stingy.transport.processes import Processes
from stingy.transport.watchdog import CAN_WATCH, WATCHDOG

PARTING = 2.0
"""Seconds that a driver may take to exit after ``bye``, or to accept a connection."""


MOMENT = 0.001
"""Seconds between two attempts to write to a driver that has not read what came before."""

EACH_TIME = "suppress_equal_stacks=0 suppress_equal_addresses=0"
"""Options for ``GORACE``: report a data race every time, so that a confirming run sees it again."""


class Connection(Protocol):
    """The streams of bytes to and from a driver."""

    answers: IO[bytes]
    """The driver's answers; the stream ends when the driver ends."""
    remarks: IO[bytes] | None
    """The driver's standard error; None if it cannot be read."""
    may_stand: bool
    """True if a debugger may have stopped the driver, so that a late answer is no fault."""
    processes: Processes | None
    """The driver's process and those that it has started; None if we did not start it."""

    def say(self, lines: bytes, meanwhile: Callable[[float], object] = time.sleep) -> None:
        """Send lines to the driver. Raises OSError if the driver no longer reads.

        ``meanwhile`` is called with seconds to wait if the driver is busy. It should read, because
        a driver may itself wait until its answers are read.
        """

    def hang_up(self) -> None:
        """Close the stream to the driver, after the last request."""

    def ended(self, seconds: float | None = None) -> str:
        """Wait up to ``seconds`` (None: for ever) for the driver's end, and return text that says how.

        Empty if the driver still runs.
        """

    def end(self) -> None:
        """Kill the driver's processes; if the suite did not start them, close the connection."""


def connect(target: str) -> Connection:
    """Connect to the driver that a TARGET names. Raises TargetError if that fails."""
    kind, _, where = target.partition(":")
    return Attached(where) if kind == "attach" else Spawned(where)


class Spawned:
    """A driver that the suite starts, in an operating-system session that ends with its children."""

    may_stand = False

    def __init__(self, command: str) -> None:
        try:
            words = split(command)
        except ValueError as error:
            raise TargetError(f"cmd:{command} is not a command line: {error}") from None
        if not words:
            raise TargetError("cmd: needs a command line, as in cmd:./driver")
        if shutil.which(words[0]) is None:
            raise TargetError(_say_why_it_cannot_run(words[0]))
        try:
            with Deferred(), warnings.catch_warnings():
                WATCHDOG.stand_by()
                warnings.simplefilter("ignore", DeprecationWarning)  # to enlist needs one thread
                self._process = subprocess.Popen(  # noqa: S603 - to run the user's driver is the point
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    preexec_fn=WATCHDOG.enlist if CAN_WATCH else None,  # noqa: PLW1509 - it takes no lock
                    env={**os.environ, "GORACE": f"{EACH_TIME} {os.environ.get('GORACE', '')}"},
                )
        except OSError as error:
            raise TargetError(f"{words[0]} cannot be run: {error.strerror}") from None
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._child = Child(self._process.pid) if hasattr(os, "killpg") else None
        """The same process; None on Windows, whose handles keep its number, and which has no sessions."""
        self.processes: Processes | None = Processes(self._process.pid)
        self._input = self._process.stdin
        # On Windows, a thread reads while this one writes.
        if os.name != "nt" and hasattr(os, "set_blocking"):
            os.set_blocking(self._input.fileno(), False)
        self.answers: IO[bytes] = self._process.stdout
        self.remarks: IO[bytes] | None = self._process.stderr

    def say(self, lines: bytes, meanwhile: Callable[[float], object] = time.sleep) -> None:
        _write(lambda rest: os.write(self._input.fileno(), rest), lines, meanwhile)

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._input.close()

    def ended(self, seconds: float | None = None) -> str:
        status = self._find_status(seconds)
        if status is None:
            return ""
        return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"exited with {status}"

    def _find_status(self, seconds: float | None) -> int | None:
        if self._child is not None:
            return self._child.ended(seconds)
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        if self._child is not None:
            self._process.returncode = self._child.end()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                self._process.kill()
            self._process.wait()
        self.hang_up()


def _write(write: Callable[[bytes], int], lines: bytes, meanwhile: Callable[[float], object]) -> None:
    """Write all lines; whenever there is no room for more, wait a moment by ``meanwhile``."""
    while lines:
        try:
            lines = lines[write(lines) :]
        except BlockingIOError:
            meanwhile(MOMENT)


def _say_why_it_cannot_run(command: str) -> str:
    if Path(command).is_file():
        return f"{command} cannot be run, as it is not executable: run chmod +x {command}"
    return f"there is no command {command!r} to run: build the driver, or give its path"


def split(command: str, *, backslashes: bool = os.sep == "\\") -> list[str]:
    """Split a command line into words, quoted as in a shell.

    With ``backslashes``, as in paths on Windows, a backslash is an ordinary character.
    """
    words = shlex.shlex(command, posix=True)
    words.whitespace_split, words.commenters = True, ""
    if backslashes:
        words.escape = ""
    return list(words)


class Attached:
    """A driver that already runs, perhaps in a debugger, and listens at HOST:PORT."""

    may_stand = True
    processes: Processes | None = None
    remarks: IO[bytes] | None = None

    def __init__(self, address: str) -> None:
        host, colon, port = address.rpartition(":")
        if not (host and colon and port.isdecimal()):
            raise TargetError(
                f"attach:{address} has no host and port: write attach:HOST:PORT, as in attach:localhost:4711"
            )
        try:
            self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout=PARTING)
        except (OSError, OverflowError) as error:
            raise TargetError(f"no driver listens at {address}: start it there first ({error})") from None
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answers: IO[bytes] = self._socket.makefile("rb")

    def say(self, lines: bytes, meanwhile: Callable[[float], object] = time.sleep) -> None:
        _write(self._socket.send, lines, meanwhile)

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def ended(self, seconds: float | None = None) -> str:  # noqa: ARG002 - no need to wait
        return "closed the connection"

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
