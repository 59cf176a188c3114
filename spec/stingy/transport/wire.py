"""Sends requests to one driver and reads its answers, by protocol 1.

Every failure is raised with a sentence that describes it.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from queue import Empty, SimpleQueue
from typing import IO, Any

import msgspec

from stingy.contract.testimony import in_a_line
from stingy.language.deadline import Deadline
from stingy.language.session import (
    CandidateError,
    DataRace,
    Hangs,
    Limited,
    NotOffered,
    Uncontrolled,
    Undecided,
)
from stingy.request import Limits
from stingy.transport.connection import PARTING, Connection
from stingy.transport.lines import Lines
from stingy.transport.processes import Processes, Spending
from stingy.transport.protocol import Answer, Error, History
from stingy.transport.remarks import LONGEST_REMARK, Remarks
from stingy.transport.transcript import Transcript

SILENCE = 20.0
"""Seconds to wait for an answer that is due, until the driver is killed."""
STANDING = 300.0
"""The same for a driver that may be stopped in a debugger."""
GLANCE = 0.5
"""Longest step of a wait, in seconds.

A step never counts for more than that, so time in which the machine is suspended does not count.
"""
LONGEST = 8 << 20
"""Maximum bytes of an answer: about a thousand times as many as the longest correct ones have."""

SHORT = 120
"""Maximum characters of a driver's line in a message."""


class _Burst(Answer, frozen=True):
    """An answer to ``burst``, read at once in the form that it has to have: it may be long."""

    val: History | None = None


_decode = msgspec.json.Decoder(Answer).decode
_decode_burst = msgspec.json.Decoder(_Burst).decode
_encode = msgspec.json.Encoder().encode


class Request:
    """A request that was sent to a driver; ``answer`` is None until it is answered."""

    def __init__(self, line: bytes) -> None:
        self._line = line
        self.answer: Answer | None = None

    @property
    def text(self) -> str:
        return self._line.decode()

    @property
    def returned(self) -> bool:
        return self.answer is not None

    @property
    def raised(self) -> str | None:
        if self.answer is None or self.answer.ok:
            return None
        return describe_raise(self.answer.error)

    @property
    def kind(self) -> str:
        """Kind of the error with which the request was answered; empty if there is none."""
        error = self.answer.error if self.answer is not None and not self.answer.ok else None
        return error.kind if error is not None else ""

    @property
    def unsupported(self) -> bool:
        return self.kind == "unsupported"


