"""What a candidate offers: one protocol a profile. An implementer need read no other file.

A candidate needs no import of this package: the methods that are there decide the profiles that are offered.

What holds for every method, unless it says otherwise:

- It may be called by any thread at any time, also while another call of it, or of another method, is under way or waits.
- It waits for nothing but a lock that is held for a moment. Those that wait longer say for what.
- It raises nothing when it is called as described. What is not described is not asked, or only by a probe, which accuses nobody.
- Items are hashable. Two that are equal are the same item, and an empty one (``""``, ``0``, ``None``) is an item like any other.
- Spans are float seconds, as everywhere in Python; instants are integer nanoseconds since the epoch.
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

    def time_ns(self) -> Nanoseconds:
        """What the wall clock shows. It may be set, forward or back, at any moment."""

    def monotonic_ns(self) -> Nanoseconds:
        """A reading that only grows, as fast as time passes; its beginning means nothing."""


class WorkQueue(Protocol):
    """Profile ``queue``: hands out each item that is added, once however often, and never to two workers at once.

    Between its Get and its Done an item is *processing*. While it is queued, or is to come back, it is *dirty*.

    Made with no arguments, or with those it names of:

    - ``clock``, a ``Clock``;
    - ``queue``, a ``Queue`` to keep its items in (profile ``hook``);
    - ``metrics``, a ``MetricsProvider``, and ``name``, the queue's own (profile ``metrics``);
    - ``rate_limiter``, a ``RateLimiter`` (profile ``limit``).

    Upstream: ``workqueue.TypedInterface`` of client-go, in ``util/workqueue/queue.go``.
    """

    def add(self, item: Hashable) -> None:
        """Mark the item as needing processing.

        If it is queued already, nothing changes, its place neither. If it is processing, it comes back after its ``done``.
        Otherwise it is put at the end, and one worker that waits in ``get`` is woken. After shutdown it is ignored.
        """

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` after shutdown.

        Items come in the order in which they were first added. It waits while nothing is queued and nobody has shut down; after
        shutdown it goes on to hand out what is queued, and reports the shutdown when there is no more. Whoever is given an item
        calls ``done`` for it, once.

        With ``async def`` it is a candidate for asyncio, all of whose calls come from one event loop. Its other methods may then be
        so too, each for itself; ``__len__`` cannot.
        """

    def done(self, item: Hashable) -> None:
        """The item has been processed, well or badly: it may be handed out again.

        If it was added meanwhile, it is queued now, at the end, also after shutdown. Called by whoever was given it, once for each time;
        for an item that nobody holds it is not defined.
        """

    def __len__(self) -> int:
        """How many items are queued; those that are processing do not count, nor do those that are to come back."""

    def shut_down(self) -> None:
        """Let no new item in, and send all home who wait in ``get``, as soon as nothing is queued.

        Returns at once, whoever still holds an item. A second call changes nothing.
        """

    def shutting_down(self) -> bool:
        """Whether somebody has begun to shut down, by whichever method. Once it is so it remains so."""


