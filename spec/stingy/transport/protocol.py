"""Driver protocol 1 as types: what is asked, what is answered, and of what form each value is.

What a driver answers is read by them, and ``stingy.schemas`` makes of them a schema for everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

PROTOCOL = 1

Kind = Literal["unsupported", "raised", "protocol"]
Ns = Annotated[int, Meta(description="Nanoseconds.")]
Item = Annotated[str, Meta(description="Well-formed Unicode; the empty string is an item.")]


# What is asked of a driver.


class _Request(Struct, frozen=True, tag_field="op", omit_defaults=True):
    id: int


class Hello(_Request, frozen=True, tag="hello"):
    protocol: int


class Script(Struct, frozen=True, omit_defaults=True):
    """A rate limiter: the first failure of an item waits for the first of the delays, and so on."""

    delays: list[Ns]
    counts: bool = True


class Store(Struct, frozen=True, omit_defaults=True):
    """A store that hands out what came last, and whose length is so many less than it holds."""

    hides: int = 0


class Options(Struct, frozen=True, omit_defaults=True):
    """What a candidate is to be made with; each may be left out."""

    queue: Store | None = None
    metrics: dict[str, Any] | None = None
    name: str = ""
    rate_limiter: Script | None = None
    limiter: Script | None = None
    limiters: list[Script] = []
    base_delay: Ns = 0
    max_delay: Ns = 0
    fast_delay: Ns = 0
    slow_delay: Ns = 0
    max_fast_attempts: int = 0
    rate: float = 0
    burst: int = 0
    watched: bool = False
    max_concurrent_reconciles: int = 1
    ip_family: Literal["IPv4", "IPv6"] = "IPv4"


class New(_Request, frozen=True, tag="new"):
    impl: str
    options: Options


class Settle(_Request, frozen=True, tag="settle"):
    pass


class Advance(_Request, frozen=True, tag="advance"):
    ns: Ns


class StepClock(_Request, frozen=True, tag="step"):
    ns: Ns


class Burst(_Request, frozen=True, tag="burst"):
    programs: dict[str, list[list[str | dict[str, Any]]]]
    """By lane: each step is an op, and the item or an object of the further keys that it goes with."""
    seed: int
    ns: Ns = 0


class Bye(_Request, frozen=True, tag="bye"):
    pass


class _Call(_Request, frozen=True):
    lane: str


class Add(_Call, frozen=True, tag="add"):
    item: Item


class Get(_Call, frozen=True, tag="get"):
    pass


class Done(_Call, frozen=True, tag="done"):
    item: Item


class Len(_Call, frozen=True, tag="len"):
    pass


class ShutDown(_Call, frozen=True, tag="shut_down"):
    pass


class ShuttingDown(_Call, frozen=True, tag="shutting_down"):
    pass


class ShutDownWithDrain(_Call, frozen=True, tag="shut_down_with_drain"):
    pass


class HookCalls(_Call, frozen=True, tag="hook_calls"):
    pass


class Kept(_Call, frozen=True, tag="kept"):
    pass


class Running(_Call, frozen=True, tag="running"):
    pass


class AddAfter(_Call, frozen=True, tag="add_after"):
    item: Item
    ns: Ns


class AddRateLimited(_Call, frozen=True, tag="add_rate_limited"):
    item: Item


class Forget(_Call, frozen=True, tag="forget"):
    item: Item


class NumRequeues(_Call, frozen=True, tag="num_requeues"):
    item: Item


class When(_Call, frozen=True, tag="when"):
    item: Item


class Metrics(_Call, frozen=True, tag="metrics"):
    pass


class Start(_Call, frozen=True, tag="start"):
    pass


class Stop(_Call, frozen=True, tag="stop"):
    pass


class Reconciles(_Call, frozen=True, tag="reconciles"):
    pass


class Finish(_Call, frozen=True, tag="finish"):
    item: Item
    kind: Literal["ok", "error", "panic", "terminal", "wrapped", "requeue", "requeue_after", "both"]
    ns: Ns


class AddWithOpts(_Call, frozen=True, tag="add_with_opts"):
    item: Item
    priority: int
    ns: Ns
    rate_limited: bool


class GetWithPriority(_Call, frozen=True, tag="get_with_priority"):
    pass


class Condition(Struct, frozen=True):
    type: str
    status: str
    last_transition: Ns | None


class Pod(Struct, frozen=True):
    name: str
    uid: str
    conditions: list[Condition]


class Service(Struct, frozen=True):
    name: str
    created: Ns | None
    labels: dict[str, str]
    annotations: dict[str, str]
    ports: list[int]
    resource_version: str


class Slice(Struct, frozen=True):
    namespace: str
    name: str
    service: str | None
    address_type: str
    annotations: dict[str, str]
    labels: dict[str, str]
    ports: list[int]
    endpoints: list[str]
    resource_version: str


class Compute(_Call, frozen=True, tag="compute"):
    namespace: str
    service: Service
    pods: list[Pod]


class Delete(_Call, frozen=True, tag="delete"):
    namespace: str
    name: str


class Format(_Call, frozen=True, tag="format"):
    instant: Ns | None


class Parse(_Call, frozen=True, tag="parse"):
    text: str | None


class Update(_Call, frozen=True, tag="update"):
    slice: Slice


class Remove(_Call, frozen=True, tag="remove"):
    slice: Slice


class Checkout(_Call, frozen=True, tag="checkout"):
    pass


class ServicesSynced(_Call, frozen=True, tag="services_synced"):
    pass


class SlicesSynced(_Call, frozen=True, tag="slices_synced"):
    pass


class Program(Struct, frozen=True, omit_defaults=True):
    """How the rules are programmed."""

    ok: bool
    takes_ns: Ns
    step_ns: Ns = 0


class Sync(_Call, frozen=True, tag="sync"):
    program: Program


class Metric(_Call, frozen=True, tag="metric"):
    pass


REQUESTS = (Hello, New, Settle, Advance, StepClock, Burst, Bye)
CALLS = (
    *(Add, Get, Done, Len, ShutDown, ShuttingDown, ShutDownWithDrain, HookCalls, Kept),
    *(Running, AddAfter, AddRateLimited),
    *(Forget, NumRequeues, When, Metrics, Start, Stop, Reconciles, Finish, AddWithOpts, GetWithPriority),
    *(Compute, Delete, Format, Parse, Update, Remove, Checkout, ServicesSynced, SlicesSynced, Sync, Metric),
)


# What it answers.


class Error(Struct, frozen=True):
    kind: Kind
    text: str = ""


class Answer(Struct, frozen=True):
    """One line of a driver."""

    id: int
    ok: bool
    val: Any = None
    error: Error | None = None


class Capabilities(Struct, frozen=True):
    virtual_clock: bool = False
    settle: bool = False
    burst: bool = False
    cancel: bool = False
    step: bool = False
    resolution_ns: Annotated[int, Meta(ge=1)] = 1


class Greeting(Struct, frozen=True):
    protocol: int
    name: str | None
    ops: list[str]
    capabilities: Capabilities
    version: str | None = ""
    build: str | None = ""
    language: str | None = ""
    kubernetes: str | None = ""


class Reading(Struct, frozen=True):
    """Of the clock that the candidate sees."""

    now_ns: Ns


class HandedOut(Struct, frozen=True):
    item: Item | None
    shutdown: bool


class HandedOutWithPriority(Struct, frozen=True):
    item: Item | None
    priority: int
    shutdown: bool


class Changes(Struct, frozen=True):
    services: list[str]
    trigger_times: dict[str, list[Ns]]


class Histogram(Struct, frozen=True):
    name: str
    buckets: list[tuple[float | None, int]]
    """Each bound, null for the infinite one, and the cumulative count."""
    count: int
    sum: float
    kind: str | None = None
    labels: dict[str, str] | None = None


class Made(Struct, frozen=True):
    """A call of a burst."""

    lane: str
    op: str
    start: int
    item: Item | None = None
    end: int | None = None
    """null for a call that had not returned when everything had settled."""
    val: Any = None
    error: Error | None = None


class History(Struct, frozen=True):
    calls: list[Made]


VALUES: Mapping[str, Any] = {
    "hello": Greeting,
    **dict.fromkeys(("new", "settle", "advance", "step"), Reading | None),
    "burst": History,
    "get": HandedOut,
    "get_with_priority": HandedOutWithPriority,
    **dict.fromkeys(("len", "num_requeues", "running"), int),
    **dict.fromkeys(("shutting_down", "update", "remove", "finish"), bool),
    "hook_calls": list[list[str]],
    "when": int | float | None,
    "metrics": dict[str, dict[str, float | list[float]]],
    **dict.fromkeys(("reconciles", "kept"), list[Item]),
    **dict.fromkeys(("compute", "parse"), int | None),
    "format": str | None,
    "checkout": Changes,
    "sync": list[float],
    "metric": Histogram,
}
"""By op, of what form the ``val`` of a good answer is; that of any other is null."""
