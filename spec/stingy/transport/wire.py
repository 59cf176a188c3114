"""One driver process: requests out, answers in, by protocol 1. Whatever goes wrong is said in a sentence."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import IO, Any

import msgspec

from stingy.language.session import CandidateError, NotOffered
from stingy.transport import TargetError

SILENCE = 20.0
"""Seconds without an answer that was due, after which a driver is given up."""
GLANCE = 0.5
"""A wait is counted in steps of so many seconds: what a machine that stands still adds to one is not counted."""
PARTING = 2.0
"""Seconds that a driver may take to go after ``bye``."""
LINES_KEPT = 32


class Answer(msgspec.Struct, frozen=True):
    """One line of a driver."""

    id: int
    ok: bool
    val: Any = None
    error: Mapping[str, Any] | None = None


_decode = msgspec.json.Decoder(Answer).decode
_encode = msgspec.json.Encoder().encode


class Request:
    """Something asked of a driver, answered or not."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.answer: Answer | None = None

    @property
    def returned(self) -> bool:
        return self.answer is not None

    @property
    def raised(self) -> str | None:
        if self.answer is None or self.answer.ok:
            return None
        text = str((self.answer.error or {}).get("text") or "an error without a text")
        return text.encode(errors="backslashreplace").decode()

    @property
    def unsupported(self) -> bool:
        return bool(
            self.answer and not self.answer.ok and (self.answer.error or {}).get("kind") == "unsupported"
        )


class Wire:
    def __init__(self, command: str) -> None:
        words = shlex.split(command)
        if not words:
            raise TargetError("cmd: needs a command line, as in cmd:./driver")
        if shutil.which(words[0]) is None:
            raise TargetError(f"there is no command {words[0]!r} to run: build the driver, or give its path")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - to run the user's driver is the point
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise TargetError(f"{words[0]} cannot be run: {error.strerror}") from None
        self._ids = self._forgotten = 0
        self._open: dict[int, Request] = {}
        self._changed = threading.Condition()
        self._fault = ""
        self._said: dict[str, deque[str]] = {
            "output": deque(maxlen=LINES_KEPT),
            "errors": deque(maxlen=LINES_KEPT),
        }
        assert self._process.stdout
        assert self._process.stderr
        self._listeners = [
            threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._keep, args=(self._process.stderr,), daemon=True),
        ]
        for listener in reversed(self._listeners):  # the one for last words must be there for the other
            listener.start()

    @property
    def alive(self) -> bool:
        return not self._fault

    def send(self, op: str, **fields: Any) -> Request:
        """Ask, and do not wait."""
        with self._changed:
            if self._fault:
                raise CandidateError(self._fault)
            self._ids += 1
            line = _encode({"id": self._ids, "op": op, **fields})
            request = self._open[self._ids] = Request(line.decode())
        assert self._process.stdin
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except OSError:
            self._process.wait(PARTING)
            self._join()
            raise CandidateError(self._fault or self._death()) from None
        return request

    def ask(self, op: str, **fields: Any) -> Any:
        """Ask and wait for the answer, which must be a good one."""
        request = self.send(op, **fields)
        self.wait(request, SILENCE)
        if request.answer is None:
            self._give_up(f"the driver has not answered {request.text} within {SILENCE:g} s")
        if request.unsupported and op == "new":
            raise NotOffered(f"its driver refuses to make it: {request.raised}")
        if request.raised is not None:
            raise CandidateError(f"the driver answers {op} with an error: {request.raised}")
        assert request.answer
        return request.answer.val

    def forget(self) -> None:
        """Whatever has not been answered yet will not be missed: its candidate is gone."""
        with self._changed:
            self._open.clear()
            self._forgotten = self._ids

    def wait(self, request: Request, seconds: float) -> None:
        """Wait until it is answered, or so long."""
        with self._changed:
            while request.answer is None:
                if self._fault:
                    raise CandidateError(self._fault)
                if seconds <= 0:
                    return
                step, began = min(seconds, GLANCE), time.monotonic()
                self._changed.wait(step)
                seconds -= min(step, time.monotonic() - began)

    def close(self) -> None:
        """Say goodbye; leave no process behind."""
        if self._process.poll() is None and not self._fault:
            try:
                bye = self.send("bye")
                self.wait(bye, PARTING)
                self._process.wait(PARTING)
            except (CandidateError, subprocess.TimeoutExpired):
                pass
        self._kill()

    def _give_up(self, why: str) -> None:
        self._fail(why)
        self._kill()
        raise CandidateError(why + self._last_words())

    def _kill(self) -> None:
        """The driver and whatever it started: it was given a process group of its own."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self._signal_group()
        self._process.wait()
        self._join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def _signal_group(self) -> None:
        import os

        os.killpg(self._process.pid, signal.SIGKILL)

    def _join(self) -> None:
        for listener in self._listeners:
            listener.join(PARTING)

    def _listen(self, stream: IO[bytes]) -> None:
        for line in stream:
            text = line.decode(errors="replace").rstrip("\r\n")
            self._said["output"].append(text)
            try:
                answer = _decode(line)
            except msgspec.MsgspecError as error:
                self._fail(
                    f"the driver wrote {_short(text)!r} to its standard output, which is no answer ({error})"
                )
                continue
            with self._changed:
                request = self._open.pop(answer.id, None)
                if request is not None:
                    request.answer = answer
                    self._changed.notify_all()
            if request is None and answer.id > self._forgotten:
                self._fail(f"the driver answered a request that is not open: {_short(text)}")
        if not self._said["output"] or not self._fault:
            self._process.wait()
            self._fail(self._death())

    def _keep(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._said["errors"].append(line.decode(errors="replace").rstrip())

    def _fail(self, why: str) -> None:
        with self._changed:
            self._fault = self._fault or why
            self._changed.notify_all()

    def _death(self) -> str:
        status = self._process.returncode
        how = (
            f"was ended by {signal.Signals(-status).name}"
            if status and status < 0
            else f"exited with {status}"
        )
        under_way = ", ".join(request.text for request in list(self._open.values())[:3])
        return (
            f"the driver {how}"
            + (f" while it had to answer {under_way}" if under_way else "")
            + self._last_words()
        )

    def _last_words(self) -> str:
        self._listeners[1].join(0.2)
        words = list(self._said["errors"])
        return "".join(f"\n  stderr: {line}" for line in words[-8:])


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "…"
