"""A work queue under test. Each call is recorded in the story, and none can hang the rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any
from weakref import proxy

from msgspec.structs import replace

from stingy.contract import Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.ops import OPS
from stingy.contract.testimony import show
from stingy.language.ages import let_pass, set_wall_clock
from stingy.language.call import Call
from stingy.language.order import Order
from stingy.language.session import CandidateError, Hangs, Operation, Pending, Raised, Session, Undecided
from stingy.language.story import NO_LONGER_WAITS, TIME, Story
from stingy.language.values import format_span
from stingy.language.wording import spell

PRODUCER = "producer"

NAME = "the queue"
"""Name of a queue that reports metrics."""

A_FEW = 24
"""Up to this many consecutive calls are recorded one by one; more are recorded as one line."""

ENDLESS = 40
"""Limit of hand-outs in a row. No rule adds as many items, so more would never end."""


class Answer(Enum):
    """A result of a Get that is not an item."""

    SHUTDOWN = "shutdown"

    def __repr__(self) -> str:
        return self.value

    def __lt__(self, other: object) -> bool:
        """Return False: it sorts after all items, so that reports have a fixed order."""
        return False

    def __gt__(self, other: object) -> bool:
        return other is not self


SHUTDOWN = Answer.SHUTDOWN

Got = str | Answer

CANCELLED = "CancelledError"
"""Name of the exception that a cancelled Get raises."""


@dataclass(frozen=True)
class Metrics:
    """The metrics that a queue has reported: counts, seconds, and lists of observed seconds."""

    depth: float = 0
    adds: float = 0
    queue_duration: Sequence[float] = ()
    work_duration: Sequence[float] = ()
    unfinished_work: float = 0
    longest_running: float = 0
    retries: float = 0

    def __str__(self) -> str:
        """Return all values that are not 0, as ``depth 1, queue duration [60]``; ``all 0`` if none is."""
        told = [
            f"{each.name.replace('_', ' ')} {_format_value(getattr(self, each.name))}"
            for each in fields(self)
        ]
        return ", ".join(each for each in told if not each.endswith((" 0", " []"))) or "all 0"


def _format_value(value: object) -> str:
    """Return the value of a metric as text: a number, numbers, or something else by mistake."""
    if is_a(value, int, float):
        return f"{value:g}"
    if is_a(value, list, tuple):
        return f"[{', '.join(map(_format_value, value))}]"
    return show(value)


class Queue:
    """A queue under test, with at most one call at a time on each lane."""

    get_op = "get"
    """The op that a worker calls to get an item."""

    def __init__(self, session: Session, story: Story, patience: Nanoseconds, crew: str = "worker") -> None:
        self._crew = crew
        self._session = session
        self._story = story
        self._patience = patience
        self._idle: list[str] = []
        self._lanes = 0
        self._asked: list[Asked] = []
        self._unheard: list[Asked] = []
        """Gets whose return is not recorded yet."""
        self._holding: list[Asked] = []
        """Gets that returned an item for which Done has not been called."""
        self._drains: list[Draining] = []
        self._held: list[str] = []
        self._left: Asked | None = None
        self._made: Nanoseconds | None = None
        self._to_cancel: list[tuple[Asked, int]] = []
        """Gets to cancel at the next call, each with the turns of the event loop until then."""
        self.handed_out: list[str] = []
        """Every item handed out so far, in the order in which the rule learned of it."""

    def add(self, item: str, by: str = PRODUCER) -> None:
        self._returns(by, "add", item)

    def done(self, item: str, by: str | None = None) -> None:
        """Call Done for an item that a worker holds, on the lane ``by``; None for that worker's lane."""
        if item not in self._held:
            raise AssertionError(f"{item!r} was not handed out to anybody; {self._held or 'nothing'} was")
        self._held.remove(item)
        holder = self._holder(item)
        self._returns(by or holder, "done", item)

    @property
    def uptime(self) -> Nanoseconds:
        """Virtual nanoseconds since the queue was made, including those that slow calls took."""
        now = self._session.now_ns()
        if self._made is None:
            self._made = now  # the first reading counts as the start
        return now - self._made

    @property
    def patience(self) -> Nanoseconds:
        """Nanoseconds by which the queue may be late with what is due, or with an answer."""
        return self._patience

    @property
    def is_slow(self) -> bool:
        """True if the queue runs in real time, so that what it does may come late."""
        return self._session.timed

    @property
    def held(self) -> Sequence[str]:
        """Items that workers hold, as far as the rule knows, in the order of hand-out."""
        return tuple(self._held)

    def finish(self, item: str, by: str) -> None:
        """Call Done on the lane ``by``, for an item that a lane of a race still holds."""
        self._returns(by, "done", item)

    def done_unpaired(self, item: str) -> str:
        """Call Done for an item that no worker holds; return what goes wrong, or empty text.

        This breaks a precondition, so only a probe (a rule that cannot fail) may do it.
        """
        try:
            self._returns(PRODUCER, "done", item)
        except AssertionError as why:
            return "the Done waits" if "does not return" in str(why) else "the Done raises"
        return ""

    def shut_down(self, by: str = PRODUCER) -> None:
        self._returns(by, "shut_down")

    def shutting_down(self) -> bool:
        return bool(self._returns(PRODUCER, "shutting_down"))

    def __len__(self) -> int:
        length = self._returns(PRODUCER, "len")
        assert is_a(length, int) and length >= 0, f"Len returned {show(length)}, not a length"  # noqa: PT018
        return length

    def ask(self) -> Asked:
        """Call Get on an idle worker's lane and return the call, which may have to wait."""
        lane = self._idle.pop(0) if self._idle else self._new_lane()
        asked = Asked(self, self._session.call(lane, self.get_op), self._begun(lane, "get"))
        self._asked.append(asked)
        self._unheard.append(asked)
        self._session.settle(asked.call)
        if not asked.call.returned:
            self._story.tell(lane, "Get()", "waits", asked.made)
        self._hear()
        return asked

    def get(self) -> Got:
        """Return the result of a Get that must return; if a Get waits already, use that one."""
        return self._asked_first().got

    def cancel(self, asked: Asked) -> None:
        """Cancel a waiting Get, which may return all the same."""
        self._session.cancel(asked.call)
        asked.cancelled = True
        self._story.tell(asked.lane, "Get()", NO_LONGER_WAITS)
        self._settle(asked.call)

    def cancel_drain(self, drain: Draining) -> None:
        """Cancel a ShutDownWithDrain that waits."""
        drain.cancel(self._session, self._story)
        self._settle(None)

    @contextmanager
    def cancelling(self, waiting: Sequence[Asked], turns: int | None) -> Iterator[None]:
        """Cancel Gets that wait, ``turns`` turns of the event loop after the call in the block began.

        None: cancel before the call. 0: cancel after the call was made, and before a worker that it
        woke can run. If the call lets time pass, the turns count from the end of that time.
        """
        if turns is None:
            for asked in waiting:
                self.cancel(asked)
            yield
            return
        self._to_cancel = [(asked, turns) for asked in waiting]
        yield
        for asked in waiting:
            self._story.tell(asked.lane, "Get()", NO_LONGER_WAITS)
            self._settle(asked.call)

    def take_all(self) -> list[str]:
        """Call Done for held items, then Get and Done until nothing is left; return the items got."""
        taken: list[str] = []
        if self._left is not None and is_a(self._left.answer, str):
            taken.append(self._left.answer)
            self._left = None
        while True:
            for item in self.held:
                self.done(item)
            asked = self._asked_first()
            if asked.waiting:
                if self.held:
                    continue  # a slow candidate has meanwhile answered an earlier Get
                self._left = asked
                return taken
            if asked.got is SHUTDOWN:
                return taken
            taken.append(str(asked.got))
            if len(taken) > ENDLESS:
                raise AssertionError(f"{taken[-1]!r} and others come back for ever")

    def add_each(self, items: Sequence[str]) -> None:
        """Add each of these items; the story shows all the calls as one line."""
        with self._in_one_line(PRODUCER, f"Add(…) of {len(items):,} items"):
            for item in items:
                self.add(item)

    def work_off(self, number: int) -> list[str]:
        """Call Get and Done this many times, as one line of the story; return the items in order."""
        before = len(self.handed_out)
        with self._in_one_line(f"{self._crew} 1", f"Get() and Done(…), {number:,} times"):
            for _ in range(number):
                got = self.get()
                if got is SHUTDOWN:
                    break
                self.done(str(got))
        return self.handed_out[before:]

    def add_straight(self, items: Sequence[str], shut_downs: int = 0) -> None:
        """Add many items without a pause, and shut the queue down so often: the candidate cannot come to rest in between."""
        program = [self._adding(item) for item in items] + [("shut_down",)] * shut_downs
        self._go_straight(PRODUCER, f"Add(…) of {_count(items)}", program)

    def take_straight(self, number: int) -> list[str]:
        """Let one worker call Get and Done this many times without a pause; return the items."""
        program = [(self.get_op,), ("done",)] * number
        return self._go_straight("a worker", f"Get() and Done(…), {number:,} times", program)

    def hold_straight(self, number: int) -> list[str]:
        """Let one worker call Get this many times without a pause or a Done; return the items."""
        return self._go_straight("a worker", f"Get(), {number:,} times", [(self.get_op,)] * number)

    def renew_straight(self, items: Sequence[str]) -> None:
        """Let the worker that holds these items call Add and Done for each, without a pause."""
        calls = [call for item in items for call in (self._adding(item), ("done", item))]
        self._go_straight("a worker", f"Add(…) and Done(…) of {_count(items)}", calls)

    def finish_straight(self, items: Sequence[str]) -> None:
        """Let the worker that holds these items call Done for each, without a pause."""
        self._go_straight("a worker", f"Done(…) of {_count(items)}", [("done", item) for item in items])

    def _adding(self, item: str) -> Operation:
        """Return an operation that adds this item, for the program of a producer's lane."""
        return ("add", item)

    def _go_straight(self, lane: str, did: str, program: Sequence[Operation]) -> list[str]:
        """Make the calls on one lane without a pause; return the items that were handed out.

        A long program is recorded as one line.
        """
        salted = [(op, *map(self._story.salt_name, args[:1]), *args[1:]) for op, *args in program]
        began = self._read_clock()
        # The lane begins in a turn of its own, after what is requested now.
        self._cancel_now(before=1)
        with self._story.at_once():
            made = self._session.race({lane: salted}, Order(0, straight=True))
        at = began if began == self._read_clock() else None
        calls = [replace(self._plain(call), at=at) for call in made]
        if len(calls) > A_FEW:
            self._story.tell_many(lane, f"{did}, without a pause")
        else:
            for call in calls:
                self._story.tell(lane, call.did, call.outcome, call)
        for call in calls:
            if call.raised:
                raise Raised(call.did, call.raised)
            if call.fault:
                raise AssertionError(f"{call.did} {call.fault}")
        self._hear()
        return ["the shutdown" if it.shutdown else str(it.result) for it in calls if OPS[it.op].hands_out]

    def _plain(self, call: Call) -> Call:
        """Return the call with the rule's own item names, and with stamps later than all before."""
        item = None if call.item is None else self._story.plain(call.item)
        came = OPS[call.op].hands_out and call.end is not None and not (call.shutdown or call.raised)
        return replace(
            call,
            item=item,
            start=self._story.moment(),
            end=None if call.end is None else self._story.moment(),
            result=self._story.plain(call.result) if came else call.result,
            raised=call.raised and self.unsalt(call.raised),
        )

    @contextmanager
    def _in_one_line(self, who: str, did: str) -> Iterator[None]:
        """Until the block ends, record all calls as one line of the story, unless one of them raises."""
        before = len(self._story.steps)
        yield
        self._story.cut_back(before)
        self._story.tell_many(who, did)

    def takeable(self) -> int:
        """Call Get without Done until a Get waits; return how many items were handed out."""
        taken = 0
        while not (asked := self.ask()).waiting and asked.got is not SHUTDOWN:
            taken += 1
            if taken > ENDLESS:
                raise AssertionError("Get returns items for ever")
        return taken

    def runs(self, item: str) -> int:
        """Call Get and Done until nothing is left; return how often ``item`` was handed out so far."""
        self.take_all()
        return self.handed_out.count(item)

    def drain(self) -> Draining:
        """Call ShutDownWithDrain and return the call, which may have to wait."""
        lane = f"drainer {self._lanes}" if self._lanes else "drainer"
        self._lanes += 1
        made = self._begun(lane, "shut_down_with_drain")
        call = self._session.call(lane, "shut_down_with_drain")
        self._cancel_now()
        self._session.settle(call)
        draining = Draining(self, call, made)
        if not call.returned:
            self._story.tell(lane, "ShutDownWithDrain()", "waits", made)
        self._drains.append(draining)
        self._hear()
        return draining

    def elapse(self, span: Nanoseconds) -> None:
        """Let ``span`` nanoseconds of virtual time pass."""
        self._cancel_now(span)
        self._session.advance(span)
        self._story.tell(TIME, f"{format_span(span)} pass")
        self._hear()

    def set_clock(self, span: Nanoseconds) -> None:
        """Step the wall clock forward by ``span``, or back if negative; no time passes meanwhile."""
        uptime = self.uptime
        set_wall_clock(self._session, self._story, span)
        self._made = self._session.now_ns() - uptime
        self._hear()

    def leave_alone(self, span: Nanoseconds) -> None:
        """Let a long time pass in growing steps. Raises NotOffered if that is impossible."""
        let_pass(self._session, self._story, span)
        self._hear()

    def hook_calls(self) -> list[str]:
        """Return the queue's calls to its store so far, as in ``push a``, ``touch a``, ``pop a``."""
        calls = [f"{call} {self._story.plain(item)}" for call, item in self._ask("hook_calls")]
        self._story.look("store", "has been asked", ", ".join(calls) or "nothing")
        return calls

    def kept(self) -> list[str]:
        """Return the items that no worker holds but that are still referenced: a memory leak."""
        kept = sorted(self._story.plain(item) for item in self._ask("kept"))
        self._story.look("collector", "finds still kept", ", ".join(map(repr, kept)) or "nothing")
        return kept

    def running(self) -> int:
        """Return how many of the queue's own threads, tasks or goroutines have not ended."""
        running = int(self._ask("running"))
        self._story.look(
            "process", "finds running", f"{running} of the queue's own" if running else "nothing"
        )
        return running

    def metrics(self, name: str = NAME) -> Metrics:
        """Return the metrics that the queue of this name has reported; all 0 if there is none."""
        told = Metrics(**self._ask("metrics").get(name, {}))
        self._story.look("scrape", "reads the metrics", str(told))
        return told

    # Used by Asked and Draining.

    def unsalt(self, text: str) -> str:
        return self._story.unsalt(text)

    def tell_end(self, made: Call, outcome: str, **answer: Any) -> None:
        """Record in the story that the call ``made`` has ended with this outcome."""
        over = replace(made, end=self._story.moment(), **answer)
        self._story.tell(made.lane, made.did, outcome, over)

    def _asked_first(self) -> Asked:
        """Return the Get whose result is to be used next.

        It is the one that ``take_all`` left waiting, or else the oldest one whose return is not yet
        recorded, or else a new one.
        """
        left, self._left = self._left, None
        return left or next(iter(self._unheard), None) or self.ask()

    def _settle(self, call: Pending | None) -> None:
        self._session.settle(call, self._patience)
        self._hear()

    def _hear(self) -> None:
        """Record in the story which waiting Gets and drains have returned since the last look."""
        for asked in list(self._unheard):
            if asked.call.returned:
                self._unheard.remove(asked)
                self._learn(asked)
        for draining in self._drains:
            draining.hear()

    def _ask(self, op: str) -> Any:
        """Call an op that the suite's own objects answer, such as the store; return the answer.

        Raises Hangs if it does not return, CandidateError if it raises.
        """
        call = self._session.call("suite", op)
        self._session.settle(call, self._patience)
        if not call.returned:
            raise Hangs("nobody else goes on, not even who asks the suite")
        if call.raised:
            raise CandidateError(f"{op} cannot be told: {call.raised}")
        return call.value

    def _learn(self, asked: Asked) -> None:
        if asked.cancelled and asked.call.raised == CANCELLED:
            self._idle.append(asked.lane)
            return
        if asked.call.raised:
            raised = self._story.unsalt(asked.call.raised)
            self.tell_end(asked.made, f"raises {raised}", raised=raised)
            return
        try:
            item, shutdown = self._delivery(asked)
        except AssertionError as odd:
            returned = self._story.unsalt(show(asked.call.value))
            self.tell_end(asked.made, f"{returned}, no item and a flag", result=returned)
            raise AssertionError(self._story.unsalt(str(odd))) from None
        if shutdown:
            asked.with_item = item is not None
            asked.answer = SHUTDOWN
            self._idle.append(asked.lane)
            self.tell_end(asked.made, "shutdown", shutdown=True)
        else:
            name = self._story.plain(item)
            asked.answer = name
            self.handed_out.append(name)
            self._held.append(name)
            self._holding.append(asked)
            self.tell_end(asked.made, self._got(asked), result=name)

    def _delivery(self, asked: Asked) -> tuple[Any, bool]:
        """Return the item that a Get returned, and its shutdown flag.

        AssertionError for a wrong form.
        """
        item, shutdown = pair(asked.call.value)
        assert is_a(shutdown, bool), f"Get returned {show(asked.call.value)}, not an item and a flag"
        return item, shutdown

    def _got(self, asked: Asked) -> str:
        """Return the text that the story shows for the result of a Get."""
        return show(asked.answer)

    def _holder(self, item: str) -> str:
        holder = next(asked for asked in self._holding if asked.answer == item)
        self._holding.remove(holder)
        self._idle.append(holder.lane)
        return holder.lane

    def _new_lane(self) -> str:
        self._lanes += 1
        return f"{self._crew} {self._lanes}"

    def _returns(self, lane: str, op: str, *args: Any) -> Any:
        """Make a call that has to return at once, and return its result.

        ``args`` contain the rule's own item names.
        """
        items = args[: OPS[op].takes_item]
        made = self._begun(lane, op, *items)
        call = self._session.call(lane, op, *map(self._story.salt_name, items), *args[len(items) :])
        self._cancel_now()
        return self._answer(call, made, spell(op, *args))

    def _cancel_now(self, after: Nanoseconds = 0, before: int = 0) -> None:
        """Request the cancellations that are to come with the call that has just been made.

        ``before``: turns of the event loop until the call is made, if that is still to come.
        """
        for asked, turns in self._to_cancel:
            self._session.cancel(asked.call, before + turns, after)
            asked.cancelled = True
        self._to_cancel = []

    def _begun(self, lane: str, op: str, item: str | None = None) -> Call:
        return Call(lane, op, item, self._story.moment(), None, at=self._read_clock())

    def _read_clock(self) -> Nanoseconds | None:
        """Return what the candidate's clock reads, in nanoseconds; None if it has none that can be moved."""
        try:
            return self._session.now_ns()
        except Undecided:
            return None

    def _answer(self, call: Pending, made: Call, did: str) -> Any:
        self._session.settle(call)
        if not call.returned:
            self._session.settle(call, self._patience)
        if not call.returned:
            self._story.tell(made.lane, did, "does not return", made)
            raise AssertionError(f"{did} does not return")
        over = replace(made, end=self._story.moment())
        if call.raised:
            raised = self._story.unsalt(call.raised)
            self._story.tell(made.lane, did, f"raises {raised}", replace(over, raised=raised))
            raise Raised(did, raised)
        value = call.value
        self._story.tell(made.lane, did, "" if value is None else show(value), replace(over, result=value))
        self._hear()
        return value


