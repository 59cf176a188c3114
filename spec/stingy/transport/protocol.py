"""Driver protocol 1 as types: requests, answers and the form of each value.

A driver's answers are read by these types. ``lab.schemas`` publishes them as a JSON Schema.
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
    """A rate limiter: an item's n-th failure waits for the n-th delay, later ones for the last."""

    delays: list[Ns]
    counts: bool = True


class Store(Struct, frozen=True, omit_defaults=True):
    """A store that hands out the newest item first; its length leaves out ``hides`` items."""

    hides: int = 0


class Options(Struct, frozen=True, omit_defaults=True):
    """What to create a candidate with; each option may be left out."""

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
    """Whether the order of its lanes is to be chosen, if the driver can do that."""


class Settle(_Request, frozen=True, tag="settle"):
    pass


class Advance(_Request, frozen=True, tag="advance"):
    ns: Ns


class StepClock(_Request, frozen=True, tag="step"):
    ns: Ns


Choice = tuple[str, int | None]
"""A turn: the thread to run, and for how many points; null means until it blocks or ends.

With ``WAY`` in place of a thread, it is about the turn before, in which a ``select`` had several
ready cases: so many of them are passed over, none for null.
"""

WAY = "select"
"""Reserved: no thread has this name."""

Steps = list[list[str | dict[str, Any]]]
"""A program: each step is an op, with its item or an object of further keys."""


class Schedule(Struct, frozen=True, omit_defaults=True):
    """The order in which to run a burst, or how to choose many orders."""

    choices: list[Choice] = []
    strategy: Literal["fair", "random", "pct", "sparse"] = "fair"
    seed: int = 0
    interruptions: float = 0
    aloud: bool = False
    """Whether the answer is to have the trail."""
    footprints: bool = False
    """Whether the answer is to have the footprints: what each step touches."""
    runs: int = 0
    """Number of runs, each on a fresh candidate that has received the same requests since ``new``.

    0 means one run, on the candidate that there is.
    """
    most: int = 0
    """Most histories to answer with, if there are many runs."""
    then: Steps = []
    """Calls made after each run, to tell histories apart by the state that they leave."""


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
    """How the driver lets the order of lanes be chosen."""

    by: list[Literal["choices", "seed"]]
    points: Literal["sync", "fields"] = "sync"
    """Where a thread can be made to wait: before each operation that lanes interact through.

    With ``fields``, also before each access to a field.
    """
    packages: list[str] = []
    """Parts of the candidate's code that are under control."""
    uncontrolled: list[str] = []
    """Places in these packages that are not under control."""
    footprints: bool = False
    """Whether it can report what each step touches, so that every order can be searched."""


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
    """null for a call that had not returned when nothing moved any more."""
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
    """Where a thread stands at the end of its turn."""

    stamp: int
    """The last stamp drawn before the thread stopped there."""
    cut: bool = False
    """Whether the thread could have continued."""
    for_: str = field(default="", name="for")


class Taken(Struct, frozen=True):
    """One turn of a run."""

    who: str
    steps: int = 0
    of: list[str] = []
    """The other threads that could have run."""
    rest: Rest | None = None


class Waits(Spot, frozen=True, kw_only=True):
    """A thread that had not ended when nothing moved any more."""

    who: str
    for_: str = field(default="", name="for")
    holds: list[Spot] = []
    """The locks that it holds, by the places where it took them."""


class Step(Struct, frozen=True):
    """What one thread does from one point to the next. Things that threads share have numbers."""

    who: str
    of: list[str] = []
    """The other threads that could have run."""
    reads: list[int] = []
    writes: list[int] = []
    releases: list[int] = []
    """Locks that it releases: the next thread to take one comes after this step."""
    joins: list[int] = []
    """Queues of waiting threads that it joins or leaves.

    Who joins a queue first matters only if the queue is served while several threads wait in it.
    """
    serves: list[int] = []
    """Queues of which this step lets the first thread continue while others wait."""
    way: int = 0
    """Number of ready cases of a ``select`` that it passes over."""
    ways: int = 1
    """Number of ready cases of that ``select``."""
    wakes: list[str] = []
    """Threads that this step starts, and threads that could not run before it.

    Threads that waited for a lock are not among them.
    """
    begins: bool = False
    """A call of a lane begins in this step."""
    ends: bool = False
    """A call of a lane ends in this step."""
    late: bool = False
    """Virtual time passed before this step."""


class Footprints(Struct, frozen=True):
    """What each step of a run touches."""

    steps: list[Step]
    wants: dict[str, int] = {}
    """What each thread waits for at the end, by the thread's name."""
    exact: bool = False
    """Whether the same turns always lead to the same steps, and everything shared has a number."""
    known: int = 0
    """Numbers up to this one mean the same things in every run."""


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
"""Form of the ``val`` of a good answer, by op; null for every other op."""
