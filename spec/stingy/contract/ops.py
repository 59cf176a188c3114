"""The ops: all calls by which a candidate is judged, a row for each.

This table is the source of everything but the implementation of the ops: profiles, the protocol
with its schema and page, calls in this process, spelling in stories and races, the doctor's
samples, and tables of the driver libraries. ``contract`` describes what a candidate in Python has
to offer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from stingy.contract.forms import (
    Changes,
    HandedOut,
    HandedOutWithPriority,
    Histogram,
    Item,
    Ns,
    Pod,
    Program,
    Service,
    Slice,
)

Part = Literal[
    "queue",
    "drain",
    "hook",
    "memory",
    "ending",
    "delay",
    "limit",
    "limiter",
    "metrics",
    "controller",
    "priority",
    "several",
    "trigger",
    "writing",
    "reading",
    "tracker",
    "proxy",
]
"""Groups of ops that are offered together."""

WITHIN: Mapping[Part, Part] = {
    "limiter": "limit",
    "several": "priority",
    "writing": "trigger",
    "reading": "trigger",
}
"""For each part that is not a profile itself, the profile to which it belongs."""

Raised = Literal[
    "IndexError",
    "KeyError",
    "StopIteration",
    "StopAsyncIteration",
    "ValueError",
    "TypeError",
    "AttributeError",
    "AssertionError",
    "NotImplementedError",
    "RuntimeError",
    "EOFError",
    "OSError",
    "ConnectionError",
    "InterruptedError",
    "TimeoutError",
    "queue.Empty",
    "queue.Full",
    "asyncio.QueueEmpty",
    "asyncio.InvalidStateError",
    "concurrent.futures.CancelledError",
    "concurrent.futures.BrokenExecutor",
    "threading.BrokenBarrierError",
    "ExceptionGroup",
    "an empty exception",
    "an exception that cannot be written",
    "an exception that cannot be hashed",
    "an exception that is its own cause",
    "an exception that came up while a terminal one was handled",
    "an exception that was raised before",
]
"""Exceptions that a reconcile may raise; all but the last six are names of Python's own.

MemoryError and RecursionError are left out: what they stand for ends a Go program, too.
"""

Cancelled = Literal["CancelledError"]
"""The exception of a coroutine or a future that was cancelled; that of asyncio is no ``Exception``."""

End = Literal[
    "ok",
    "event",
    "error",
    "panic",
    "terminal",
    "wrapped",
    "requeue",
    "requeue_after",
    "both",
    Raised,
    Cancelled,
]


@dataclass(frozen=True)
class Argument:
    """An argument of an op.

    A candidate in Python gets a span of time (``Ns``) in seconds, and an instant in nanoseconds.
    """

    key: str
    """Key in a request to a driver."""
    form: Any
    remark: str = ""
    """Text after the key on the page about the protocol."""
    option: str = ""
    """Keyword of an optional argument in Python, not passed for 0 or False; empty if required."""
    word: str = ""
    """Word before the value in a program of a race, as in ``add a after 1 min``; may be empty."""
    label: str = ""
    """Word before the value in a story, as in ``priority 3``; may be empty."""

    @property
    def unset(self) -> Any:
        return False if self.form is bool else 0


ITEM = Argument("item", Item)


@dataclass(frozen=True)
class Op:
    name: str
    parts: tuple[Part, ...]
    """The parts that the op belongs to; the doctor checks it with the profile of the first."""
    arguments: tuple[Argument, ...] = ()
    result: Any = None
    """Type of ``val`` in a good answer; None for null."""
    answer: str = "`null`"
    """Description of ``val`` on the protocol page; the doctor shows it up to the semicolon."""
    told: bool = False
    """True if only drivers answer the op; for a candidate in Python the suite observes the result."""
    waits: bool = False
    """True if the call may have to wait for another call."""
    begins: bool = False
    """True if it is a worker's first call: if it is a coroutine, the candidate is for asyncio."""
    later: bool = False
    """True if the call may have an effect that comes only after virtual time has passed."""
    adds: bool = False
    """True if the call may make an item available to workers."""
    hands_out: str = ""
    """Description of the tuple that an op returns in Python if it hands out an item, else empty.

    The tuple has the item first and the shutdown flag last.
    """
    verb: str = ""
    """Name in programs of races and in histories; empty if it is ``name``."""
    method: str = ""
    """Name of the Python method; empty if it is ``name``."""
    in_seconds: bool = False
    """True if a candidate in Python returns seconds where a driver answers nanoseconds."""
    sample: Mapping[str, Any] | None = None
    """Keys of a request that a fresh candidate answers at once.

    None if the doctor checks the op in another way.
    """

    @property
    def upstream(self) -> str:
        """Name of the op as upstream and stories spell it, such as ``AddAfter``."""
        return upstream(self.name)

    @cached_property
    def takes_item(self) -> bool:
        return ITEM.key in {argument.key for argument in self.arguments[:1]}

    @cached_property
    def others(self) -> tuple[Argument, ...]:
        """The op's arguments other than the item."""
        return self.arguments[1:] if self.takes_item else self.arguments

    @property
    def spoken(self) -> str:
        """Name of the op in programs of races and in histories."""
        return self.verb or self.name

    @property
    def due(self) -> str:
        """Description of the value (``val``) that a good answer to the op has, without Markdown."""
        return self.answer.partition(";")[0].replace("`", "")

    @property
    def profiles(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(WITHIN.get(part, part) for part in self.parts))


