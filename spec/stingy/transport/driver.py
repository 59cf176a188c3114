"""A candidate in another process, in any language: a rule's calls are sent to it by protocol 1."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from stingy.contract import MINUTE, Nanoseconds, Profile
from stingy.contract.forms import Changes, HandedOut, HandedOutWithPriority, Histogram, Ns, Program, is_record
from stingy.contract.ops import OPS, OPTIONAL, PAUSE, READ_AGAIN
from stingy.contract.testimony import NAME, in_a_line, show
from stingy.engine.exploration import replay
from stingy.language.call import Call
from stingy.language.deadline import Deadline
from stingy.language.order import Attempt, Explored, Explorer, Order, within
from stingy.language.session import (
    CANNOT_CANCEL,
    CANNOT_PAUSE,
    CANNOT_SEE_ALARMS,
    CANNOT_STEP,
    CANNOT_TELL_MEANWHILE,
    NO_OPTIONS,
    NOT_REREAD,
    ONE_AT_A_TIME,
    ONLY_TEXTS,
    PATIENCE,
    CandidateError,
    Hangs,
    Limited,
    NotOffered,
    Operation,
    Options,
    Session,
    Undecided,
)
from stingy.request import HELLO, Limits
from stingy.transport import GRACE, in_turn, protocol, scheduled
from stingy.transport.connection import connect
from stingy.transport.protocol import PROTOCOL, VALUES
from stingy.transport.realthreads import GENEROUS
from stingy.transport.scheduled import CHOICES, explore
from stingy.transport.shortcuts import none_to_take
from stingy.transport.standin import StandIn
from stingy.transport.target import lacking
from stingy.transport.transcript import Transcript
from stingy.transport.wire import Ration, Request, Wire, describe_raise

BURSTS = 40
"""Number of runs of a race if the driver does not let the order of lanes be chosen."""
STEPS_A_LOOK = 20
"""A driver's steps that count as one in ``looks``: they take as long as one wake-up here."""
MOST_NS = 1 << 63
"""Largest clock reading that is accepted, in nanoseconds before or after 1970."""
A_DAY = 24 * 60 * MINUTE
"""Most virtual time, in nanoseconds, that one request lets pass, so that it is answered soon.

If a candidate reads the clock twice a virtual second, a day passes in one or two real seconds.
"""
GENEROUSLY = MINUTE
"""Virtual time, in nanoseconds, after which a call that still runs is reported as stuck."""


