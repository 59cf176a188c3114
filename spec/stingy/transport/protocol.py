"""Driver protocol 1 as types: what is asked, what is answered, and of what form each value is.

What a driver answers is read by them, and ``stingy.schemas`` makes of them a schema for everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct

from stingy.forms import Item, Ns
from stingy.ops import OPS

PROTOCOL = 1

Kind = Literal["unsupported", "raised", "protocol"]


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


REQUESTS = (Hello, New, Settle, Advance, StepClock, Burst, Bye)
CALLS = tuple(
    defstruct(
        op.upstream,
        [(argument.key, argument.form) for argument in op.arguments],
        bases=(_Call,),
        module=__name__,
        frozen=True,
        tag=op.name,
    )
    for op in OPS.values()
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
    **{op.name: op.result for op in OPS.values() if op.result is not None},
}
"""By op, of what form the ``val`` of a good answer is; that of any other is null."""