class Asked:
    """A Get that was called on a worker's lane; it may still wait."""

    def __init__(self, queue: Queue, call: Pending, made: Call) -> None:
        self._queue = proxy(queue)  # the queue keeps this Asked
        self.call = call
        self.made = made
        self.cancelled = False
        """True if the Get's cancellation was requested; the Get may have returned all the same."""
        self.answer: Got | None = None
        self.with_item = False
        """True if the Get returned an item together with the shutdown flag."""

    @property
    def lane(self) -> str:
        return self.made.lane

    @property
    def waiting(self) -> bool:
        """True if this Get still waits at quiescence."""
        if not self.call.returned:
            self._queue._settle(None)
        return not self.call.returned

    @property
    def ended(self) -> bool:
        """True if this Get has returned or raised.

        Virtual time may pass first: a second, and the lateness that is tolerated.
        """
        if not self.call.returned:
            self._queue._settle(self.call)
        return self.call.returned

    @property
    def got(self) -> Got:
        """Result of this Get. Raises AssertionError if it still waits, or has raised."""
        if not self.call.returned:
            self._queue._settle(self.call)
        if self.call.raised:
            raise Raised("Get()", self._queue.unsalt(self.call.raised))
        if self.answer is None:
            raise AssertionError(f"Get() of {self.lane} still waits")
        return self.answer

    def __repr__(self) -> str:
        return f"<Get() of {self.lane}>"