_QUEUE = (
    Op("add", ("queue", "controller"), (Argument("item", Item, " (a string)"),), adds=True),
    Op(
        "get",
        ("queue",),
        result=HandedOut,
        answer='`{"item": "a", "shutdown": false}`; `item` is `null` beside `"shutdown": true`',
        waits=True,
        begins=True,
        hands_out="a pair of an item and a flag",
    ),
    Op("done", ("queue", "priority"), (ITEM,)),
    Op("len", ("queue", "priority"), result=int, answer="a number", method="__len__", sample={}),
    Op("shut_down", ("queue", "priority"), sample={}),
    Op("shutting_down", ("queue",), result=bool, answer="`true` or `false`", sample={}),
    Op("shut_down_with_drain", ("drain",), waits=True, sample={}),
    Op(
        "pause",
        ("queue",),
        (Argument("ns", Ns, option="seconds", word="for"),),
        answer="`null`, when this much virtual time has passed; in a burst, the lane itself waits for that long",
        told=True,
        later=True,
    ),
    Op(
        "hook_calls",
        ("hook",),
        result=list[list[str]],
        answer='the calls that the store has received, in order: `[["push", "a"], ["touch", "a"], ["pop", "a"]]`',
        told=True,
        sample={},
    ),
    Op(
        "kept",
        ("memory",),
        result=list[Item],
        answer='the items that still exist after garbage collection although no worker holds them: `["a"]`',
        told=True,
        sample={},
    ),
    Op(
        "running",
        ("ending",),
        result=int,
        answer="the number of threads, tasks or goroutines that the candidate has started and that have not ended",
        told=True,
        sample={},
    ),
)

_LATER = (
    Op(
        "add_after",
        ("delay",),
        (ITEM, Argument("ns", Ns, " (may be negative)", word="after")),
        later=True,
        adds=True,
        verb="add",
        sample={"item": "a", "ns": 0},
    ),
    Op("add_rate_limited", ("limit",), (ITEM,), later=True, adds=True, sample={"item": "a"}),
    Op("forget", ("limit", "limiter"), (ITEM,), sample={"item": "a"}),
    Op("num_requeues", ("limit", "limiter"), (ITEM,), result=int, answer="a number", sample={"item": "a"}),
    Op(
        "when",
        ("limiter",),
        (ITEM,),
        result=int | float | None,
        answer="a whole number of nanoseconds; `null` if the limiter returns no number",
        in_seconds=True,
        sample={"item": "a"},
    ),
    Op(
        "metrics",
        ("metrics",),
        result=dict[str, dict[str, float | list[float]]],
        answer="the metrics of each queue, by its name; see below",
        told=True,
        sample={},
    ),
)

_CONTROLLER = (
    Op(
        "start",
        ("controller",),
        answer="`null`, when the controller has started, or when it has stopped",
        waits=True,
        begins=True,
        later=True,
    ),
    Op("stop", ("controller",), waits=True),
    Op(
        "reconciles",
        ("controller",),
        result=list[Item],
        answer='the keys that are being reconciled now, one entry for each running reconcile: `["a"]`',
        told=True,
        sample={},
    ),
    Op(
        "finish",
        ("controller",),
        (ITEM, Argument("kind", End), Argument("ns", Ns)),
        result=bool,
        answer="`true`, or `false` if a reconcile cannot end in this way",
        told=True,
    ),
)

