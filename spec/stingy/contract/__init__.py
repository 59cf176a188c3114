"""Protocols that a candidate can offer, one for each profile. An implementer need read no other file.

A candidate does not import this package: the methods it has decide which profiles it offers.

Every method keeps to these rules, unless its text says otherwise:

- Any thread may call it at any time, also while other calls of this or another method run or
  wait.
- It blocks only on a lock that is held for a moment. Methods that wait longer say for what.
- It raises nothing if it is called as described. Calls that are not described are never made,
  except by probes, which never count against a candidate.
- Items are hashable. Two equal items are the same item, and two that are not equal are different
  ones, even if they have the same hash or text. An empty one (``""``, ``0``, ``None``) is an item
  like any other.
- There may be several candidates of one kind in a process, and none knows what another is told.
- Spans are float seconds, as usual in Python; instants are integer nanoseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from stingy.contract.ops import Part, of

Nanoseconds = int

MICROSECOND: Nanoseconds = 1_000
MILLISECOND: Nanoseconds = 1_000_000
SECOND: Nanoseconds = 1_000_000_000
MINUTE: Nanoseconds = 60 * SECOND

LAST_CHANGE_TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time"
"""The annotation that carries a trigger time from the control plane to the nodes."""

LATENCY_METRIC = "kubeproxy_network_programming_duration_seconds"


class Clock(Protocol):
    """The clock of a candidate's machine. The suite passes it to the candidate, and moves it."""

    def time_ns(self) -> Nanoseconds:
        """Return the wall clock, in nanoseconds since the epoch.

        It may be set forward or back at any time.
        """

    def monotonic_ns(self) -> Nanoseconds:
        """Return a reading that only grows, as fast as time passes. Its zero has no meaning."""


