"""Sends requests to a driver and checks each byte that it answers, to say what is wrong."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import IO, Any

from stingy.doctor import Ill
from stingy.transport.connection import PARTING, Connection
from stingy.transport.processes import Spending
from stingy.transport.remarks import LONGEST_REMARK
from stingy.transport.wire import GLANCE, LONGEST, chunks, lines

QUIET = 1.0
"""Seconds without a further byte, after which an unfinished line is regarded as cut off."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
KINDS = ("unsupported", "raised", "protocol")
SHOWN = 8
"""Number of lines of traffic, and of standard error, that are shown if something is wrong."""


@dataclass(frozen=True)
class Reply:
    """A well-formed answer of a driver."""

    number: int
    """Its position among all answers, from 0."""
    ok: bool
    val: Any
    kind: str = ""
    text: str = ""

    @property
    def refused(self) -> bool:
        return self.kind == "unsupported"


class Conversation:
    """Sends requests to a driver; reads its answers in a thread, and checks their form."""

    def __init__(self, connection: Connection, patience: float) -> None:
        self._connection = connection
        self.patience = patience
        self._ids = 0
        self._asked: dict[int, str] = {}
        self._replies: dict[int, Reply] = {}
        self._anew: set[int] = set()
        self._abandoned: set[int] = set()
        """Requests still open when a fresh candidate was made: they must never be answered."""
        self._heard = bytearray()
        self._over = False
        """True once the driver's output has ended."""
        self._is_ended = False
        """True once the threads that read must stop."""
        self._ill: Ill | None = None
        self._changed = threading.Condition()
        self._remarks: deque[str] = deque(maxlen=SHOWN)
        self.traffic: deque[str] = deque(maxlen=SHOWN)
        self.took: list[float] = []
        """Seconds that each answer took, for requests that must be answered immediately."""
        self._listeners = [threading.Thread(target=self._listen, args=(connection.answers,), daemon=True)]
        if connection.remarks:
            self._listeners.append(
                threading.Thread(target=self._keep, args=(connection.remarks,), daemon=True)
            )
        for listener in self._listeners:
            listener.start()

    def start(self, op: str, **fields: Any) -> int:
        """Send a request for this op and return its id, without waiting for the answer."""
        id_ = self._note(op, fields)
        self._send([id_])
        return id_

    def start_together(self, *ops: str) -> list[int]:
        """Send requests for these ops in one write and return their ids."""
        ids = [self._note(op, {}) for op in ops]
        self._send(ids)
        return ids

    def _note(self, op: str, fields: Mapping[str, Any]) -> int:
        self._ids += 1
        asked = json.dumps({"id": self._ids, "op": op, **fields}, ensure_ascii=False)
        with self._changed:
            self._look()
            self._asked[self._ids] = asked
            if op == "new":
                self._anew.add(self._ids)
            self.traffic.append(f"→ {_shorten(asked)}")
        return self._ids

    def _send(self, ids: Iterable[int]) -> None:
        try:
            self._connection.say("".join(f"{self._asked[id_]}\n" for id_ in ids).encode())
        except OSError:
            self._listeners[0].join(PARTING)
            raise self.silence(self._ids) from None

    def hello(self, protocol: int, starting: float) -> Reply:
        """Send ``hello`` and return the answer; the driver has at least ``starting`` seconds."""
        id_ = self.start("hello", protocol=protocol)
        reply = self.poll(id_, max(starting, self.patience))
        if reply is None:
            raise self.silence(id_)
        return reply

    def ask(self, op: str, **fields: Any) -> Reply:
        """Send a request that the driver must answer at once, and return the answer."""
        began = time.monotonic()
        id_ = self.start(op, **fields)
        reply = self.poll(id_, self.patience)
        if reply is None:
            raise self.silence(id_)
        self.took.append(time.monotonic() - began)
        return reply

    def poll(self, id_: int, seconds: float = 0.0) -> Reply | None:
        """Return the answer to the request with this id; None if none comes within ``seconds``.

        Like all waits here, it does not count time that a busy machine gives to other processes.
        """
        spending = Spending(self._connection.processes)
        half, until = 0, inf  # in the middle of a line it may stop until then
        with self._changed:
            while id_ not in self._replies:
                self._look()
                if self._over or spending.seconds >= min(seconds, until):
                    return None
                spending.spend(self._changed.wait, seconds, GLANCE)
                if half != len(self._heard):
                    half = len(self._heard)
                    until = spending.seconds + QUIET if half else inf
            return self._replies[id_]

    def look(self) -> None:
        """Raise Ill if a fault of the driver has been found."""
        with self._changed:
            self._look()

    def ended(self, seconds: float) -> str:
        """Wait up to ``seconds`` for the driver's end, and return text that says how; empty if it runs."""
        spending, how = Spending(self._connection.processes), ""
        while not how and spending.seconds < seconds:
            how = spending.spend(self._connection.ended, seconds, GLANCE)
        return how

    def end(self) -> None:
        self._is_ended = True
        self._connection.end()
        for listener in self._listeners:
            listener.join(PARTING)
        for stream in (self._connection.answers, self._connection.remarks):
            if stream:
                stream.close()

    @property
    def remarks(self) -> list[str]:
        """The last lines of the driver's standard error."""
        return [f"stderr: {line}" for line in self._remarks]

    def _look(self) -> None:
        if self._ill:
            raise self._ill

    @property
    def going(self) -> bool:
        """True if the driver can answer: no fault was found, and its output has not ended or stalled."""
        with self._changed:
            return not (self._ill or self._over or self._heard)

    def silence(self, id_: int, *, leave: bool = False) -> Ill:
        """Return a fault that says why the answer to a request has not come in time.

        To find that out, the driver's input is closed, so that no more requests can follow. With
        ``leave``, the input is left open.
        """
        with self._changed:
            if self._ill:
                return self._ill
            half, over = bytes(self._heard), self._over
        asked = _shorten(self._asked[id_])
        if half:
            return _cut_shorten(half)
        if over:
            how = self.ended(PARTING) or "closed its standard output"
            return Ill(f"it {how} when it was asked {asked}: its standard error should say why")
        if not leave:
            self._connection.hang_up()
            spending = Spending(self._connection.processes)
            while self._listeners[0].is_alive() and spending.seconds < self.patience:
                spending.spend(self._listeners[0].join, self.patience, GLANCE)
        if id_ in self._replies or self._heard:
            return Ill(
                "it answers only when its standard input is closed: flush standard output after each answer, "
                "and read line by line instead of to the end"
            )
        return Ill(
            f"it has not answered {asked} in time: answer each request when its call "
            "returns, and keep reading while calls are under way"
        )

    def _listen(self, stream: IO[bytes]) -> None:
        for heard in chunks(stream, lambda: not self._is_ended):
            with self._changed:
                self._heard += heard
                while b"\n" in self._heard and not self._ill:
                    line, _, rest = bytes(self._heard).partition(b"\n")
                    self._heard[:] = rest
                    try:
                        self._take(line)
                    except Ill as ill:
                        self._ill = ill
                if len(self._heard) > LONGEST:
                    self._ill = self._ill or _endless(bytes(self._heard))
                if self._ill:
                    self._heard.clear()
                self._over = not heard
                self._changed.notify_all()

    def _take(self, line: bytes) -> None:
        self.traffic.append(f"← {_shorten(line.decode(errors='backslashreplace'))}")
        id_, ok, answer = _read_answer(line)
        if id_ in self._abandoned:
            raise Ill(
                f"it answered {_shorten(self._asked[id_])} after the next new: never answer a call that still waits at new"
            )
        if id_ in self._replies:
            raise Ill(f"it answered {_shorten(self._asked[id_])} twice: answer each request once")
        if id_ not in self._asked:
            raise Ill(
                f"it answered a request with the id {id_}, which was never sent: repeat the id of the request"
            )
        error = {} if ok else answer["error"]
        self._replies[id_] = Reply(
            len(self._replies), ok, answer.get("val"), error.get("kind", ""), str(error.get("text", ""))
        )
        if ok and id_ in self._anew:
            self._abandoned |= {asked for asked in self._asked if asked < id_} - self._replies.keys()

    def _keep(self, stream: IO[bytes]) -> None:
        for line in lines(stream, LONGEST_REMARK, lambda: not self._is_ended):
            self._remarks.append(_shorten(line.decode(errors="replace").rstrip()))