_OPTIONS = (
    Argument("priority", int, " (a number)", option="priority", word="at", label="priority "),
    Argument("ns", Ns, option="after", word="in", label="after "),
    Argument("rate_limited", bool, " (true or false)", option="rate_limited", label="rate limited"),
)

_PRIORITY = (
    Op(
        "add_with_opts",
        ("priority",),
        (ITEM, *_OPTIONS),
        later=True,
        adds=True,
        verb="add",
        sample={"item": "a", "priority": 1, "ns": 0, "rate_limited": False},
    ),
    Op(
        "add_all_with_opts",
        ("several",),
        (Argument("items", list[Item]), *_OPTIONS),
        later=True,
        sample={"items": ["a", "b"], "priority": 1, "ns": 0, "rate_limited": False},
    ),
    Op(
        "get_with_priority",
        ("priority",),
        result=HandedOutWithPriority,
        answer='`{"item": "a", "priority": 0, "shutdown": false}`',
        waits=True,
        begins=True,
        hands_out="an item, its priority and a flag",
        verb="get",
        sample={},
    ),
)

_TRIGGER = (
    Op(
        "compute",
        ("trigger",),
        (Argument("namespace", str), Argument("service", Service), Argument("pods", list[Pod])),
        result=int | None,
        answer="nanoseconds since the epoch, or `null`",
    ),
    Op(
        "delete",
        ("trigger",),
        (Argument("namespace", str), Argument("name", str)),
        sample={"namespace": "shop", "name": "web"},
    ),
    Op(
        "format",
        ("writing",),
        (Argument("instant", Ns | None, " (nanoseconds since the epoch, or `null`)"),),
        result=str | None,
        answer="a string, or `null`",
        sample={"instant": None},
    ),
    Op(
        "parse",
        ("reading",),
        (Argument("text", str | None, " (a string, or `null`)"),),
        result=int | None,
        answer="nanoseconds since the epoch, or `null`",
        sample={"text": None},
    ),
)

_NODE = (
    Op(
        "update",
        ("tracker", "proxy"),
        (Argument("slice", Slice),),
        result=bool,
        answer="`true` if the call changed something",
    ),
    Op(
        "remove",
        ("tracker", "proxy"),
        (Argument("slice", Slice),),
        result=bool,
        answer="`true` if the call changed something",
    ),
    Op(
        "checkout",
        ("tracker",),
        result=Changes,
        answer='`{"services": ["ns/name", …], "trigger_times": {"ns/name": [ns, …]}}`',
        sample={},
    ),
    Op(
        "read_again",
        ("tracker",),
        (Argument("number", int, " of a checkout, from 0"),),
        result=Changes,
        answer="the present content of the object that this checkout returned, in the form of `checkout`",
        told=True,
        sample=None,
    ),
    Op("services_synced", ("proxy",)),
    Op("slices_synced", ("proxy",)),
    Op(
        "sync",
        ("proxy",),
        (Argument("program", Program, ': `{"ok": true, "takes_ns": 0, "step_ns": 0, "meanwhile": []}`'),),
        result=list[float],
        answer="the latencies observed, in seconds",
    ),
    Op(
        "metric",
        ("proxy",),
        result=Histogram,
        answer='`{"name", "kind", "labels": {…}, "buckets": [[bound or null, cumulative count], …], "count", "sum"}`; '
        "`null` stands for +Inf",
        sample={},
    ),
)

OPS: Mapping[str, Op] = {
    op.name: op for op in (*_QUEUE, *_LATER, *_CONTROLLER, *_PRIORITY, *_TRIGGER, *_NODE)
}
"""All ops by name, in the order in which pages show them."""


PAUSE = "pause"
"""The op that makes a lane of a race wait, so that its next call comes at a deadline."""

READ_AGAIN = "read_again"
"""An op for drivers only: return the present content of an earlier checkout.

The suite has only a copy of a driver's checkout, and a copy cannot show a later alteration.
"""

OPTIONAL = frozenset({PAUSE, READ_AGAIN})
"""Ops that no profile requires. Rules that need them do not judge a driver that lacks them."""


def of(*parts: Part) -> Iterator[Op]:
    """Return the ops that belong to any of these parts of the contract."""
    return (op for op in OPS.values() if not set(parts).isdisjoint(op.parts))


@cache
def upstream(name: str) -> str:
    """Return a name as upstream spells it: ``AddAfter`` for ``add_after``."""
    return "".join(word.capitalize() for word in name.split("_"))