class Ration:
    """Limits on the time and memory that a driver may use while one rule is judged."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._seconds = self._named = self._next_look = math.inf
        self._seen = 0.0
        self._processes: Processes | None = None
        self._spending = Spending(None)

    @contextlib.contextmanager
    def of_a_rule(self, deadline: Deadline) -> Iterator[None]:
        """Apply the limits to a rule until the block ends.

        Less time than the limit is left until the deadline if earlier attempts have taken a part of it.
        """
        self._seconds, self._named = deadline.left, max(deadline.seconds, self._limits.seconds)
        self._spending = Spending(self._processes)
        self._seen, self._next_look = time.monotonic(), 0.0
        try:
            yield
        finally:
            self._next_look = math.inf

    def exceeded(self, processes: Processes | None) -> tuple[str, str] | None:
        """Return text on the limit that is exceeded, and the option that raises it; None if none is."""
        now = time.monotonic()
        if now < self._next_look:
            return None
        passed, self._seen, self._next_look = now - self._seen, now, now + GLANCE
        if processes is not self._processes:  # the driver was started anew
            self._processes = processes
            self._spending = Spending(processes, self._spending.seconds)
        if self._spending.add(passed) > self._seconds:
            return f"has not finished the rule within {self._named:g} s", "--limit S"
        if processes is not None and processes.hold_more(self._limits.megabytes << 20):
            return f"has more than {self._limits.megabytes} MB resident", "--memory MB"
        return None


class Wire:
    """Sends requests to one driver, reads its answers, and matches them by id.

    There is no thread that reads: a wait for an answer reads all that has come. That saves two
    changes of threads for each answer.
    """

    def __init__(
        self, connection: Connection, transcript: Transcript | None = None, ration: Ration | None = None
    ) -> None:
        """Begin to read the driver's answers from the connection.

        ``transcript`` records all that is sent and received; ``ration`` limits the driver.
        """
        self._connection = connection
        self._ration = ration
        self._transcript = transcript
        self._ids = self._forgotten = 0
        self._open: dict[int, Request] = {}
        self._burst = b"\n"
        """How the answer to the last burst begins, as most drivers write it."""
        self._unsent = b""
        """Requests that go out together with the next one, or before the next read."""
        self._read = reader(connection.answers)
        self._lines = Lines(LONGEST)
        self._is_over = False
        """True once the driver's output has ended, or cannot be read any more."""
        self._fault = self._ending = ""
        self._remarks = Remarks(connection.remarks)

    @property
    def alive(self) -> bool:
        self.hear()
        return not self._fault

    def send(self, op: str, fields: Mapping[str, Any]) -> Request:
        """Send a request at the latest before the next read, and return it.

        Raises Limited if the driver exceeds its limits, Hangs or CandidateError if it has ended.
        """
        self._keep_to_ration()
        self._look_whether_alive()
        self._ids += 1
        line = _encode({"id": self._ids, "op": op, **fields})
        request = self._open[self._ids] = Request(line)
        if op == "burst":
            self._burst = b'{"id":%d,' % self._ids
        self._take_down(line)
        self._unsent += line + b"\n"
        return request

    def hear(self, seconds: float = 0.0) -> None:
        """Send what is unsent, and receive answers for so long."""
        end = time.monotonic() + seconds
        self._hear(seconds)
        while not self._is_over and (left := end - time.monotonic()) > 0:
            self._hear(left)

    def _hear(self, seconds: float) -> None:
        """Send what is unsent, and receive answers once: as soon as some come, or none after ``seconds``."""
        if self._unsent:
            self._say()
        read = None if self._is_over else self._read(seconds)
        if read is None:
            return
        for line in self._lines.split(read):
            self._take(line)
        if not read:
            self._is_over = True
            if not self._fault:
                death = self._death()
                self._ending = self._remarks.ending()
                self._fail(death)

    def _say(self) -> None:
        said, self._unsent = self._unsent, b""
        try:
            self._connection.say(said, self._hear_meanwhile)
        except OSError:
            self.hear(PARTING)
            self._fail(self._death())

    def ask(self, op: str, **fields: Any) -> Any:
        """Send a request, wait for its answer, and return the answer's value.

        Raises CandidateError if no answer comes in time. An answer that is an error is raised as
        well.
        """
        request, seconds = self.send(op, fields), STANDING if self._connection.may_stand else SILENCE
        self.wait(request, seconds)
        if request.answer is None:
            raise CandidateError(
                self._given_up(f"{_late(request, seconds)}: stingy doctor examines what it reads and answers")
            )
        return self._good(request, op)

    def greet(self, seconds: float, **fields: Any) -> Any:
        """Send ``hello`` and return the value of its answer, which comes once the driver has started.

        Raises Limited if that takes more than ``seconds``.
        """
        request = self.send("hello", fields)
        seconds = STANDING if self._connection.may_stand else seconds
        self.wait(request, seconds)
        if request.answer is None:
            raise Limited(self._given_up(_late(request, seconds)), "--start S")
        return self._good(request, "hello")

    def _good(self, request: Request, op: str) -> Any:
        if request.unsupported and op == "new":
            raise NotOffered(f"its driver refuses to make it: {request.raised}")
        if request.unsupported and op == "step":
            raise NotOffered(f"its driver refuses to set its clock: {request.raised}")
        if request.unsupported and op == "burst":
            raise Undecided(f"its driver cannot make these calls at once: {request.raised}")
        if request.kind == "uncontrolled":
            raise Uncontrolled(f"its lanes cannot be followed: {request.raised}")
        if request.kind == "restless":
            raise Undecided(f"it cannot be told what it does: {request.raised}")
        if request.kind == "panicked":
            raise Hangs(f"it ends the whole program: {request.raised}")
        if request.raised is not None:
            raise CandidateError(f"the driver answers {op} with an error: {request.raised}")
        assert request.answer
        return request.answer.val

    def forget(self) -> None:
        """Forget all unanswered requests, because their candidate is being replaced."""
        self._open.clear()
        self._forgotten = self._ids

    def wait(self, request: Request, seconds: float) -> None:
        """Wait until the request is answered, or for ``seconds``.

        Time that a busy machine gives to others is not counted, from the first ``GLANCE`` on.
        """
        spending: Spending | None = None
        while request.answer is None:
            self._look_whether_alive()
            if (spending.seconds if spending else 0.0) >= seconds:
                return
            if spending is None:  # a look at the processes takes longer than most answers
                step, began = min(seconds, GLANCE), time.monotonic()
                self._hear(step)
                if request.answer is None:
                    passed = min(step, time.monotonic() - began)
                    spending = Spending(self._connection.processes, passed)
            else:
                spending.spend(self._hear, seconds, GLANCE)
            if request.answer is None:
                self._keep_to_ration()

    def _keep_to_ration(self) -> None:
        """End the driver and raise Limited if it exceeds its limits."""
        if self._ration is not None and (exceeded := self._ration.exceeded(self._connection.processes)):
            why, option = exceeded
            self._ration = None
            raise Limited(self._given_up(f"the driver {why}"), option)

    def _hear_meanwhile(self, seconds: float) -> None:
        """Receive answers while the driver has no room for requests; raise OSError if there will be none."""
        if self._is_over:
            raise BrokenPipeError
        self._hear(seconds)
        self._keep_to_ration()

    def look_for_races(self) -> None:
        """Raise DataRace if the driver's race detector has reported one since the last query."""
        for race in self._remarks.races():
            if self._transcript is not None:
                self._transcript.data_race = True
            raise DataRace(race)

    def _take_down(self, line: bytes) -> None:
        if self._transcript is not None:
            self._transcript.lines.append(line)

    def _look_whether_alive(self) -> None:
        """Raise Hangs if the candidate ended the driver, CandidateError if it is otherwise gone."""
        if self._ending:
            raise Hangs(f"it ends the whole program: {self._ending}")
        if self._fault:
            raise CandidateError(self._fault)

    def close(self) -> None:
        """Send ``bye``, and end all processes of the driver."""
        self._ration = None
        with contextlib.suppress(CandidateError, Hangs):
            self.wait(self.send("bye", {}), PARTING)
            self._connection.ended(PARTING)
        self._kill()

    def _given_up(self, why: str) -> str:
        self._fail(why)
        self._kill()
        return why + self._last_words()

    def _kill(self) -> None:
        self._fail("the driver has been closed")
        self._is_over, self._unsent = True, b""
        self._connection.end()
        self._remarks.close()
        for stream in (self._connection.answers, self._connection.remarks):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def _take(self, line: bytes) -> None:
        """Match an answer with its request, or note what is wrong with the line."""
        try:
            answer = self._read_burst(line) or _decode(line)
        except (msgspec.MsgspecError, RecursionError) as error:
            self._fail(
                f"the driver wrote {_short(line)!r} to its standard output, which is {_no(line, error)}"
            )
            self._is_over |= _is_cut(line, LONGEST)  # where the next line begins is unknown
            return
        request = self._open.pop(answer.id, None)
        if request is not None:
            request.answer = answer
            self._take_down(line)
        elif answer.id > self._forgotten:
            self._fail(f"the driver answered a request that is not open: {in_a_line(_short(line))}")

    def _read_burst(self, line: bytes) -> Answer | None:
        """Return the answer to a burst; None for other answers, or if it has not the form of one."""
        if line.startswith(self._burst):
            with contextlib.suppress(msgspec.MsgspecError, RecursionError):
                return _decode_burst(line)
        return None

    def _fail(self, why: str) -> None:
        self._fault = self._fault or why

    def _death(self) -> str:
        under_way = ", ".join(request.text for request in list(self._open.values())[:3])
        return (
            f"the driver {self._connection.ended(PARTING) or 'closed its standard output'}"
            + (f" while it had to answer {under_way}" if under_way else "")
            + self._last_words()
        )

    def _last_words(self) -> str:
        return "".join(f"\n  stderr: {line}" for line in self._remarks.last()[-8:])