class WorkQueue(Protocol):
    """Profile ``queue``: hands out each added item once, and never to two workers at once.

    An item that is added several times before it is handed out is still handed out once. Between
    its Get and its Done an item is *processing*. While it is queued, or will be queued again at its
    Done, it is *dirty*.

    Its constructor takes no arguments, or some of these, by name:

    - ``clock``, a ``Clock``;
    - ``queue``, a ``Queue`` to keep its items in (profile ``hook``);
    - ``metrics``, a ``MetricsProvider``, and ``name``, the queue's own (profile ``metrics``);
    - ``rate_limiter``, a ``RateLimiter`` (profile ``limit``).

    Upstream: ``workqueue.TypedInterface`` of client-go, in ``util/workqueue/queue.go``.
    """

    def add(self, item: Hashable) -> None:
        """Mark the item as needing processing.

        If it is queued already, nothing changes, including its place. If it is processing, it is
        queued again at its ``done``. Otherwise it is queued at the end, and one worker that waits
        in ``get`` is woken. After shutdown the call is ignored.
        """

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` after shutdown.

        Items come in the order in which they were first added. The call waits while nothing is
        queued and the queue is not shut down. After shutdown it still hands out what is queued, and
        reports the shutdown when nothing is left. The worker that gets an item calls ``done`` for
        it, once.

        With ``async def`` the queue is a candidate for asyncio, and all calls come from one event
        loop. Each of its other methods may then be a coroutine too, except ``__len__``.
        """

    def done(self, item: Hashable) -> None:
        """Report that the item has been processed, successfully or not: it may be handed out again.

        If it was added meanwhile, it is queued now, at the end, also after shutdown. The worker
        that got the item calls this once for each Get. For an item that no worker holds, the call
        is undefined.
        """

    def __len__(self) -> int:
        """Return how many items are queued.

        Items that are processing do not count. Those that were added again meanwhile should not
        count either; controller-runtime's queue counts them.
        """

    def shut_down(self) -> None:
        """Accept no new items, and let every waiting ``get`` return once nothing is queued.

        Returns at once, even if workers still hold items. A second call changes nothing.
        """

    def shutting_down(self) -> bool:
        """Return True once a shutdown has begun, by either method; from then on it stays True."""


class DrainingQueue(WorkQueue, Protocol):
    """Profile ``drain``: a work queue that can wait for its workers when it shuts down.

    Upstream: ``TypedInterface.ShutDownWithDrain``, since client-go v0.23.
    """

    def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no item is being processed.

        Queued items are still handed out. Upstream's comment promises to wait for them too, but its
        code does not: both are accepted. The wait ends early if another thread calls ``shut_down``.
        It may be called more than once: none of several drains returns while an item is being
        processed. If they wait at once, at least one of them has to return then; client-go wakes
        only one.
        """


class CancellableQueue(Protocol):
    """Profile ``cancel``: a work queue whose waiting Get can be cancelled, as a coroutine can."""

    async def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` after shutdown.

        If the call is cancelled, nothing is lost that has woken it, be it an ``add``, a ``done``, a
        deadline or a shutdown: another worker gets the item that it would have returned, and every
        other call learns of the shutdown.
        """


class Queue(Protocol):
    """The store in which a work queue keeps the items that workers can take.

    The suite passes a store to the work queue (profile ``hook``). The work queue hands items out in
    the order in which the store pops them, and never calls two of the store's methods at once.
    """

    def touch(self, item: Hashable) -> None:
        """Note that an item that is in the store already was added once more."""

    def push(self, item: Hashable) -> None:
        """Store an item that is to be handed out and is not in the store yet."""

    def pop(self) -> Hashable:
        """Remove and return the item to hand out next. Called only while ``len`` is not 0."""

    def __len__(self) -> int:
        """Return how many items can be handed out now.

        An item that the store hides for a while does not count.
        """


class DelayingQueue(WorkQueue, Protocol):
    """Profile ``delay``: a work queue that can add an item later.

    It uses monotonic time: setting the wall clock makes nothing due. Upstream:
    ``TypedDelayingInterface``, in ``delaying_queue.go``.
    """

    def add_after(self, item: Hashable, seconds: float, /) -> None:
        """Add the item after this many seconds, never a millisecond sooner.

        A delay of 0 or less adds it at once. The call returns at once. If the item is waiting
        already, the earlier of the two moments counts. An ``add`` meanwhile brings it now; whether
        it comes once more when it is due is left open, and so it is for an item that is queued, or
        added again while it is held. After shutdown the call is ignored, and
        waiting items do not come any more.
        """


class RateLimiter(Protocol):
    """Profile ``limit``: decides how long a failed item waits.

    Failures are counted for each item separately. There are five kinds, made with the arguments
    named here; all times are in seconds.

    - ``ExponentialRateLimiter(base_delay, max_delay)``
    - ``FastSlowRateLimiter(fast_delay, slow_delay, max_fast_attempts)``
    - ``BucketRateLimiter(rate, burst)``: ``rate`` a second, and up to ``burst`` at once; by monotonic
      time, so that setting the wall clock fills or empties nothing
    - ``MaxOfRateLimiter(limiters)``, a sequence of others, which may be empty
    - ``MaxWaitRateLimiter(limiter, max_delay)``

    Two more are made without arguments, and use upstream's default numbers:
    ``DefaultControllerRateLimiter()`` and ``DefaultItemRateLimiter()``.

    Upstream: ``TypedRateLimiter``, in ``default_rate_limiters.go``; the bucket is
    ``golang.org/x/time/rate``.
    """

    def when(self, item: Hashable, /) -> float:
        """Count a failure of the item; return how many seconds it has to wait, 0 or more.

        The call itself does not wait.
        """

    def forget(self, item: Hashable, /) -> None:
        """Reset the item's failure count: it succeeded, or will not be tried again.

        An item that never failed may be forgotten too.
        """

    def num_requeues(self, item: Hashable, /) -> int:
        """Return how often the item failed since it was last forgotten; 0 for an unknown item.

        Asking changes nothing.
        """


class RateLimitingQueue(WorkQueue, Protocol):
    """Profile ``limit``: a work queue that asks a ``rate_limiter`` for the delays of failed items.

    The limiter may use the machine's own clock. Upstream: ``TypedRateLimitingInterface``, in
    ``rate_limiting_queue.go``.
    """

    def add_rate_limited(self, item: Hashable, /) -> None:
        """Call the rate limiter's ``when`` once, and add the item after that many seconds."""

    def forget(self, item: Hashable, /) -> None:
        """Forget the item in the rate limiter.

        The queue does not change: a waiting item still comes, and ``done`` is still due.
        """

    def num_requeues(self, item: Hashable, /) -> int:
        """Return how often the item failed since it was last forgotten, as the rate limiter counts."""


