"""How a driver is reached: as a process of its own, by its standard streams, or where one listens already."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import IO, Protocol

from stingy.interrupt import Deferred
from stingy.transport import TargetError
from stingy.transport.processes import Processes, kill_all
from stingy.transport.watchdog import WATCHDOG

PARTING = 2.0
"""Seconds that a driver may take to go after ``bye``."""


EACH_TIME = "suppress_equal_stacks=0 suppress_equal_addresses=0"
"""Go's race detector is to report a data race each time, so that it can be seen again."""


class Connection(Protocol):
    """Bytes to a driver, and from it."""

    answers: IO[bytes]
    """What it answers, until it is gone."""
    remarks: IO[bytes] | None
    """What it says besides, if that can be heard."""
    may_stand: bool
    """Whether somebody may have stopped it at a breakpoint, so that its silence means nothing."""
    processes: Processes | None
    """It and what it has started, where that is ours."""

    def say(self, line: bytes) -> None:
        """OSError if it does not listen any more."""

    def hang_up(self) -> None:
        """Say that nothing more will be said."""

    def ended(self, seconds: float | None = None) -> str:
        """How it ended, in words, when it has, or so many seconds later; empty if it has not."""

    def end(self) -> None:
        """Leave nothing of it behind."""


def connect(target: str) -> Connection:
    """The driver that a TARGET names; TargetError if there is none."""
    kind, _, where = target.partition(":")
    return Attached(where) if kind == "attach" else Spawned(where)


class Spawned:
    """A process of ours, in a group of its own, so that whatever it starts ends with it."""

    may_stand = False

    def __init__(self, command: str) -> None:
        try:
            words = split(command)
        except ValueError as error:
            raise TargetError(f"cmd:{command} is no command line: {error}") from None
        if not words:
            raise TargetError("cmd: needs a command line, as in cmd:./driver")
        if shutil.which(words[0]) is None:
            raise TargetError(_say_why_it_cannot_run(words[0]))
        try:
            with Deferred():
                self._process = subprocess.Popen(  # noqa: S603 - to run the user's driver is the point
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    env={**os.environ, "GORACE": f"{EACH_TIME} {os.environ.get('GORACE', '')}"},
                )
                WATCHDOG.guard(self._process.pid)
        except OSError as error:
            raise TargetError(f"{words[0]} cannot be run: {error.strerror}") from None
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self.processes: Processes | None = Processes(self._process.pid)
        self._input = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout
        self.remarks: IO[bytes] | None = self._process.stderr

    def say(self, line: bytes) -> None:
        self._input.write(line)
        self._input.flush()

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._input.close()

    def ended(self, seconds: float | None = None) -> str:
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return ""
        return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"exited with {status}"

    def end(self) -> None:
        if hasattr(os, "killpg"):
            kill_all(self._process.pid)
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                self._process.kill()
        self._process.wait()
        WATCHDOG.release(self._process.pid)
        self.hang_up()


def _say_why_it_cannot_run(command: str) -> str:
    if Path(command).is_file():
        return f"{command} cannot be run: it is not executable; chmod +x {command} makes it so"
    return f"there is no command {command!r} to run: build the driver, or give its path"


def split(command: str, *, backslashes: bool = os.sep == "\\") -> list[str]:
    """The words of a command line, quoted as in a shell; where paths are written with ``backslashes``, these quote nothing."""
    words = shlex.shlex(command, posix=True)
    words.whitespace_split, words.commenters = True, ""
    if backslashes:
        words.escape = ""
    return list(words)


class Attached:
    """A driver that is running already, perhaps in a debugger, and listens at HOST:PORT."""

    may_stand = True
    processes: Processes | None = None
    remarks: IO[bytes] | None = None

    def __init__(self, address: str) -> None:
        host, colon, port = address.rpartition(":")
        if not (host and colon and port.isdecimal()):
            raise TargetError(
                f"attach:{address} names no place: write attach:HOST:PORT, as in attach:localhost:4711"
            )
        try:
            self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout=PARTING)
        except (OSError, OverflowError) as error:
            raise TargetError(f"no driver listens at {address}: start it there first ({error})") from None
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answers: IO[bytes] = self._socket.makefile("rb")

    def say(self, line: bytes) -> None:
        self._socket.sendall(line)

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def ended(self, seconds: float | None = None) -> str:  # noqa: ARG002 - it is known by the end of its answers
        return "closed the connection"

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
