"""The calls that a candidate is judged by, each in a row: all that is to be known of one, but for how it is made.

The profiles, the protocol with its schema and its page, the calls in this process, the words of stories and races, the
doctor's samples and the tables of the drivers' libraries are read off it. What a candidate in Python has to offer is
spelled out in ``contract``, for whoever writes one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from stingy.forms import (
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
"""What ops are offered together."""

WITHIN: Mapping[Part, Part] = {
    "limiter": "limit",
    "several": "priority",
    "writing": "trigger",
    "reading": "trigger",
}
"""The profile of a part that is no profile of its own."""

End = Literal["ok", "error", "panic", "terminal", "wrapped", "requeue", "requeue_after", "both"]


@dataclass(frozen=True)
class Argument:
    """What an op goes with. A span of time (``Ns``) is seconds to a candidate in Python, an instant is not."""

    key: str
    """Its key in a request."""
    form: Any
    remark: str = ""
    """What the page on the protocol says behind the key."""
    option: str = ""
    """Its keyword, if a candidate in Python is given it by one; it is left out where it is 0 or False."""
    word: str = ""
    """What stands before it in a program of a race, as in ``add a after 1 min``."""
    label: str = ""
    """What a story says before it, as in ``priority 3``."""

    @property
    def unset(self) -> Any:
        return False if self.form is bool else 0


ITEM = Argument("item", Item)


@dataclass(frozen=True)
class Op:
    name: str
    parts: tuple[Part, ...]
    """Whose op it is; the doctor looks at it under the first one's profile."""
    arguments: tuple[Argument, ...] = ()
    result: Any = None
    """Of what form the ``val`` of a good answer is; None if that is null."""
    answer: str = "`null`"
    """What the page on the protocol says of the ``val``; up to a semicolon, the doctor does, too."""
    told: bool = False
    """Whether a driver has to tell it; in this process the suite sees it for itself."""
    waits: bool = False
    """Whether it may have to wait for another call."""
    begins: bool = False
    """Whether a worker begins with it: that tells whether it is for asyncio."""
    later: bool = False
    """Whether the candidate may wait after it for time to pass."""
    adds: bool = False
    """Whether an item may come of it."""
    hands_out: str = ""
    """If it hands out an item, what it returns in Python: a tuple, the item first and a flag for shutdown last."""
    verb: str = ""
    """What it is called in a program of a race and in a history, if not by its name."""
    method: str = ""
    """What it is called in Python, if not by its name."""
    in_seconds: bool = False
    """Whether a candidate in Python returns seconds where a driver answers nanoseconds."""
    sample: Mapping[str, Any] | None = None
    """Keys of a request that a fresh candidate answers at once; None where the doctor looks at it in another way."""

    @property
    def upstream(self) -> str:
        """Its name as upstream spells it, and stories do."""
        return upstream(self.name)

    @cached_property
    def takes_item(self) -> bool:
        return ITEM.key in {argument.key for argument in self.arguments[:1]}

    @cached_property
    def others(self) -> tuple[Argument, ...]:
        """The arguments besides the item."""
        return self.arguments[1:] if self.takes_item else self.arguments

    @property
    def spoken(self) -> str:
        """What it is called in a program of a race and in a history."""
        return self.verb or self.name

    @property
    def due(self) -> str:
        """The ``val`` of a good answer, in a few plain words."""
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
        answer="`null`, when so much virtual time has passed; the lane does it by itself, in a burst",
        told=True,
        later=True,
    ),
    Op(
        "hook_calls",
        ("hook",),
        result=list[list[str]],
        answer='what the store has been asked, in order: `[["push", "a"], ["touch", "a"], ["pop", "a"]]`',
        told=True,
        sample={},
    ),
    Op(
        "kept",
        ("memory",),
        result=list[Item],
        answer='the items that are still there though no worker has them, garbage collected: `["a"]`',
        told=True,
        sample={},
    ),
    Op(
        "running",
        ("ending",),
        result=int,
        answer="how many threads, tasks or goroutines that the candidate has started have not come to their end",
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
        answer="a whole number of nanoseconds; `null` if what it says is no number",
        in_seconds=True,
        sample={"item": "a"},
    ),
    Op(
        "metrics",
        ("metrics",),
        result=dict[str, dict[str, float | list[float]]],
        answer="what each queue has told of itself, by its name; see below",
        told=True,
        sample={},
    ),
)

_CONTROLLER = (
    Op(
        "start",
        ("controller",),
        answer="`null`, when the controller has been started, or when it has been stopped",
        waits=True,
        begins=True,
        later=True,
    ),
    Op("stop", ("controller",), waits=True),
    Op(
        "reconciles",
        ("controller",),
        result=list[Item],
        answer='the keys that are being reconciled now, each as often as it is: `["a"]`',
        told=True,
        sample={},
    ),
    Op(
        "finish",
        ("controller",),
        (ITEM, Argument("kind", End), Argument("ns", Ns)),
        result=bool,
        answer="`true`, or `false` if a reconcile cannot end so",
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
        answer="`true` if that changed something",
    ),
    Op(
        "remove",
        ("tracker", "proxy"),
        (Argument("slice", Slice),),
        result=bool,
        answer="`true` if that changed something",
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
        answer="what that checkout has handed over, as it is to be read by now, in the form of `checkout`",
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
"""By their names, in the order in which they are shown."""


PAUSE = "pause"
"""What a lane does by itself in a race, so that its next call comes just as something is due."""

READ_AGAIN = "read_again"
"""How a driver is asked whether a checkout's answer has been altered since, of which this process has a copy."""

OPTIONAL = frozenset({PAUSE, READ_AGAIN})
"""The ops that no profile needs: without them a driver is not judged by the rules that ask for them."""


def of(*parts: Part) -> Iterator[Op]:
    """The ops of any of these parts."""
    return (op for op in OPS.values() if not set(parts).isdisjoint(op.parts))


@cache
def upstream(name: str) -> str:
    """``add_after`` as upstream spells it: ``AddAfter``."""
    return "".join(word.capitalize() for word in name.split("_"))