def lines(stream: IO[bytes], longest: int, goes_on: Callable[[], bool]) -> Iterator[bytes]:
    """Yield each line, or piece of ``longest`` bytes, until the stream ends or ``goes_on()`` is false."""
    lines = Lines(longest)
    for read in chunks(stream, goes_on):
        yield from lines.split(read)


def reader(stream: IO[bytes]) -> Callable[[float], bytes | None]:
    """Return a function that returns the next bytes of a stream, ``b""`` at its end.

    The function's argument is the seconds to wait; if none come in that time, it returns None. Except
    on Windows, it never blocks in a read, because a process that a driver has left behind may keep
    the stream open for hours.
    """
    file = stream.fileno()
    if os.name == "nt":  # Windows cannot poll a pipe
        heard: SimpleQueue[bytes] = SimpleQueue()

        def listen() -> None:
            while read := _read(file):
                heard.put(read)
            heard.put(b"")

        threading.Thread(target=listen, daemon=True).start()

        def dequeue(seconds: float) -> bytes | None:
            with contextlib.suppress(Empty):
                return heard.get(timeout=max(seconds, 0.001))
            return None

        return dequeue
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return lambda seconds: _read(file) if poll.poll(seconds * 1000) else None


def _read(file: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(file, 1 << 16)
    return b""


def chunks(stream: IO[bytes], goes_on: Callable[[], bool]) -> Iterator[bytes]:
    """Yield bytes of a stream as they arrive, until it ends or ``goes_on()`` is false; then ``b""``."""
    with contextlib.suppress(OSError, ValueError):
        read = reader(stream)
        while goes_on() and (heard := read(GLANCE)) != b"":
            if heard:
                yield heard
    yield b""


def _is_cut(line: bytes, longest: int) -> bool:
    return len(line) == longest and not line.endswith(b"\n")


def _no(line: bytes, error: Exception) -> str:
    """Return a clause that says why a driver's line is not an answer."""
    if _is_cut(line, LONGEST):
        return f"not an answer: an answer has at most {LONGEST >> 20} MB"
    if isinstance(error, RecursionError):
        return "not an answer: it is nested too deep"
    return f"not an answer ({error})"


def describe_raise(error: Error | None) -> str:
    """Return a driver's text for what a call raised; a fixed text if the driver gives none."""
    return in_a_line((error and error.text) or "an error without a text")


def _late(request: Request, seconds: float) -> str:
    return f"the driver has not answered {request.text} within {seconds:g} s"


def _short(line: bytes) -> str:
    text = line[:LONGEST_REMARK].decode(errors="replace").rstrip("\r\n")
    return text if len(text) <= SHORT else text[: SHORT - 3] + "…"
