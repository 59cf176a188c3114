"""Driver protocol 1 as types: what is asked, what is answered, and of what form each value is.

What a driver answers is read by them, and ``lab.schemas`` makes of them a schema for everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct, field

from stingy.forms import Item, Ns
from stingy.ops import OPS

PROTOCOL = 1

Kind = Literal["unsupported", "raised", "protocol", "panicked", "uncontrolled", "restless"]


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
    control: bool = True
    """Whether the order of its lanes is to be chosen, where that is possible."""


class Settle(_Request, frozen=True, tag="settle"):
    pass


class Advance(_Request, frozen=True, tag="advance"):
    ns: Ns


class StepClock(_Request, frozen=True, tag="step"):
    ns: Ns


Choice = tuple[str, int | None]
"""Who goes on, and after how many steps somebody else does; null for whoever cannot go on then. With ``WAY``: which case the
select takes of which several are ready in that turn; so many of them are passed over, and none for null."""

WAY = "select"
"""No name of anybody who goes on."""

Steps = list[list[str | dict[str, Any]]]
"""A program: each step is an op, and the item or an object of the further keys that it goes with."""


class Schedule(Struct, frozen=True, omit_defaults=True):
    """In which order a burst is to be run, or in which orders."""

    choices: list[Choice] = []
    strategy: Literal["fair", "random", "pct", "sparse"] = "fair"
    seed: int = 0
    interruptions: float = 0
    aloud: bool = False
    """Whether the trail is wanted."""
    footprints: bool = False
    """Whether it is wanted what each step has to do with."""
    runs: int = 0
    """So often, each time with a fresh candidate of which the same has been asked; 0 for once, with this one."""
    most: int = 0
    """So many different histories are wanted."""
    then: Steps = []
    """What is done in the end, to tell histories apart by the state in which they leave the candidate."""


class Burst(_Request, frozen=True, tag="burst"):
    programs: dict[str, Steps]
    """By lane."""
    seed: int
    ns: Ns = 0
    schedule: Schedule | None = None


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


class Schedules(Struct, frozen=True):
    """How the order of lanes can be chosen."""

    by: list[Literal["choices", "seed"]]
    points: Literal["sync", "fields"] = "sync"
    """Where lanes can be made to wait: before each operation that they meet in, or before each access to a field, too."""
    packages: list[str] = []
    """The parts of the candidate's code that are under control."""
    uncontrolled: list[str] = []
    """The places in them that are not."""
    footprints: bool = False
    """Whether it can tell what each step has to do with, so that every order can be searched through."""


class Capabilities(Struct, frozen=True):
    virtual_clock: bool = False
    settle: bool = False
    burst: bool = False
    cancel: bool = False
    step: bool = False
    meanwhile: bool = False
    resolution_ns: Annotated[int, Meta(ge=1)] = 1
    schedules: Schedules | None = None


class Greeting(Struct, frozen=True):
    protocol: int
    name: str | None
    ops: list[str]
    capabilities: Capabilities
    version: str | None = ""
    build: str | None = ""
    language: str | None = ""
    kubernetes: str | None = ""
    unscheduled: str | None = ""
    """Why the order of lanes cannot be chosen here, where that is possible elsewhere; what to do about it."""


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


class Spot(Struct, frozen=True, kw_only=True):
    """A place in the candidate's code."""

    at: str = ""
    """Its file and line, as in ``queue.go:42``."""
    within: str = field(default="", name="in")
    op: str = ""
    line: str = ""
    after: bool = False
    """What is done there has been done."""


class Rest(Spot, frozen=True, kw_only=True):
    """Where somebody stands when others go on."""

    stamp: int
    """That it follows."""
    cut: bool = False
    """It could have gone on."""
    for_: str = field(default="", name="for")


class Taken(Struct, frozen=True):
    """A turn that was taken."""

    who: str
    steps: int = 0
    of: list[str] = []
    """Who else could have gone on."""
    rest: Rest | None = None


class Waits(Spot, frozen=True, kw_only=True):
    """Who has not come to an end when all was quiet."""

    who: str
    for_: str = field(default="", name="for")
    holds: list[Spot] = []
    """By where each was taken, the locks that it has."""


class Step(Struct, frozen=True):
    """Somebody goes on, from one point to the next. Things that lanes meet in have numbers, from 1."""

    who: str
    of: list[str] = []
    """Who else could have gone on."""
    reads: list[int] = []
    writes: list[int] = []
    releases: list[int] = []
    """Locks: whoever takes one next comes after this step."""
    joins: list[int] = []
    """Lines of those who wait: it matters who joins one first only if it is served while several stand in it."""
    serves: list[int] = []
    """Such lines of which this step lets the first go on, while others wait."""
    way: int = 0
    """How many ready cases of a select are passed over …"""
    ways: int = 1
    """… of so many."""
    wakes: list[str] = []
    """Who had to wait for this step, or begins by it."""
    begins: bool = False
    """A call of a lane begins."""
    ends: bool = False
    """One ends."""
    late: bool = False
    """Time has passed before."""


class Footprints(Struct, frozen=True):
    """What each step of a run had to do with."""

    steps: list[Step]
    wants: dict[str, int] = {}
    """The thing that somebody waits for in the end."""
    exact: bool = False
    """The same turns lead to the same steps, and all that lanes meet in was seen."""
    known: int = 0
    """Up to this number, things have the same one in every run."""


class History(Struct, frozen=True):
    calls: list[Made]
    choices: list[Choice] = []
    trail: list[Taken] = []
    waiting: list[Waits] = []
    footprints: Footprints | None = None
    left: list[Any] = []
    """What was found in the end, where that was asked for beside footprints."""
    histories: list[History] = []
    """Of many runs, the different ones."""
    runs: int = 0


VALUES: Mapping[str, Any] = {
    "hello": Greeting,
    **dict.fromkeys(("new", "settle", "advance", "step"), Reading | None),
    "burst": History,
    **{op.name: op.result for op in OPS.values() if op.result is not None},
}
"""By op, of what form the ``val`` of a good answer is; that of any other is null."""