def _read_answer(line: bytes) -> tuple[int, bool, dict[str, Any]]:
    """Return an answer's id, its ``ok``, and the whole answer; Ill if the line is malformed."""
    shown = f"'{_shorten(line.decode(errors='backslashreplace'))}'"
    if line.startswith(BYTE_ORDER_MARK):
        raise Ill("it begins its output with a byte order mark: write UTF-8 without one")
    if line.endswith(b"\r"):
        raise Ill("it ends its lines with CR and LF: end them with LF alone, also on Windows")
    try:
        answer = json.loads(line.decode())
    except UnicodeDecodeError:
        raise Ill(f"it wrote {shown}, which is not UTF-8: write UTF-8, whatever the locale says") from None
    except json.JSONDecodeError as unread:
        raise _no_json(line, shown, unread) from None
    except RecursionError:
        raise Ill(
            f"it wrote {shown}, which is nested deeper than any answer: look for an object that contains itself"
        ) from None
    if not isinstance(answer, dict):
        raise Ill(
            f"it wrote {shown} to its standard output, which is not an answer: write an object with id, ok and val"
        )
    id_, ok = answer.get("id"), answer.get("ok")
    if not isinstance(id_, int) or isinstance(id_, bool):
        raise Ill(
            f"it answers {shown}, without a whole number as its id: repeat the id of the request as it is"
        )
    if not isinstance(ok, bool):
        raise Ill(f'it answers {shown}, without "ok": true or "ok": false: add one of them')
    error = answer.get("error")
    if not (ok or (isinstance(error, dict) and error.get("kind") in KINDS)):
        raise Ill(
            f'it answers {shown}, whose error has an unknown kind: write "error": '
            '{"kind": "unsupported", "raised" or "protocol", "text": …}'
        )
    return id_, ok, answer


