"""What a candidate offers: one protocol a profile. An implementer need read no other file.

A candidate needs no import of this package: the methods that are there decide the profiles that
are offered. Delays are float seconds, as everywhere in Python; instants are integer nanoseconds
since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Nanoseconds = int

MICROSECOND: Nanoseconds = 1_000
MILLISECOND: Nanoseconds = 1_000_000
SECOND: Nanoseconds = 1_000_000_000

LAST_CHANGE_TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time"
"""The annotation that carries a trigger time from the control plane to the nodes."""

LATENCY_METRIC = "kubeproxy_network_programming_duration_seconds"


class Clock(Protocol):
    """The clock of the machine that a candidate runs on. The suite hands it in, and moves it."""

    def time_ns(self) -> Nanoseconds: ...

    def monotonic_ns(self) -> Nanoseconds: ...


class WorkQueue(Protocol):
    """Profile ``queue``. Made with no arguments, or with those it names of: ``clock``, ``name``."""

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
    """A Prometheus histogram as it is exposed: bucket counts are cumulative, the last bound is infinite."""

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
    cancels: bool = False
    """Whether it must be possible to cancel a Get that waits."""


_QUEUE = frozenset({"add", "get", "done", "len", "shut_down", "shutting_down"})

PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("queue", "work_queue", "WorkQueue", _QUEUE),
        Profile("cancel", "work_queue", "WorkQueue", _QUEUE, cancels=True),
        Profile("drain", "work_queue", "WorkQueue", _QUEUE | {"shut_down_with_drain"}),
        Profile(
            "tracker",
            "change_tracker",
            "EndpointsChangeTracker",
            frozenset({"update", "remove", "checkout"}),
        ),
        Profile(
            "proxy",
            "proxy",
            "Proxy",
            frozenset({"update", "remove", "services_synced", "slices_synced", "sync", "metric"}),
        ),
    )
}