class DrainingQueue(WorkQueue, Protocol):
    """Profile ``drain``: a work queue that can wait for its workers when it shuts down.

    Upstream: ``TypedInterface.ShutDownWithDrain``, since client-go v0.23.
    """

    def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no item is being processed.

        Items that are queued are still handed out. Upstream's comment promises to wait for them too, its code does not: both are
        accepted. It ends early if another thread calls ``shut_down``. If several wait at once, one of them has to return;
        client-go wakes no more.
        """


class CancellableQueue(Protocol):
    """Profile ``cancel``: a work queue with a Get that can be cancelled while it waits, as a coroutine can."""

    async def get(self) -> tuple[Hashable | None, bool]:
        """As that of a work queue. If it is cancelled, no item is lost: what it was about to be given goes to another worker."""


class Queue(Protocol):
    """What a work queue keeps the items in that a worker can take: its order is the order of handing out.

    The work queue never calls two of its methods at once. The suite hands one in (profile ``hook``).
    """

    def touch(self, item: Hashable) -> None:
        """The item is here already, and has been added once more."""

    def push(self, item: Hashable) -> None:
        """The item is to be handed out; it is not here yet."""

    def pop(self) -> Hashable:
        """Take out what is to be handed out next; only called while ``len`` is not 0."""

    def __len__(self) -> int:
        """How many items there are to hand out now; one that it hides for a while does not count."""


class DelayingQueue(WorkQueue, Protocol):
    """Profile ``delay``: a work queue that can add an item later.

    Its time is monotonic: that somebody sets the wall clock makes nothing due. Upstream: ``TypedDelayingInterface``, in ``delaying_queue.go``.
    """

    def add_after(self, item: Hashable, seconds: float, /) -> None:
        """Add the item when so much time has passed, never a millisecond sooner; at once if that is 0 or less.

        Returns at once. If the item waits already, the earlier of the two moments counts. An ``add`` meanwhile is another matter: the item
        comes now, and once more when it is due. After shutdown it is ignored, and what waits does not come any more.
        """


class RateLimiter(Protocol):
    """Profile ``limit``: how long an item has to wait that has failed so often. Each item is counted for itself.

    There are five kinds, made with the arguments named here; all times are in seconds.

    - ``ExponentialRateLimiter(base_delay, max_delay)``
    - ``FastSlowRateLimiter(fast_delay, slow_delay, max_fast_attempts)``
    - ``BucketRateLimiter(rate, burst)``: so many a second, and so many at once
    - ``MaxOfRateLimiter(limiters)``, a sequence of others
    - ``MaxWaitRateLimiter(limiter, max_delay)``

    And two that are made with no arguments, with the numbers that upstream has chosen:
    ``DefaultControllerRateLimiter()`` and ``DefaultItemRateLimiter()``.

    Upstream: ``TypedRateLimiter``, in ``default_rate_limiters.go``; the bucket is ``golang.org/x/time/rate``.
    """

    def when(self, item: Hashable, /) -> float:
        """Note that the item has failed (again), and say how many seconds it is to wait, 0 or more. It does not wait itself."""

    def forget(self, item: Hashable, /) -> None:
        """It has succeeded, or will not be tried again: its next failure is the first. One that never failed may be forgotten, too."""

    def num_requeues(self, item: Hashable, /) -> int:
        """How often it has failed since it was last forgotten; 0 for one that is not known. Asking changes nothing."""


class RateLimitingQueue(WorkQueue, Protocol):
    """Profile ``limit``. Made with ``rate_limiter``, which it asks; its clock may be the machine's.

    Upstream: ``TypedRateLimitingInterface``, in ``rate_limiting_queue.go``.
    """

    def add_rate_limited(self, item: Hashable, /) -> None:
        """Add the item when its rate limiter says that it may come: ``when`` is asked once, and the item added after so many seconds."""

    def forget(self, item: Hashable, /) -> None:
        """Tell the rate limiter; the queue itself is not concerned: an item that waits still comes, and ``done`` is still due."""

    def num_requeues(self, item: Hashable, /) -> int:
        """What the rate limiter says."""


class PriorityQueue(Protocol):
    """Profile ``priority``: the work queue of controller-runtime. May be made with a ``rate_limiter``.

    Otherwise it is a work queue: one hand-out however often an item is added, one worker at a time, first come first served among equals.
    Upstream: ``pkg/controller/priorityqueue`` of controller-runtime.
    """

    def add_with_opts(
        self, item: Hashable, /, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        """Add the item with a priority (the higher the sooner), after so many seconds, or as its limiter says.

        Of an item that is there already, the higher priority and the earlier moment count. It has no place in the order, and no part in
        ``__len__``, before it is due. After shutdown it is ignored.
        """

    def get_with_priority(self) -> tuple[Hashable | None, int, bool]:
        """Wait for an item: ``(item, priority, False)``, or ``(None, 0, True)`` after shutdown.

        The highest priority of what is due comes first. What was queued at shutdown need not be handed out any more.
        """

    def done(self, item: Hashable) -> None:
        """As that of a work queue."""

    def __len__(self) -> int:
        """How many items are due and wait for a worker."""

    def shut_down(self) -> None:
        """Let no new item in, and send all home who wait for one. A second call changes nothing."""


class SeveralAtATime(PriorityQueue, Protocol):
    """A priority queue that takes several items in one call. Some of the rules of profile ``priority`` are about that.

    Upstream: ``AddWithOpts`` of controller-runtime, which takes any number of items.
    """

    def add_all_with_opts(
        self,
        items: Sequence[Hashable],
        /,
        *,
        priority: int = 0,
        after: float = 0.0,
        rate_limited: bool = False,
    ) -> None:
        """Add each of the items as ``add_with_opts`` does, one after the other."""


class Result(Protocol):
    """What a reconcile may return; made with what it names: ``requeue_after`` (seconds), ``requeue``."""


class Controller(Protocol):
    """Profile ``controller``: calls ``reconcile`` for each key that something has happened to, never twice at once for one key.

    Made with ``reconcile``, and with those it names of:

    - ``max_concurrent_reconciles``; without it, the rules about so many workers are not asked;
    - ``rate_limiter``; without it, no reconcile fails or asks to be called again at once.

    ``reconcile(key)`` returns a ``Result`` or None, or raises. A class ``Result`` stands beside the
    controller, in its module or in its class; so does ``TerminalError``, if there is such an error, after
    which a key is not tried again. If ``start`` is a coroutine function, so is ``reconcile``.

    Upstream: ``internal/controller`` of controller-runtime.
    """

    def add(self, key: Hashable, /) -> None:
        """Something has happened to the object with this key. May be called before ``start``, and from within ``reconcile``."""

    def start(self) -> None:
        """Start the workers; return at once, or when the controller has been stopped. Called once."""

    def stop(self) -> None:
        """Let no new key in. Once it and ``start`` have returned, no worker is left."""


class Counter(Protocol):
    """A number that only grows. The suite hands these four in, and they may be called by any thread."""

    def inc(self) -> None:
        """One more."""


class Gauge(Protocol):
    """A number that goes up and down by one."""

    def inc(self) -> None:
        """One more."""

    def dec(self) -> None:
        """One less."""


class SettableGauge(Protocol):
    """A number that is told anew each time."""

    def set(self, value: float, /) -> None:
        """It is so much now."""


class Observer(Protocol):
    """What counts spans by their length."""

    def observe(self, seconds: float, /) -> None:
        """This one took so long."""


class MetricsProvider(Protocol):
    """Where a work queue gets its metrics from, each once, for the queue of this name (profile ``metrics``).

    A queue without a name has no metrics. Upstream: ``MetricsProvider``, in ``util/workqueue/metrics.go``.
    """

    def depth(self, name: str, /) -> Gauge:
        """How many items are queued, or are to come back."""

    def adds(self, name: str, /) -> Counter:
        """How many calls of ``add`` changed something."""

    def queue_duration(self, name: str, /) -> Observer:
        """How long after its ``add`` an item was handed out."""

    def work_duration(self, name: str, /) -> Observer:
        """How long an item was processed, told at its ``done``."""

    def unfinished_work(self, name: str, /) -> SettableGauge:
        """How many seconds all that is processing has taken so far; told every half second or so."""

    def longest_running(self, name: str, /) -> SettableGauge:
        """How many seconds that has taken which has been processing the longest; told as often."""

    def retries(self, name: str, /) -> Counter:
        """How many calls of ``add_after`` there were before shutdown; one without a delay need not count."""


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
    """Profile ``trigger``: what the EndpointSlice controller asks each time it has looked at a Service.

    Calls for one Service come one after the other, those for several at once. Upstream: ``TriggerTimeTracker`` of
    ``k8s.io/endpointslice/trigger_time_tracker.go``.
    """

    def compute(self, namespace: str, service: Service, pods: Sequence[Pod], /) -> Nanoseconds | None:
        """When that happened which the slices now have to tell of; None if nothing has.

        ``pods`` are all that the Service selects now, ready or not. It is the earliest change since the call before that
        there is a time of, of a Pod or of the Service; at the first call for a Service, that of the Service counts as one.
        """

    def delete(self, namespace: str, name: str, /) -> None:
        """The Service is gone, and what is remembered of it. A Service of its name is another one. It need not be known."""


class AnnotationCodec(Protocol):
    """Profile ``trigger``: a trigger time as the text of the annotation. To offer one of the two is enough.

    The text is RFC 3339 in UTC with as many digits of a second as are needed: ``2026-11-22T09:16:00.000000001Z``.
    """

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
    def services(self) -> frozenset[str]:
        """Those with something to program."""

    @property
    def trigger_times(self) -> Mapping[str, Sequence[Nanoseconds]]:
        """Of each service the trigger times to be measured, in the order of their arrival; no entry where there is none."""


class EndpointsChangeTracker(Protocol):
    """Profile ``tracker``: gathers what has changed between two syncs, and since when.

    Made with those it names of: ``clock``, whose reading then is the start of the node's kube-proxy; ``ip_family`` ("IPv4" or
    "IPv6"), without which slices of either are taken. It is called by informers and by the sync at once: it needs a lock. Upstream:
    ``EndpointsChangeTracker``, in ``pkg/proxy/endpointschangetracker.go``.
    """

    def update(self, slice_: EndpointSlice, /) -> bool:
        """Note a slice that was added or changed; say whether there is something to program.

        A slice of no service, or of the other family, is none of its business. The trigger time is read from the annotation, whether or
        not it can be; one from before the start is not measured.
        """

    def remove(self, slice_: EndpointSlice, /) -> bool:
        """Note that a slice is gone; say whether there is something to program. Its pending trigger times go with those of its service."""

    def checkout(self) -> Changes:
        """Hand over what was gathered, and begin anew, in one step: nothing that comes at the same time is lost or told twice."""


class Histogram(Protocol):
    """A Prometheus histogram as it is exposed: bucket counts are cumulative, the last bound is infinite.

    It may tell two things besides, and is then judged by them: ``kind``, its type as a string, and ``labels``,
    a mapping of names to values.
    """

    @property
    def name(self) -> str:
        """As it is exposed."""

    @property
    def buckets(self) -> Sequence[tuple[float, int]]:
        """The upper bound of each in seconds, and how many latencies were at most so long."""

    @property
    def count(self) -> int:
        """How many latencies there were."""

    @property
    def sum(self) -> float:
        """Of all of them, in seconds."""


class Proxy(Protocol):
    """Profile ``proxy``: a tracker, and the syncs that program what it gathers and measure how late that is.

    Made with those it names of: ``clock``, ``ip_family``. Informers call ``update`` and ``remove`` while a sync is under way.
    Upstream: ``syncProxyRules`` of ``pkg/proxy/iptables/proxier.go``.
    """

    def update(self, slice_: EndpointSlice, /) -> bool:
        """As that of the tracker."""

    def remove(self, slice_: EndpointSlice, /) -> bool:
        """As that of the tracker."""

    def services_synced(self) -> None:
        """The first list of Services is complete."""

    def slices_synced(self) -> None:
        """The first list of EndpointSlices is complete."""

    def sync(self, program: Callable[[], bool]) -> Sequence[float]:
        """Program the rules by calling ``program`` once; return the latencies observed, in seconds.

        Before both first lists are complete it does nothing. ``program`` says whether it succeeded; if not, nothing is observed.
        A latency is from a trigger time until ``program`` has returned, by the wall clock. One sync follows the other.
        """

    def metric(self) -> Histogram:
        """All that was observed since the start."""


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
    any_value: bool = False
    """Whether its items may be of any type, and not texts alone."""
    named: bool = False
    """Whether only its name tells it from others, for it is made with no arguments."""
    may_take: frozenset[str] = frozenset()
    """The arguments that it is made with where that is possible; some of the rules are about them."""

    def __hash__(self) -> int:
        return hash(self.protocol)  # it is asked for with each session


def _ops(*parts: Part) -> frozenset[str]:
    return frozenset(op.name for op in of(*parts) if not op.told)


def _tell(*parts: Part) -> frozenset[str]:
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
    "values": Profile("queue", "work_queue", "WorkQueue", _QUEUE, any_value=True),
    "cancel": Profile("cancel", "work_queue", "WorkQueue", _QUEUE, cancels=True),
    "drain": Profile("drain", "work_queue", "WorkQueue", _ops("queue", "drain")),
    "hook": Profile("hook", "work_queue", "WorkQueue", _QUEUE, frozenset({"queue"}), _tell("hook")),
    "memory": Profile("memory", "work_queue", "WorkQueue", _QUEUE, tells=_tell("memory")),
    "ending": Profile("ending", "delaying_queue", "DelayingQueue", _DELAY, tells=_tell("ending")),
    "ending, drain": Profile(
        "ending",
        "delaying_queue",
        "DelayingQueue",
        _ops("queue", "delay", "drain"),
        tells=_tell("ending"),
    ),
    "ending, metrics": Profile(
        "ending", "work_queue", "WorkQueue", _QUEUE, _MEASURED, _tell("metrics", "ending")
    ),
    "delay": Profile("delay", "delaying_queue", "DelayingQueue", _DELAY),
    "delay, values": Profile("delay", "delaying_queue", "DelayingQueue", _DELAY, any_value=True),
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
    "limit, drain": Profile(
        "limit",
        "rate_limiting_queue",
        "RateLimitingQueue",
        _ops("queue", "drain", "limit"),
        frozenset({"rate_limiter"}),
    ),
    "exponential": _limiter("exponential", "base_delay", "max_delay"),
    "fast_slow": _limiter("fast_slow", "fast_delay", "slow_delay", "max_fast_attempts"),
    "bucket": _limiter("bucket", "rate", "burst"),
    "max_of": _limiter("max_of", "limiters"),
    "max_wait": _limiter("max_wait", "limiter", "max_delay"),
    "default_controller": _limiter("default_controller"),
    "default_item": _limiter("default_item"),
    "metrics": Profile("metrics", "work_queue", "WorkQueue", _QUEUE, _MEASURED, _tell("metrics")),
    "metrics, drain": Profile(
        "metrics", "work_queue", "WorkQueue", _ops("queue", "drain"), _MEASURED, _tell("metrics")
    ),
    "metrics, delay": Profile(
        "metrics", "delaying_queue", "DelayingQueue", _DELAY, _MEASURED, _tell("metrics")
    ),
    "controller": Profile(
        "controller",
        "controller",
        "Controller",
        _ops("controller"),
        frozenset({"reconcile"}),
        _tell("controller"),
        may_take=frozenset({"max_concurrent_reconciles", "rate_limiter"}),
    ),
    "priority": Profile("priority", "priority_queue", "PriorityQueue", _ops("priority")),
    "priority, limit": Profile(
        "priority", "priority_queue", "PriorityQueue", _ops("priority"), frozenset({"rate_limiter"})
    ),
    "priority, limit, several": Profile(
        "priority",
        "priority_queue",
        "PriorityQueue",
        _ops("priority", "several"),
        frozenset({"rate_limiter"}),
    ),
    "trigger": Profile("trigger", "trigger_time_tracker", "TriggerTimeTracker", _ops("trigger")),
    "writing": _codec("writing"),
    "reading": _codec("reading"),
    "codec": _codec("writing", "reading"),
    "tracker": Profile("tracker", "change_tracker", "EndpointsChangeTracker", _ops("tracker")),
    "tracker, family": Profile(
        "tracker", "change_tracker", "EndpointsChangeTracker", _ops("tracker"), frozenset({"ip_family"})
    ),
    "proxy": Profile("proxy", "proxy", "Proxy", _ops("proxy")),
    "proxy, family": Profile("proxy", "proxy", "Proxy", _ops("proxy"), frozenset({"ip_family"})),
}
"""What a rule may be about. Some profiles have a second entry here, which asks for more: only a few of its rules do."""