def _no_json(line: bytes, shown: str, error: json.JSONDecodeError) -> Ill:
    text = line.strip()
    if error.msg == "Extra data" and text.startswith(b"{"):
        return Ill(f"it wrote {shown}, more than one answer on a line: write LF after each")
    if text in (b"{", b"["):
        return Ill("it spreads an answer over several lines: write each on one line, without indentation")
    if not text:
        return Ill(
            "it writes empty lines to its standard output: write one LF after each answer, and nothing else"
        )
    return Ill(
        f"it wrote {shown} to its standard output, which carries nothing but answers: "
        "write everything else to standard error"
    )


def _endless(begun: bytes) -> Ill:
    shown = f"'{_shorten(begun[:LONGEST_REMARK].decode(errors='backslashreplace'))}'"
    return Ill(
        f"it wrote {shown} and more than {LONGEST >> 20} MB without LF at its end: write a newline after each answer"
    )


def _cut_shorten(half: bytes) -> Ill:
    shown = f"'{_shorten(half.decode(errors='backslashreplace'))}'"
    try:
        _read_answer(half.removeprefix(BYTE_ORDER_MARK).rstrip(b"\r"))
    except Ill:
        return Ill(
            f"it wrote {shown}, half a line, and nothing after it: write each answer whole, with LF at its end, "
            "and flush it"
        )
    return Ill(f"it wrote {shown} without LF at its end: write a newline after each answer")


def _shorten(text: str) -> str:
    """Shorten a text to 120 characters, and escape control characters, to show it in a terminal."""
    plain = "".join(it if it.isprintable() else f"\\u{ord(it):04x}" for it in text)
    return plain if len(plain) <= 120 else plain[:117] + "…"
