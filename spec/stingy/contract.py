"""What a candidate offers: one protocol a profile. An implementer need read no other file.

A candidate needs no import of this package: the methods that are there decide the profiles that
are offered. Delays are float seconds, as everywhere in Python; instants are integer nanoseconds
since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stingy.ops import Part, of

Nanoseconds = int

MICROSECOND: Nanoseconds = 1_000
MILLISECOND: Nanoseconds = 1_000_000
SECOND: Nanoseconds = 1_000_000_000
MINUTE: Nanoseconds = 60 * SECOND

LAST_CHANGE_TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time"
"""The annotation that carries a trigger time from the control plane to the nodes."""

LATENCY_METRIC = "kubeproxy_network_programming_duration_seconds"


class Clock(Protocol):
    """The clock of the machine that a candidate runs on. The suite hands it in, and moves it."""

    def time_ns(self) -> Nanoseconds: ...

    def monotonic_ns(self) -> Nanoseconds: ...


class WorkQueue(Protocol):
    """Profile ``queue``. Made with no arguments, or with those it names of:

    - ``clock``;
    - ``queue``, a ``Queue`` to keep its items in (profile ``hook``);
    - ``metrics``, a ``MetricsProvider``, and ``name``, the queue's own (profile ``metrics``);
    - ``rate_limiter``, a ``RateLimiter`` (profile ``limit``).
    """

    def add(self, item: Hashable) -> None: ...

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` after shutdown.

        With ``async def`` it is a candidate for asyncio. Its other methods may then be so too, each for
        itself; ``__len__`` cannot.
        """

    def done(self, item: Hashable) -> None: ...

    def __len__(self) -> int: ...

    def shut_down(self) -> None: ...

    def shutting_down(self) -> bool: ...


class DrainingQueue(WorkQueue, Protocol):
    """Profile ``drain``."""

    def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no item is being processed."""


class CancellableQueue(Protocol):
    """Profile ``cancel``: a work queue with a Get that can be cancelled while it waits, as a coroutine can."""

    async def get(self) -> tuple[Hashable | None, bool]: ...


class Queue(Protocol):
    """What a work queue keeps the items in that a worker can take: its order is the order of handing out.

    The work queue never calls two of its methods at once. The suite hands one in (profile ``hook``).
    """

    def touch(self, item: Hashable) -> None:
        """The item is here already, and has been added once more."""

    def push(self, item: Hashable) -> None: ...

    def pop(self) -> Hashable:
        """Take out what is to be handed out next; only called while ``len`` is not 0."""

    def __len__(self) -> int: ...


class DelayingQueue(WorkQueue, Protocol):
    """Profile ``delay``."""

    def add_after(self, item: Hashable, seconds: float, /) -> None:
        """Add the item when so much time has passed; at once if that is 0 or less."""


class RateLimiter(Protocol):
    """Profile ``limit``: how long an item has to wait that has failed so often.

    There are five kinds, made with the arguments named here; all times are in seconds.

    - ``ExponentialRateLimiter(base_delay, max_delay)``
    - ``FastSlowRateLimiter(fast_delay, slow_delay, max_fast_attempts)``
    - ``BucketRateLimiter(rate, burst)``: so many a second, and so many at once
    - ``MaxOfRateLimiter(limiters)``, a sequence of others
    - ``MaxWaitRateLimiter(limiter, max_delay)``

    And two that are made with no arguments, with the numbers that upstream has chosen:
    ``DefaultControllerRateLimiter()`` and ``DefaultItemRateLimiter()``.
    """

    def when(self, item: Hashable, /) -> float:
        """Note that the item has failed (again), and say how many seconds it is to wait."""

    def forget(self, item: Hashable, /) -> None:
        """It has succeeded, or will not be tried again."""

    def num_requeues(self, item: Hashable, /) -> int:
        """How often it has failed."""


class RateLimitingQueue(WorkQueue, Protocol):
    """Profile ``limit``. Made with ``rate_limiter``, which it asks; its clock may be the machine's."""

    def add_rate_limited(self, item: Hashable, /) -> None:
        """Add the item when its rate limiter says that it may come."""

    def forget(self, item: Hashable, /) -> None:
        """Tell the rate limiter; the queue itself is not concerned."""

    def num_requeues(self, item: Hashable, /) -> int: ...


