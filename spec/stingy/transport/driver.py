"""A candidate in another process, in whatever language: what a rule asks for, said in protocol 1."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import NoneType, SimpleNamespace
from typing import Any, TypeVar

import msgspec

from stingy.contract import EndpointSlice, Nanoseconds, Profile
from stingy.language.call import Call
from stingy.language.order import Explorer, Order
from stingy.language.session import (
    CANNOT_CANCEL,
    CANNOT_STEP,
    NO_OPTIONS,
    PATIENCE,
    CandidateError,
    NotOffered,
    Op,
    Options,
    Session,
    Undecided,
)
from stingy.transport import GRACE, in_turn
from stingy.transport.programs import HAND_OUTS
from stingy.transport.realthreads import GENEROUS
from stingy.transport.target import lacking
from stingy.transport.wire import Request, Wire

PROTOCOL = 1

BURSTS = 40
"""How often a race is run: the driver cannot be told in which order."""


class Hello(msgspec.Struct):
    """How a driver introduces itself."""

    protocol: Any = None
    name: str | None = None
    version: str | None = None
    kubernetes: str | None = None
    ops: frozenset[str] = frozenset()
    capabilities: Mapping[str, Any] = {}


class Reading(msgspec.Struct):
    """What its clock shows, if it has one."""

    now_ns: int | None = None


class Made(msgspec.Struct):
    """A call of a burst."""

    lane: str
    op: str
    start: int
    item: Any = None
    end: int | None = None
    val: Any = None
    error: Mapping[str, Any] | None = None


class Burst(msgspec.Struct):
    """What its lanes have done."""

    calls: Sequence[Made]


Answered = TypeVar("Answered", Hello, Reading, Burst)


class DriverCandidate:
    def __init__(self, target: str) -> None:
        self.target = target
        self._command = target.removeprefix("cmd:")
        self._wire = Wire(self._command)
        try:
            hello = self._greet()
        except CandidateError as error:
            self._wire.close()
            raise CandidateError(f"{self._command} is no driver: {error}") from None
        if hello.protocol != PROTOCOL:
            self._wire.close()
            raise CandidateError(
                f"{self._command} speaks another protocol than {PROTOCOL}: {hello.protocol!r}"
            )
        self.name = hello.name or self._command
        self.version = hello.version or ""
        self.kubernetes = hello.kubernetes or ""
        self._ops = hello.ops
        self._capabilities = hello.capabilities
        self.controlled = bool(self._capabilities.get("settle"))
        self.grace = GRACE
        self.share: float | None = None

    def open(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        if lacks := (profile.ops | profile.tells) - self._ops:
            raise NotOffered(lacking("its driver", sorted(lacks)))
        if profile.cancels:
            raise NotOffered(CANNOT_CANCEL)
        if not self._wire.alive:
            self._wire.close()
            self._wire = Wire(self._command)
            self._greet()
        return DriverSession(self._wire, profile, options, self._capabilities, self.grace)

    def _greet(self) -> Hello:
        return _taken(Hello, "hello", self._wire.ask("hello", protocol=PROTOCOL))

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:  # noqa: ARG002 - none to choose
        return in_turn(seed * BURSTS, BURSTS, self.share)

    def release_control(self) -> bool:
        return False

    def close(self) -> None:
        self._wire.close()


class _Pending:
    """A call of a lane; its value in the terms of the contract."""

    def __init__(self, request: Request, op: str) -> None:
        self.request = request
        self._op = op

    @property
    def returned(self) -> bool:
        return self.request.returned

    @property
    def raised(self) -> str | None:
        if self.request.unsupported:
            raise NotOffered(f"its driver refuses {self._op}: {self.request.raised}")
        return self.request.raised

    @property
    def value(self) -> Any:
        return _understood(self._op, self.request.answer.val if self.request.answer else None)


class DriverSession:
    def __init__(
        self, wire: Wire, profile: Profile, options: Options, capabilities: Mapping[str, Any], grace: float
    ) -> None:
        self._grace = grace
        self._wire = wire
        self._capabilities = capabilities
        self._profile = profile
        self._options = options
        self.timed = not capabilities.get("settle")
        self._now: Nanoseconds
        self.restart()

    def restart(self) -> None:
        self._wire.forget()
        answer = self._wire.ask("new", impl=self._profile.maker, options=self._options)
        reading = _taken(Reading, "new", answer or {})
        self._now = reading.now_ns or time.time_ns()

    def call(self, lane: str, op: str, *args: Any) -> _Pending:
        if op == "sync" and args[-1]:
            self._can_step()
        return _Pending(self._wire.send(op, lane=lane, **_fields(op, args)), op)

    def cancel(self, call: object, turns: int = 0) -> None:  # noqa: ARG002
        raise NotOffered(CANNOT_CANCEL)

    def settle(self, awaiting: Any = None, patience: Nanoseconds = 0) -> None:
        if not self.timed:
            self._clock(self._wire.ask("settle"))
            if patience and self._capabilities.get("virtual_clock") and not (awaiting and awaiting.returned):
                self._clock(self._wire.ask("advance", ns=patience))
        elif awaiting is None:
            time.sleep(self._grace)
        else:
            self._wire.wait(awaiting.request, GENEROUS if patience else self._grace)

    def advance(self, span: Nanoseconds) -> None:
        if not self._capabilities.get("virtual_clock"):
            raise Undecided("its driver has no clock that can be moved")
        self._clock(self._wire.ask("advance", ns=span))

    def now_ns(self) -> Nanoseconds:
        if not self._capabilities.get("virtual_clock"):
            raise Undecided("its driver has no clock that can be moved")
        return self._now

    def step(self, span: Nanoseconds) -> None:
        self._can_step()
        self._clock(self._wire.ask("step", ns=span))

    def _can_step(self) -> None:
        if not self._capabilities.get("step"):
            raise NotOffered(CANNOT_STEP)

    def race(self, programs: Mapping[str, Sequence[Op]], order: Order) -> Sequence[Call]:
        if not self._capabilities.get("burst"):
            raise Undecided("its driver cannot run programs at once (no burst)")
        told = {lane: [_step(*op) for op in program] for lane, program in programs.items()}
        delays = any(op[0] == "add_after" for program in programs.values() for op in program)
        patience = {"ns": PATIENCE} if delays else {}  # what waits for nothing needs no time to pass
        answer = self._wire.ask("burst", programs=told, seed=order.number, **patience)
        return [_call(call) for call in _taken(Burst, "burst", answer).calls]

    def close(self) -> None:
        """The next ``new`` is a total reset."""

    def _clock(self, answer: Any) -> None:
        if isinstance(answer, dict) and isinstance(answer.get("now_ns"), int):
            self._now = answer["now_ns"]


def _fields(op: str, args: tuple[Any, ...]) -> dict[str, Any]:
    match op, args:
        case "add_after", (item, span):
            return {"item": item, "ns": span}
        case "add_with_opts", (item, priority, span, *rate_limited):
            return {"item": item, "priority": priority, "ns": span, "rate_limited": bool(sum(rate_limited))}
        case "finish", (key, kind, span):
            return {"item": key, "kind": kind, "ns": span}
        case "compute", (namespace, service, pods):
            return {"namespace": namespace, "service": service, "pods": pods}
        case "delete", (namespace, name):
            return {"namespace": namespace, "name": name}
        case "format", (instant,):
            return {"instant": instant}
        case "parse", (text,):
            return {"text": text}
        case "sync", (succeeds, takes, steps):
            stepped = {"step_ns": steps} if steps else {}
            return {"program": {"ok": succeeds, "takes_ns": takes, **stepped}}
        case _, (EndpointSlice() as slice_,):
            return {"slice": slice_}
        case _, (item,):
            return {"item": item}
    return {}


def _step(op: str, *args: Any) -> list[Any]:
    """A step of a program: an op, and the item or whatever else it goes with."""
    fields = _fields(op, args)
    return [op, args[0] if fields.keys() == {"item"} else fields] if fields else [op]


FORMS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("len", "num_requeues"), int),
    **dict.fromkeys(("shutting_down", "update", "remove", "finish"), bool),
    **dict.fromkeys(("sync", "hook_calls", "reconciles"), list),
    **dict.fromkeys(("compute", "parse"), (int, NoneType)),
    "format": (str, NoneType),
    "when": (int, float, NoneType),
    "metrics": dict,
}
"""What is answered as it is."""


def _understood(op: str, value: Any) -> Any:
    """The value in the terms of the contract; CandidateError if it is of another form."""
    try:
        return _in_contract_terms(op, value)
    except (TypeError, KeyError, ValueError, AttributeError):
        raise CandidateError(f"the driver answered {op} with {value!r}, which is of another form") from None


def _in_contract_terms(op: str, value: Any) -> Any:
    match op:
        case "get":
            return _item(value["item"]), value["shutdown"]
        case "get_with_priority":
            return _item(value["item"]), value["priority"], value["shutdown"]
        case "checkout":
            return SimpleNamespace(
                services=frozenset(value["services"]), trigger_times=value["trigger_times"]
            )
        case "metric":
            buckets = [(float("inf") if bound is None else bound, count) for bound, count in value["buckets"]]
            told = {key: value[key] for key in ("kind", "labels") if value.get(key) is not None}
            return SimpleNamespace(
                name=value["name"], buckets=buckets, count=value["count"], sum=value["sum"], **told
            )
    expected = FORMS.get(op)
    if expected is not None and not isinstance(value, expected):
        raise TypeError
    return value


def _item(item: Any) -> str | None:
    if not isinstance(item, str | None):
        raise TypeError
    return item


def _taken(kind: type[Answered], op: str, value: Any) -> Answered:
    """The answer, if it is of this form; CandidateError if it is not."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise CandidateError(f"the driver answered {op} with {_short(value)}: {error}") from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}…"


def _call(call: Made) -> Call:
    value = call.val
    if call.op == "checkout" and value is not None:
        value = _understood("checkout", value)
    if call.op in HAND_OUTS and value is not None:
        item, *_, shutdown = _understood(call.op, value)
        value, flag = item, bool(shutdown)
    else:
        flag = False
    raised = str(call.error.get("text")) if call.error else None
    return Call(call.lane, call.op, call.item, call.start, call.end, value, flag, raised)