class DriverCandidate:
    """A candidate behind a driver. If the driver has died, the next session starts it again."""

    def __init__(
        self,
        target: str,
        start: float = HELLO,
        transcript: Transcript | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Start the driver, or connect to it, and read its ``hello``.

        ``start``: seconds until that must come. ``transcript`` records all requests and answers;
        None for no record. Raises CandidateError if the driver cannot be used.
        """
        self.target = target
        self._start = start
        self._transcript = transcript
        called = target.partition(":")[2]
        limits = limits or Limits()
        self.limit = limits.seconds
        self._ration = Ration(limits)
        self._wire = Wire(connect(target), transcript, self._ration)
        try:
            hello = self._greet()
        except (CandidateError, Hangs, Limited) as error:
            self._wire.close()
            raise CandidateError(f"{called} cannot be used as a driver: {error}") from None
        self.name = in_a_line(hello.name or called, NAME)
        self.version = in_a_line(hello.version or "", NAME)
        self.kubernetes = hello.kubernetes or ""
        self._ops = frozenset(hello.ops)
        self._capabilities = hello.capabilities
        self.controlled = self._capabilities.settle
        self.grace = GRACE
        self.share: float | None = None
        self.shortcuts = none_to_take()
        words = shlex.split(target.removeprefix("cmd:")) if target.startswith("cmd:") else []
        self.files = [word for word in words if Path(word).is_file()]
        self.shrinks = True
        self._released = False
        self._stand_in = StandIn()

    def held(self, deadline: Deadline) -> AbstractContextManager[None]:
        return self._ration.of_a_rule(deadline)

    def open(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        if lacks := (profile.ops | profile.tells) - self._ops:
            raise NotOffered(lacking("its driver", sorted(lacks)))
        if profile.cancels:
            raise NotOffered(CANNOT_CANCEL)
        if profile.any_value:
            raise NotOffered(ONLY_TEXTS)
        if self._stand_in.is_there:
            return self._stand_in.open()
        if not self._wire.alive:
            self._wire.close()
            self._wire = Wire(connect(self.target), self._transcript, self._ration)
            self._greet()
        return DriverSession(
            self._wire,
            profile,
            options,
            self._capabilities,
            self.grace,
            controlled=self._scheduled,
            further=self._ops & OPTIONAL,
        )

    def _greet(self) -> protocol.Greeting:
        hello = self._wire.greet(self._start, protocol=PROTOCOL)
        if isinstance(hello, dict) and hello.get("protocol") != PROTOCOL:
            raise CandidateError(
                f"it speaks protocol {show(hello.get('protocol'))}, but this version of stingy speaks protocol {PROTOCOL}"
            )
        greeting: protocol.Greeting = understand("hello", hello)
        return greeting

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:  # noqa: ARG002 - all alike
        if not self._scheduled:
            return in_turn(seed * BURSTS, BURSTS, self.share)

        def explorer(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
            if order:
                return replay(attempt, CHOICES, order)
            budget = within(runs, self.share, small=small)
            keeps = self._stand_in.keeps(attempt) if self.shrinks else None
            return explore(attempt, seed, budget, keeps, tells_steps=self._tells_steps)

        return explorer

    @property
    def _scheduled(self) -> bool:
        """True if the driver lets the suite choose the order of lanes, and the suite still does."""
        return self._capabilities.schedules is not None and not self._released

    @property
    def _tells_steps(self) -> bool:
        schedules = self._capabilities.schedules
        return schedules is not None and schedules.footprints

    def place(self, op: str) -> str:  # noqa: ARG002 - a driver's code is in another process
        return ""

    def release_control(self) -> bool:
        had, self._released = self._scheduled, True
        if had and self.target.startswith("cmd:"):
            # A thread out of control may keep the driver busy for ever: let it be started again.
            self._wire.close()
        return had

    def close(self) -> None:
        self._wire.close()


class _Pending:
    """A call on a lane of a driver; ``value`` is its result, converted to types of the contract."""

    def __init__(self, wire: Wire, request: Request, op: str) -> None:
        self._wire = wire
        self.request = request
        self._op = op

    @property
    def returned(self) -> bool:
        if not self.request.returned:
            self._wire.hear()
        return self.request.returned

    @property
    def raised(self) -> str | None:
        if self.request.unsupported:
            raise NotOffered(f"its driver refuses {self._op}: {self.request.raised}")
        return self.request.raised

    @property
    def value(self) -> Any:
        if self.raised is not None:
            raise CandidateError(f"the driver answers {self._op} with an error: {self.raised}")
        return understand(self._op, self.request.answer.val if self.request.answer else None)


class DriverSession:
    """A session with a fresh candidate behind a driver."""

    deaths = ()
    shares = False

    def __init__(
        self,
        wire: Wire,
        profile: Profile,
        options: Options,
        capabilities: protocol.Capabilities,
        grace: float,
        *,
        controlled: bool = False,
        further: frozenset[str] = frozenset(),
    ) -> None:
        self._grace = grace
        self._wire = wire
        self._capabilities = capabilities
        self._profile = profile
        self._options = options
        self._scheduled = controlled
        self._further = further
        self.timed = not capabilities.settle
        self.looks: int | None = None
        self._now: Nanoseconds
        self.restart()

    def another(self) -> Session:
        raise NotOffered(ONE_AT_A_TIME)

    def restart(self) -> None:
        self._wire.forget()
        released = self._capabilities.schedules is not None and not self._scheduled
        control = {"control": False} if released else {}
        answer = self._wire.ask("new", impl=self._profile.maker, options=self._options, **control)
        reading = understand("new", answer)
        self._moves_clock = self._capabilities.virtual_clock and reading is not None
        self._now = reading.now_ns if reading else time.time_ns()

    def call(self, lane: str, op: str, *args: Any) -> _Pending:
        if op == READ_AGAIN and op not in self._further:
            raise NotOffered(NOT_REREAD)
        for program in (arg for arg in args if isinstance(arg, Program)):
            if program.step_ns:
                self._can_step()
            if program.meanwhile and not self._capabilities.meanwhile:
                raise NotOffered(CANNOT_TELL_MEANWHILE)
        request = self._wire.send(op, {"lane": lane, **_fields(op, args)})
        if self.timed:
            self._wire.hear()  # the call begins now; otherwise it begins with ``settle``, which follows it
        return _Pending(self._wire, request, op)

    def cancel(self, call: object, turns: int = 0, after: Nanoseconds = 0) -> None:  # noqa: ARG002
        raise NotOffered(CANNOT_CANCEL)

    def settle(self, awaiting: Any = None, patience: Nanoseconds = 0) -> None:
        if not self.timed:
            self._clock(self._wire.ask("settle"))
            if patience and self._moves_clock and not (awaiting and awaiting.returned):
                self._clock(self._wire.ask("advance", ns=patience))
        elif awaiting is None:
            self._wire.hear(self._grace)
        else:
            self._wire.wait(awaiting.request, GENEROUS if patience else self._grace)

    def advance(self, span: Nanoseconds) -> None:
        if not self._moves_clock:
            raise Undecided("its driver has no clock that can be moved")
        while True:
            self._clock(self._wire.ask("advance", ns=min(span, A_DAY)))
            if (span := span - A_DAY) <= 0:
                return

    def now_ns(self) -> Nanoseconds:
        if not self._moves_clock:
            raise Undecided("its driver has no clock that can be moved")
        return self._now

    def step(self, span: Nanoseconds) -> None:
        self._can_step()
        self._clock(self._wire.ask("step", ns=span), may_go_back=True)

    def _can_step(self) -> None:
        if not self._capabilities.step:
            raise NotOffered(CANNOT_STEP)

    def race(self, programs: Mapping[str, Sequence[Operation]], order: Order) -> Sequence[Call]:
        if not self._capabilities.burst:
            raise Undecided("its driver cannot run programs at once (no burst)")
        told = {lane: [step(*op) for op in program] for lane, program in programs.items()}
        said = [op for program in programs.values() for op in program]
        pauses = [args[0] for op, *args in said if op == PAUSE]
        if not all(pauses):
            raise NotOffered(CANNOT_SEE_ALARMS)
        if pauses and PAUSE not in self._further:
            raise NotOffered(CANNOT_PAUSE)
        waits = not order.step and any(_delays(op) for op, *_ in said)
        # Virtual time passes only if a call waits for it.
        patience = {"ns": PATIENCE * waits + sum(pauses)} if waits or pauses else {}

        def burst(schedule: protocol.Schedule | None) -> protocol.History:
            fields = patience | ({} if schedule is None else {"schedule": schedule})
            answer = self._wire.ask("burst", programs=told, seed=order.number, **fields)
            history: protocol.History = understand("burst", answer)
            return history

        if not self._scheduled or order.turns is None:
            return [_call(call) for call in burst(None).calls]
        then = scheduled.what_tells_apart(self._profile.ops | self._profile.tells, told)
        history = scheduled.read_race(burst, order, then)
        calls = [_call(call) for call in history.calls]
        order.stuck = self._stuck(calls, history.waiting)
        return calls

    def _stuck(self, calls: Sequence[Call], waiting: Sequence[protocol.Waits]) -> str:
        """Describe a call that should have returned but has not, and what blocks it; empty if none.

        If there is no such call, but a thread still holds a lock, Len is called, as it must return.
        """
        suspects = [call for call in calls if call.end is None and not OPS[call.op].waits]
        holding = any(each.holds for each in waiting)
        if not suspects and not (holding and "len" in self._profile.ops):
            return ""
        if not suspects:
            suspects = [Call("a caller", "len", None, 0, None)]
            self.call("a caller", "len")
            self._clock(self._wire.ask("settle"))
        if self._moves_clock:
            self._clock(self._wire.ask("advance", ns=GENEROUSLY))
        left: protocol.History = understand("burst", self._wire.ask("burst", programs={}, seed=0))
        for suspect in suspects:
            if any(each.who == suspect.lane for each in left.waiting):
                who = suspect.lane.replace("_", " ")
                return f"{suspect.did} of {who} does not return: {scheduled.keepers(left.waiting)}"
        return ""

    def close(self) -> None:
        """Raise DataRace if the driver has reported one; the driver's next ``new`` discards the rest."""
        self._wire.look_for_races()

    def _clock(self, answer: Any, *, may_go_back: bool = False) -> None:
        """Store the clock reading in a driver's answer, if it has one.

        Raises CandidateError if it is no time or, unless ``may_go_back``, earlier than the last
        reading.
        """
        if not isinstance(answer, dict) or "now_ns" not in answer:
            return
        now = answer["now_ns"]
        if type(now) is not int or abs(now) > MOST_NS:
            raise CandidateError(
                f"the driver answers now_ns {show(now)}, which is not a time: write a whole number of nanoseconds"
            )
        if now < self._now and not may_go_back:
            raise CandidateError(f"the driver's clock runs backwards: now_ns was {self._now}, and is {now}")
        self._now = now
        if type(steps := answer.get("steps")) is int:
            self.looks = steps // STEPS_A_LOOK


def _fields(op: str, args: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments of an op as a mapping with the keys of a request."""
    return {argument.key: value for argument, value in zip(OPS[op].arguments, args, strict=False)}


def _delays(op: str) -> bool:
    """Return True if the op has an argument for a span of time that is never left out."""
    return any(argument.form is Ns and not argument.option for argument in OPS[op].arguments)


def step(op: str, *args: Any) -> list[Any]:
    """Return an op and its arguments as a JSON step of a burst's program.

    The step has the op, followed by its item or by an object of its arguments.
    """
    fields = _fields(op, args)
    return [op, args[0] if fields.keys() == {"item"} else fields] if fields else [op]


def understand(op: str, value: Any) -> Any:
    """Return the value of a driver's answer in types of the contract.

    Raises CandidateError if it does not have the form that the op requires.
    """
    form = VALUES.get(op)
    if form is None:
        return value
    try:
        return _in_contract_terms(msgspec.convert(value, form))
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise CandidateError(
            f"the driver answered {op} with {show(value)}, which has the wrong form: {error}"
        ) from None


def _in_contract_terms(told: Any) -> Any:
    match told:
        case HandedOut():
            return told.item, told.shutdown
        case HandedOutWithPriority():
            return told.item, told.priority, told.shutdown
        case Changes():
            return SimpleNamespace(services=frozenset(told.services), trigger_times=told.trigger_times)
        case Histogram():
            buckets = [(inf if bound is None else bound, count) for bound, count in told.buckets]
            besides = {key: had for key in ("kind", "labels") if (had := getattr(told, key)) is not None}
            return SimpleNamespace(name=told.name, buckets=buckets, count=told.count, sum=told.sum, **besides)
    return told


def _call(call: protocol.Made) -> Call:
    if call.op not in OPS:
        raise CandidateError(f"the history of a burst has a call of {show(call.op)}, which is not an op")
    op = OPS[call.op]
    over = call.end is not None and call.error is None
    handed_out = over and op.hands_out
    value = call.val
    if over and is_record(op.result):
        # A history leaves priorities out, so ``get_with_priority`` is read as a ``get``.
        value = understand(op.spoken, call.val)
    return Call(
        call.lane,
        call.op,
        call.item,
        call.start,
        call.end,
        value[0] if handed_out else value,
        bool(handed_out and value[-1]),
        describe_raise(call.error) if call.error else None,
    )