class Draining:
    """A ShutDownWithDrain that was called; it may still wait."""

    def __init__(self, queue: Queue, call: Pending, made: Call) -> None:
        self._queue = proxy(queue)  # the queue keeps this Draining
        self._call = call
        self._made = made
        self._heard = False

    def cancel(self, session: Session, story: Story) -> None:
        session.cancel(self._call)
        self._heard = True
        story.tell(self._made.lane, "ShutDownWithDrain()", NO_LONGER_WAITS)

    def hear(self) -> None:
        """Record in the story that the drain has returned, if it has and that is not recorded yet."""
        if not self._call.returned or self._heard:
            return
        self._heard = True
        raised = self._queue.unsalt(self._call.raised) if self._call.raised else None
        self._queue.tell_end(self._made, f"raises {raised}" if raised else "", raised=raised)

    @property
    def waiting(self) -> bool:
        if not self._call.returned:
            self._queue._settle(None)
        return not self._over()

    @property
    def returned(self) -> bool:
        """True if the drain has returned.

        Virtual time may pass first: a second, and the lateness that is tolerated.
        """
        if not self._call.returned:
            self._queue._settle(self._call)
        return self._over()

    def _over(self) -> bool:
        if self._call.raised:
            raise Raised("ShutDownWithDrain()", self._call.raised)
        return self._call.returned

    def __repr__(self) -> str:
        return f"<ShutDownWithDrain() of {self._made.lane}>"


def _count(items: Sequence[str]) -> str:
    return f"{len(items):,} {'item' if len(items) == 1 else 'items'}"


def pair(value: Any) -> tuple[Any, Any]:
    """Return the ``(item, shutdown)`` that a Get answered.

    Raises AssertionError if it is no pair.
    """
    if is_a(value, tuple, list) and len(value) == 2:
        return value[0], value[1]
    raise AssertionError(f"Get returned {show(value)}, not a pair of an item and a flag")
