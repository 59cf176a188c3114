"""Driver protocol 1 as types: requests, answers and the form of each value.

stingy reads a driver's answers with these types. ``lab.schemas`` publishes them as a JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct, field

from stingy.contract.forms import Item, Ns
from stingy.contract.ops import OPS

PROTOCOL = 1

Kind = Literal["unsupported", "raised", "protocol", "panicked", "uncontrolled", "restless"]


# Requests.


class _Request(Struct, frozen=True, tag_field="op", omit_defaults=True):
    id: int


class Hello(_Request, frozen=True, tag="hello"):
    protocol: int


class Script(Struct, frozen=True, omit_defaults=True):
    """A rate limiter: delays an item's n-th failure by the n-th delay, later ones by the last."""

    delays: list[Ns]
    counts: bool = True
    """Whether it counts failures; if not, it reports that no item has ever failed."""


class Store(Struct, frozen=True, omit_defaults=True):
    """A store that hands out the newest item first. Its length leaves out ``hides`` items."""

    hides: int = 0


class Options(Struct, frozen=True, omit_defaults=True):
    """Options to create a candidate with; each may be left out."""

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
    """Whether the driver must control the order of lanes, if it can; false to leave them free."""


class Settle(_Request, frozen=True, tag="settle"):
    pass


class Advance(_Request, frozen=True, tag="advance"):
    ns: Ns


class StepClock(_Request, frozen=True, tag="step"):
    ns: Ns


Choice = tuple[str, int | None]
"""A turn: the thread to run, and for how many points; null means until it blocks or ends.

An entry with ``WAY`` in place of a thread belongs to the turn before it, in which a ``select`` had
several ready cases. Its number says how many of these cases to pass over; null means 0.
"""

WAY = "select"
"""Marks a ``Choice`` about a ``select``; no thread has this name."""

Steps = list[list[str | dict[str, Any]]]
"""A program: each step is an op, with its item or an object of further keys."""


class Schedule(Struct, frozen=True, omit_defaults=True):
    """The order in which to run a burst, or how to choose many orders."""

    choices: list[Choice] = []
    strategy: Literal["fair", "random", "pct", "sparse"] = "fair"
    seed: int = 0
    interruptions: float = 0
    aloud: bool = False
    """Whether the answer must contain the trail: every turn, and the place where it ended."""
    footprints: bool = False
    """Whether the answer must contain the footprints: what each step touches."""
    runs: int = 0
    """Number of runs, each on a fresh candidate that has received the same requests since ``new``.

    0 means one run, on the current candidate.
    """
    most: int = 0
    """Maximum number of histories in the answer, if there are many runs."""
    then: Steps = []
    """Calls to make after each run; their answers show in which state it left the candidate."""


class Burst(_Request, frozen=True, tag="burst"):
    programs: dict[str, Steps]
    """The program of each lane."""
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


# Answers.


class Error(Struct, frozen=True):
    kind: Kind
    text: str = ""


class Answer(Struct, frozen=True):
    """One line from a driver."""

    id: int
    ok: bool
    val: Any = None
    error: Error | None = None


class Schedules(Struct, frozen=True):
    """How the order in which lanes run can be chosen in this driver."""

    by: list[Literal["choices", "seed"]]
    points: Literal["sync", "fields"] = "sync"
    """Points at which a thread can be made to wait.

    ``sync``: before each operation through which lanes interact, such as taking a lock.
    ``fields``: also before each access to a field.
    """
    packages: list[str] = []
    """Packages of the candidate in whose code threads can be made to wait."""
    uncontrolled: list[str] = []
    """Places in these packages where no thread can be made to wait."""
    footprints: bool = False
    """Whether the driver can report what each step touches, so that every order can be searched."""


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
    """Why the order of lanes cannot be chosen on this machine, and what to do about it."""


class Reading(Struct, frozen=True):
    """A reading of the clock that the candidate sees."""

    now_ns: Ns


class Made(Struct, frozen=True):
    """A call that was made in a burst."""

    lane: str
    op: str
    start: int
    item: Item | None = None
    end: int | None = None
    """Stamp of its return; null if it had not returned when all threads were idle or blocked."""
    val: Any = None
    error: Error | None = None


class Spot(Struct, frozen=True, kw_only=True):
    """A place in the candidate's code."""

    at: str = ""
    """File and line, as in ``queue.go:42``."""
    within: str = field(default="", name="in")
    op: str = ""
    line: str = ""
    after: bool = False
    """Whether the operation at this place has been done already."""


class Rest(Spot, frozen=True, kw_only=True):
    """The place where a thread was at the end of its turn."""

    stamp: int
    """The last stamp drawn before the thread stopped there."""
    cut: bool = False
    """Whether the thread was interrupted, though it could have continued."""
    for_: str = field(default="", name="for")


class Taken(Struct, frozen=True):
    """One turn of a run."""

    who: str
    steps: int = 0
    of: list[str] = []
    """The other threads that could have run."""
    rest: Rest | None = None


class Waits(Spot, frozen=True, kw_only=True):
    """A thread that had not ended when all threads were idle or blocked."""

    who: str
    for_: str = field(default="", name="for")
    holds: list[Spot] = []
    """The places where it took the locks that it still holds."""


class Step(Struct, frozen=True):
    """Step of one thread, from one point to the next. Shared things are identified by numbers."""

    who: str
    of: list[str] = []
    """The other threads that could have run."""
    reads: list[int] = []
    writes: list[int] = []
    releases: list[int] = []
    """Locks that this step releases."""
    joins: list[int] = []
    """Queues of waiting threads that the thread joins or leaves in this step.

    The order of joining matters only if a queue is served while several threads wait in it.
    """
    serves: list[int] = []
    """Queues whose first thread this step lets continue while other threads wait in them."""
    way: int = 0
    """Number of ready cases that a ``select`` in this step passes over."""
    ways: int = 1
    """Number of ready cases that this ``select`` has."""
    wakes: list[str] = []
    """Threads that this step starts, and blocked threads that can run after it.

    Threads that waited for a lock are left out.
    """
    begins: bool = False
    """A call of a lane begins in this step."""
    ends: bool = False
    """A call of a lane ends in this step."""
    late: bool = False
    """Virtual time passed before this step."""


class Footprints(Struct, frozen=True):
    """Things that each step of a run touches."""

    steps: list[Step]
    wants: dict[str, int] = {}
    """Number of the thing that each thread waits for at the end, by the thread's name."""
    exact: bool = False
    """Whether the same turns always lead to the same steps, and every shared thing has a number."""
    known: int = 0
    """Numbers up to this one stand for the same things in every run."""


class History(Struct, frozen=True):
    calls: list[Made]
    choices: list[Choice] = []
    trail: list[Taken] = []
    waiting: list[Waits] = []
    footprints: Footprints | None = None
    left: list[Any] = []
    """Answers to the calls in ``then``, if footprints were asked for."""
    histories: list[History] = []
    """The different histories, if there were many runs."""
    runs: int = 0


VALUES: Mapping[str, Any] = {
    "hello": Greeting,
    **dict.fromkeys(("new", "settle", "advance", "step"), Reading | None),
    "burst": History,
    **{op.name: op.result for op in OPS.values() if op.result is not None},
}
"""Type of ``val`` in an answer with ``ok``, by op; ``val`` is null for ops that are not listed."""