class PriorityQueue(Protocol):
    """Profile ``priority``: the work queue of controller-runtime. May be made with a ``rate_limiter``."""

    def add_with_opts(
        self, item: Hashable, /, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        """Add the item with a priority (the higher the sooner), after so many seconds, or as its limiter says."""

    def get_with_priority(self) -> tuple[Hashable | None, int, bool]:
        """Wait for an item: ``(item, priority, False)``, or ``(None, 0, True)`` after shutdown."""

    def done(self, item: Hashable) -> None: ...

    def __len__(self) -> int: ...

    def shut_down(self) -> None: ...


class Result(Protocol):
    """What a reconcile may return; made with what it names: ``requeue_after`` (seconds), ``requeue``."""


class Controller(Protocol):
    """Profile ``controller``. Made with ``reconcile``, and with those it names of:

    - ``max_concurrent_reconciles``; without it, the rules about so many workers are not asked;
    - ``rate_limiter``; without it, no reconcile fails or asks to be called again at once.

    ``reconcile(key)`` returns a ``Result`` or None, or raises. A class ``Result`` stands beside the
    controller, in its module or in its class; so does ``TerminalError``, if there is such an error, after
    which a key is not tried again. If ``start`` is a coroutine function, so is ``reconcile``.
    """

    def add(self, key: Hashable, /) -> None:
        """Something has happened to the object with this key."""

    def start(self) -> None:
        """Start the workers; return at once, or when the controller has been stopped."""

    def stop(self) -> None:
        """Let no new key in. Once it and ``start`` have returned, no worker is left."""


class Counter(Protocol):
    def inc(self) -> None: ...


class Gauge(Protocol):
    def inc(self) -> None: ...

    def dec(self) -> None: ...


class SettableGauge(Protocol):
    def set(self, value: float, /) -> None: ...


class Observer(Protocol):
    def observe(self, seconds: float, /) -> None: ...


class MetricsProvider(Protocol):
    """Where a work queue gets its metrics from, each for the queue of this name (profile ``metrics``)."""

    def depth(self, name: str, /) -> Gauge: ...

    def adds(self, name: str, /) -> Counter: ...

    def queue_duration(self, name: str, /) -> Observer: ...

    def work_duration(self, name: str, /) -> Observer: ...

    def unfinished_work(self, name: str, /) -> SettableGauge: ...

    def longest_running(self, name: str, /) -> SettableGauge: ...

    def retries(self, name: str, /) -> Counter: ...


@dataclass(frozen=True)
class Condition:
    """One of the conditions of a Pod, as its status lists them."""

    type: str
    status: str
    """``True``, ``False`` or ``Unknown``."""
    last_transition: Nanoseconds | None = None
    """When the status last changed, by the clock of whoever changed it; None where nobody has said."""


@dataclass(frozen=True)
class Pod:
    """As much of a Pod as its trigger time depends on."""

    name: str
    conditions: tuple[Condition, ...] = ()
    uid: str = ""
    """Another one for another Pod of the same name."""


@dataclass(frozen=True)
class Service:
    """As much of a Service as its trigger time might depend on."""

    name: str
    created: Nanoseconds | None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    ports: tuple[int, ...] = ()
    resource_version: str = ""


class TriggerTimeTracker(Protocol):
    """Profile ``trigger``: what the EndpointSlice controller asks each time it has looked at a Service."""

    def compute(self, namespace: str, service: Service, pods: Sequence[Pod], /) -> Nanoseconds | None:
        """When that happened which the slices now have to tell of; None if nothing has.

        ``pods`` are all that the Service selects now. Calls for one Service come one after the other.
        """

    def delete(self, namespace: str, name: str, /) -> None:
        """The Service is gone."""


class AnnotationCodec(Protocol):
    """Profile ``trigger``: a trigger time as the text of the annotation. To offer one of the two is enough."""

    def format(self, instant: Nanoseconds | None, /) -> str | None:
        """What the annotation is to hold; None where a slice is to have none."""

    def parse(self, text: str | None, /) -> Nanoseconds | None:
        """The trigger time that an annotation holds; None where there is none, or where it cannot be read."""


@dataclass(frozen=True)
class EndpointSlice:
    """As much of an EndpointSlice as kube-proxy's change tracker looks at."""

    namespace: str
    name: str
    service: str | None
    address_type: str = "IPv4"
    annotations: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    ports: tuple[int, ...] = ()
    endpoints: tuple[str, ...] = ()
    resource_version: str = ""


class Changes(Protocol):
    """What a checkout hands over; services are written ``namespace/name``."""

    @property
    def services(self) -> frozenset[str]: ...

    @property
    def trigger_times(self) -> Mapping[str, Sequence[Nanoseconds]]: ...


class EndpointsChangeTracker(Protocol):
    """Profile ``tracker``. Made with those it names of: ``clock``, ``ip_family`` ("IPv4" or "IPv6")."""

    def update(self, slice_: EndpointSlice, /) -> bool:
        """Note a slice that was added or changed; say whether there is something to program."""

    def remove(self, slice_: EndpointSlice, /) -> bool: ...

    def checkout(self) -> Changes: ...


class Histogram(Protocol):
    """A Prometheus histogram as it is exposed: bucket counts are cumulative, the last bound is infinite.

    It may tell two things besides, and is then judged by them: ``kind``, its type as a string, and ``labels``,
    a mapping of names to values.
    """

    @property
    def name(self) -> str: ...

    @property
    def buckets(self) -> Sequence[tuple[float, int]]: ...

    @property
    def count(self) -> int: ...

    @property
    def sum(self) -> float: ...


class Proxy(Protocol):
    """Profile ``proxy``. Made with those it names of: ``clock``, ``ip_family``."""

    def update(self, slice_: EndpointSlice, /) -> bool: ...

    def remove(self, slice_: EndpointSlice, /) -> bool: ...

    def services_synced(self) -> None:
        """The first list of Services is complete."""

    def slices_synced(self) -> None:
        """The first list of EndpointSlices is complete."""

    def sync(self, program: Callable[[], bool]) -> Sequence[float]:
        """Program the rules by calling ``program`` once; return the latencies observed, in seconds."""

    def metric(self) -> Histogram: ...


@dataclass(frozen=True)
class Profile:
    """A set of guarantees that a candidate can offer."""

    name: str
    maker: str
    """What a module of factories calls its factory, and what a driver is asked to make."""
    protocol: str
    """What a module of classes calls its class."""
    ops: frozenset[str]
    """The methods that must be there; ``len`` is the one that Python spells ``__len__``."""
    takes: frozenset[str] = frozenset()
    """The arguments that it must be possible to make it with."""
    tells: frozenset[str] = frozenset()
    """What a driver has to tell besides; in this process the suite sees it for itself."""
    cancels: bool = False
    """Whether it must be possible to cancel a Get that waits."""
    named: bool = False
    """Whether only its name tells it from others, for it is made with no arguments."""
    may_take: frozenset[str] = frozenset()
    """The arguments that it is made with where that is possible; some of the rules are about them."""


def _ops(*parts: Part) -> frozenset[str]:
    return frozenset(op.name for op in of(*parts) if not op.told)


def _told(*parts: Part) -> frozenset[str]:
    """What a driver has to tell besides."""
    return frozenset(op.name for op in of(*parts) if op.told)


_QUEUE = _ops("queue")
_DELAY = _ops("queue", "delay")
_MEASURED = frozenset({"metrics", "name"})


def _limiter(kind: str, *takes: str) -> Profile:
    maker = f"{kind}_rate_limiter"
    protocol = "".join(word.capitalize() for word in maker.split("_"))
    return Profile("limit", maker, protocol, _ops("limiter"), frozenset(takes), named=not takes)


def _codec(*parts: Part) -> Profile:
    return Profile("trigger", "annotation_codec", "AnnotationCodec", _ops(*parts))


PROFILES: Mapping[str, Profile] = {
    "queue": Profile("queue", "work_queue", "WorkQueue", _QUEUE),
    "cancel": Profile("cancel", "work_queue", "WorkQueue", _QUEUE, cancels=True),
    "drain": Profile("drain", "work_queue", "WorkQueue", _ops("queue", "drain")),
    "hook": Profile("hook", "work_queue", "WorkQueue", _QUEUE, frozenset({"queue"}), _told("hook")),
    "memory": Profile("memory", "work_queue", "WorkQueue", _QUEUE, tells=_told("memory")),
    "ending": Profile("ending", "delaying_queue", "DelayingQueue", _DELAY, tells=_told("ending")),
    "ending, drain": Profile(
        "ending",
        "delaying_queue",
        "DelayingQueue",
        _ops("queue", "delay", "drain"),
        tells=_told("ending"),
    ),
    "ending, metrics": Profile(
        "ending", "work_queue", "WorkQueue", _QUEUE, _MEASURED, _told("metrics", "ending")
    ),
    "delay": Profile("delay", "delaying_queue", "DelayingQueue", _DELAY),
    "delay, drain": Profile("delay", "delaying_queue", "DelayingQueue", _ops("queue", "delay", "drain")),
    "limit": Profile(
        "limit",
        "rate_limiting_queue",
        "RateLimitingQueue",
        _ops("queue", "limit"),
        frozenset({"rate_limiter"}),
    ),
    "limit, delay": Profile(
        "limit",
        "rate_limiting_queue",
        "RateLimitingQueue",
        _ops("queue", "delay", "limit"),
        frozenset({"rate_limiter"}),
    ),
    "exponential": _limiter("exponential", "base_delay", "max_delay"),
    "fast_slow": _limiter("fast_slow", "fast_delay", "slow_delay", "max_fast_attempts"),
    "bucket": _limiter("bucket", "rate", "burst"),
    "max_of": _limiter("max_of", "limiters"),
    "max_wait": _limiter("max_wait", "limiter", "max_delay"),
    "default_controller": _limiter("default_controller"),
    "default_item": _limiter("default_item"),
    "metrics": Profile("metrics", "work_queue", "WorkQueue", _QUEUE, _MEASURED, _told("metrics")),
    "metrics, drain": Profile(
        "metrics", "work_queue", "WorkQueue", _ops("queue", "drain"), _MEASURED, _told("metrics")
    ),
    "metrics, delay": Profile(
        "metrics", "delaying_queue", "DelayingQueue", _DELAY, _MEASURED, _told("metrics")
    ),
    "controller": Profile(
        "controller",
        "controller",
        "Controller",
        _ops("controller"),
        frozenset({"reconcile"}),
        _told("controller"),
        may_take=frozenset({"max_concurrent_reconciles", "rate_limiter"}),
    ),
    "priority": Profile("priority", "priority_queue", "PriorityQueue", _ops("priority")),
    "priority, limit": Profile(
        "priority", "priority_queue", "PriorityQueue", _ops("priority"), frozenset({"rate_limiter"})
    ),
    "trigger": Profile("trigger", "trigger_time_tracker", "TriggerTimeTracker", _ops("trigger")),
    "writing": _codec("writing"),
    "reading": _codec("reading"),
    "codec": _codec("writing", "reading"),
    "tracker": Profile("tracker", "change_tracker", "EndpointsChangeTracker", _ops("tracker")),
    "proxy": Profile("proxy", "proxy", "Proxy", _ops("proxy")),
    "proxy, family": Profile("proxy", "proxy", "Proxy", _ops("proxy"), frozenset({"ip_family"})),
}
"""What a rule may be about. Some profiles have a second entry here, which asks for more: only a few of its rules do."""