class PriorityQueue(Protocol):
    """Profile ``priority``: the work queue of controller-runtime.

    May be made with a ``rate_limiter``. Apart from priorities it is a work queue: one hand-out
    however often an item is added, one worker at a time, and first in, first out among equal
    priorities: an item whose priority is raised goes behind those that have the new one already.
    Upstream: ``pkg/controller/priorityqueue`` of controller-runtime.
    """

    def add_with_opts(
        self, item: Hashable, /, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        """Add the item with a priority: of several items, the highest priority comes first.

        The item is added after ``after`` seconds, or when the rate limiter says so. If it is there
        already, the higher priority and the earlier moment count, and the rate limiter may be
        asked or not. Before it is due, it has no place
        in the order and does not count in ``__len__``. It is due by monotonic time, whatever the
        wall clock is set to. After shutdown the call is ignored.
        """

    def get_with_priority(self) -> tuple[Hashable | None, int, bool]:
        """Wait for an item: ``(item, priority, False)``, or ``(None, 0, True)`` after shutdown.

        Of the items that are due, the one with the highest priority comes first. Items queued at
        shutdown need not be handed out any more.
        """

    def done(self, item: Hashable) -> None:
        """Report that the item has been processed: it may be handed out again.

        If it was added meanwhile, it is queued now. The worker that got the item calls this once.
        """

    def __len__(self) -> int:
        """Return how many items are due and wait for a worker."""

    def shut_down(self) -> None:
        """Accept no new items, and let every waiting ``get_with_priority`` return.

        A second call changes nothing.
        """


class SeveralAtATime(PriorityQueue, Protocol):
    """A priority queue that adds several items in one call.

    A few rules of profile ``priority`` need it. Upstream: ``AddWithOpts`` of controller-runtime,
    which takes any number of items.
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
    """An object that a reconcile may return.

    Its constructor takes ``requeue_after`` (seconds of monotonic time; more than 0 is a span, however
    short it is) and ``requeue``, by name.
    """


class Controller(Protocol):
    """Profile ``controller``: calls ``reconcile`` for each key that had an event.

    Two reconciles of the same key never run at once. Its constructor takes ``reconcile``, and some
    of these, by name:

    - ``max_concurrent_reconciles``; without it, rules about a number of workers are not checked;
    - ``rate_limiter``; without it, the suite lets no reconcile fail or ask to be called again at
      once.

    ``reconcile(key)`` returns a ``Result`` or None, or raises. A class ``Result`` is defined beside
    the controller, in its module or in its class. So is ``TerminalError``, if the controller has
    such an error; after it, a key is not tried again. Any other ``Exception`` is a failure, whatever
    its class and text: the key is tried again when the rate limiter says so. ``MemoryError``,
    ``RecursionError`` and what is no ``Exception``, such as ``SystemExit``, are never raised. If
    ``start`` is a coroutine function, so is ``reconcile``; it may also raise a ``CancelledError`` of
    what it awaited.

    Upstream: ``internal/controller`` of controller-runtime.
    """

    def add(self, key: Hashable, /) -> None:
        """Report an event about the object with this key.

        May be called before ``start``, and from within ``reconcile``.
        """

    def start(self) -> None:
        """Start the workers; return at once, or when the controller has been stopped.

        The suite calls this once.
        """

    def stop(self) -> None:
        """Accept no new keys. Once this call and ``start`` have returned, no worker is left."""


class Counter(Protocol):
    """A number that only grows.

    The suite passes in this and the three other kinds of metrics below. Any thread may call them.
    """

    def inc(self) -> None:
        """Add one to the counter."""


class Gauge(Protocol):
    """A number that goes up and down by one."""

    def inc(self) -> None:
        """Add one to the gauge."""

    def dec(self) -> None:
        """Subtract one from the gauge."""


class SettableGauge(Protocol):
    """A number that is set to a new value each time."""

    def set(self, value: float, /) -> None:
        """Set the gauge to this value."""


class Observer(Protocol):
    """A histogram of spans of time."""

    def observe(self, seconds: float, /) -> None:
        """Record one span, in seconds."""


class MetricsProvider(Protocol):
    """Makes the metrics of the work queue of a given name, each once (profile ``metrics``).

    A queue without a name has no metrics. Upstream: ``MetricsProvider``, in
    ``util/workqueue/metrics.go``.
    """

    def depth(self, name: str, /) -> Gauge:
        """Return the gauge of items that are queued, or will be queued again at their ``done``."""

    def adds(self, name: str, /) -> Counter:
        """Return the counter of the calls of ``add`` that changed something."""

    def queue_duration(self, name: str, /) -> Observer:
        """Return the histogram of the time from an item's ``add`` to its hand-out."""

    def work_duration(self, name: str, /) -> Observer:
        """Return the histogram of the time for which items were processed, recorded at ``done``."""

    def unfinished_work(self, name: str, /) -> SettableGauge:
        """Return the gauge of the seconds spent so far on all items in processing, summed.

        It is set about every half second.
        """

    def longest_running(self, name: str, /) -> SettableGauge:
        """Return the gauge of the seconds spent so far on the longest running item.

        It is set about every half second.
        """

    def retries(self, name: str, /) -> Counter:
        """Return the counter of the calls of ``add_after`` before shutdown.

        Calls without a delay need not count, nor those that change nothing, because the item is
        queued already or comes sooner.
        """


@dataclass(frozen=True)
class Condition:
    """A condition in the status of a Pod."""

    type: str
    status: str
    """``True``, ``False`` or ``Unknown``."""
    last_transition: Nanoseconds | None = None
    """When the status last changed, by the clock that recorded it; None if not recorded."""


@dataclass(frozen=True)
class Pod:
    """The part of a Pod that its trigger time depends on."""

    name: str
    conditions: tuple[Condition, ...] = ()
    uid: str = ""
    """Differs between two Pods that have had the same name."""


@dataclass(frozen=True)
class Service:
    """The part of a Service that its trigger time might depend on."""

    name: str
    created: Nanoseconds | None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    ports: tuple[int, ...] = ()
    resource_version: str = ""


class TriggerTimeTracker(Protocol):
    """Profile ``trigger``: computes the trigger time whenever a Service is synced.

    The EndpointSlice controller calls it. Calls for one Service come one after the other; calls for
    several Services may come at once. Upstream: ``TriggerTimeTracker`` of
    ``k8s.io/endpointslice/trigger_time_tracker.go``.
    """

    def compute(self, namespace: str, service: Service, pods: Sequence[Pod], /) -> Nanoseconds | None:
        """Return the trigger time that the Service's slices now carry; None if nothing changed.

        ``pods`` are all Pods that the Service selects now, ready or not. The trigger time is the
        earliest known time of a change since the previous call, of a Pod or of the Service. At the
        first call for a Service, its creation counts as a change.
        """

    def delete(self, namespace: str, name: str, /) -> None:
        """Forget a deleted Service.

        A later Service of this name is another one. The Service need not be known.
        """


class AnnotationCodec(Protocol):
    """Profile ``trigger``: converts trigger times to the text of the annotation and back.

    A candidate may have only one of the two methods. The text is RFC 3339 in UTC, with as many
    digits of a second as needed: ``2026-11-22T09:16:00.000000001Z``.
    """

    def format(self, instant: Nanoseconds | None, /) -> str | None:
        """Return the text of the annotation; None if a slice is to have none."""

    def parse(self, text: str | None, /) -> Nanoseconds | None:
        """Return the trigger time in an annotation; None if it is missing or cannot be read."""


@dataclass(frozen=True)
class EndpointSlice:
    """The part of an EndpointSlice that kube-proxy's change tracker looks at."""

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
    """The result of a change tracker's checkout; services are written ``namespace/name``."""

    @property
    def services(self) -> frozenset[str]:
        """Services that have changes to program."""

    @property
    def trigger_times(self) -> Mapping[str, Sequence[Nanoseconds]]:
        """For each service the trigger times to measure, in order of arrival.

        A service without trigger times has no entry.
        """


class EndpointsChangeTracker(Protocol):
    """Profile ``tracker``: gathers what has changed between two syncs, and since when.

    Its constructor takes some of these, by name: ``clock``, whose reading at construction is the
    start of the node's kube-proxy; ``ip_family`` ("IPv4" or "IPv6"), without which slices of both
    are accepted. Informers and the sync call it at once, so it needs a lock. Upstream:
    ``EndpointsChangeTracker``, in ``pkg/proxy/endpointschangetracker.go``.
    """

    def update(self, slice_: EndpointSlice, /) -> bool:
        """Note a slice that was added or changed; return True if there is a change to program.

        A slice without a service is ignored. So is one of the other family if the tracker was made
        with ``ip_family``; until Kubernetes 1.32, kube-proxy's took both. The trigger time comes
        from the annotation, which may be unreadable; one before the start is not measured.
        """

    def remove(self, slice_: EndpointSlice, /) -> bool:
        """Note that a slice was deleted; return True if there is a change to program.

        The pending trigger times of its service are dropped.
        """

    def checkout(self) -> Changes:
        """Return all changes noted since the last checkout and forget them, in one atomic step.

        A concurrent change is neither lost nor returned twice.
        """


class Histogram(Protocol):
    """A Prometheus histogram as exposed: buckets are cumulative, the last bound is infinite.

    It may have two more attributes, which are then checked: ``kind``, its type as a string, and
    ``labels``, a mapping of names to values.
    """

    @property
    def name(self) -> str:
        """Name of the metric as exposed."""

    @property
    def buckets(self) -> Sequence[tuple[float, int]]:
        """Pairs: an upper bound in seconds, and the number of latencies that are at most that long."""

    @property
    def count(self) -> int:
        """Number of all latencies."""

    @property
    def sum(self) -> float:
        """Sum of all latencies, in seconds."""


class Proxy(Protocol):
    """Profile ``proxy``: a tracker, with syncs that program changes and measure their latency.

    Its constructor takes ``clock`` and ``ip_family``, by name, or some of them. Informers call
    ``update`` and ``remove`` while a sync runs. Upstream: ``syncProxyRules`` of
    ``pkg/proxy/iptables/proxier.go``.
    """

    def update(self, slice_: EndpointSlice, /) -> bool:
        """Note a slice that was added or changed; return True if there is a change to program."""

    def remove(self, slice_: EndpointSlice, /) -> bool:
        """Note that a slice was deleted; return True if there is a change to program."""

    def services_synced(self) -> None:
        """Note that the first list of Services is complete."""

    def slices_synced(self) -> None:
        """Note that the first list of EndpointSlices is complete."""

    def sync(self, program: Callable[[], bool]) -> Sequence[float]:
        """Program the rules by calling ``program`` once; return the latencies observed, in seconds.

        Before both first lists are complete it does nothing. ``program`` returns True if it
        succeeded; if not, no latency is observed. A latency runs from a trigger time until
        ``program`` has returned, by the wall clock. Syncs never overlap.
        """

    def metric(self) -> Histogram:
        """Return the histogram of all latencies since the start."""


@dataclass(frozen=True)
class Profile:
    """A set of guarantees that a candidate can offer, with the methods that they need."""

    name: str
    maker: str
    """Name of a candidate's factory in a module of factories; a driver gets it as ``impl``."""
    protocol: str
    """Name of a candidate's class in a module of classes."""
    ops: frozenset[str]
    """Methods that a candidate must have; ``len`` is ``__len__`` in Python."""
    takes: frozenset[str] = frozenset()
    """Arguments that its constructor must accept."""
    tells: frozenset[str] = frozenset()
    """Ops that only a driver has to answer; in its own process the suite observes the result."""
    cancels: bool = False
    """True if it must be possible to cancel a Get that waits."""
    any_value: bool = False
    """True if items may be of any type, not only texts."""
    named: bool = False
    """True if no argument of its constructor tells it from other profiles, only its name."""
    may_take: frozenset[str] = frozenset()
    """Arguments that are passed if the constructor accepts them; some rules need them."""

    def __hash__(self) -> int:
        return hash(self.protocol)  # looked up for every session, so this must be cheap


def _ops(*parts: Part) -> frozenset[str]:
    return frozenset(op.name for op in of(*parts) if not op.told)


def _tell(*parts: Part) -> frozenset[str]:
    """Return the ops of these parts that a driver has to answer and a candidate in Python has not."""
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


_CONTROLLER = Profile(
    "controller",
    "controller",
    "Controller",
    _ops("controller"),
    frozenset({"reconcile"}),
    _tell("controller"),
    may_take=frozenset({"max_concurrent_reconciles", "rate_limiter"}),
)

_METRICS = Profile("metrics", "work_queue", "WorkQueue", _QUEUE, _MEASURED, _tell("metrics"))

_PRIORITY = Profile("priority", "priority_queue", "PriorityQueue", _ops("priority"))

PROFILES: Mapping[str, Profile] = {
    "queue": Profile("queue", "work_queue", "WorkQueue", _QUEUE),
    "values": Profile("queue", "work_queue", "WorkQueue", _QUEUE, any_value=True),
    "cancel": Profile("cancel", "work_queue", "WorkQueue", _QUEUE, cancels=True),
    "cancel, drain": Profile("cancel", "work_queue", "WorkQueue", _ops("queue", "drain"), cancels=True),
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
    "delay, cancel": Profile("cancel", "delaying_queue", "DelayingQueue", _DELAY, cancels=True),
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
    "exponential, values": replace(_limiter("exponential", "base_delay", "max_delay"), any_value=True),
    "fast_slow": _limiter("fast_slow", "fast_delay", "slow_delay", "max_fast_attempts"),
    "fast_slow, values": replace(
        _limiter("fast_slow", "fast_delay", "slow_delay", "max_fast_attempts"), any_value=True
    ),
    "bucket": _limiter("bucket", "rate", "burst"),
    "max_of": _limiter("max_of", "limiters"),
    "max_wait": _limiter("max_wait", "limiter", "max_delay"),
    "default_controller": _limiter("default_controller"),
    "default_item": _limiter("default_item"),
    "metrics": _METRICS,
    "metrics, values": replace(_METRICS, any_value=True),
    "metrics, drain": Profile(
        "metrics", "work_queue", "WorkQueue", _ops("queue", "drain"), _MEASURED, _tell("metrics")
    ),
    "metrics, delay": Profile(
        "metrics", "delaying_queue", "DelayingQueue", _DELAY, _MEASURED, _tell("metrics")
    ),
    "controller": _CONTROLLER,
    "controller, values": replace(_CONTROLLER, any_value=True),
    "priority": _PRIORITY,
    "priority, values": replace(_PRIORITY, any_value=True),
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
"""All profiles that a rule can ask for.

Some profiles have further entries, which demand more. Only a few rules use those.
"""
