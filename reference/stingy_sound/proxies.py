"""Proxies that keep every rule in another way, or as kube-proxy did: what the rules must not mistake for a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from queue import Queue
from threading import Lock, Thread
from types import SimpleNamespace
from typing import Any

from stingy_reference.proxy import Histogram, Proxy
from stingy_reference.tracker import Changes, EndpointsChangeTracker
from stingy_sound.trackers import (
    KeepsEachTimeOnce,
    KeepsTheInstantOfItsStart,
    UntilKubernetes121,
    UntilKubernetes126,
    UntilKubernetes130,
    UntilKubernetes132,
)


class _WithTracker(Proxy):
    """A proxy with another tracker inside."""

    _tracks: type[EndpointsChangeTracker] = EndpointsChangeTracker

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._tracker = self._tracks(clock, ip_family)


class _KeepsTimes(EndpointsChangeTracker):
    """Hands over once more the times of what it handed over, until it is told that they are observed."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._handed_over: list[int] = []

    def checkout(self) -> Changes:
        changes = super().checkout()
        self._handed_over += [time for times in changes.trigger_times.values() for time in times]
        return Changes(changes.services, {"": tuple(self._handed_over)})

    def observed(self) -> None:
        self._handed_over.clear()


class KeepsWhatFailed(Proxy):
    """The times of a failed sync are observed by the next that succeeds: better than upstream."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._keeps = self._tracker = _KeepsTimes(clock, ip_family)

    def sync(self, program: Callable[[], bool]) -> list[float]:
        outcome: list[bool] = []

        def programs() -> bool:
            outcome.append(program())
            return outcome[0]

        latencies = super().sync(programs)
        if outcome == [True]:
            self._keeps.observed()
        return latencies


class ReadsTheClockForEach(Proxy):
    """Reads the clock anew for each observation, as upstream does."""

    def sync(self, program: Callable[[], bool]) -> list[float]:
        if not (self._services_synced and self._slices_synced):
            return []
        changes = self._tracker.checkout()
        return list(self._observed(changes.trigger_times)) if program() else []

    def _observed(self, times: Mapping[str, Sequence[int]]) -> Sequence[float]:
        latencies = []
        for service in sorted(times):
            for time in times[service]:
                latencies.append((self._clock.time_ns() - time) / 1_000_000_000)
                self._latency.observe(latencies[-1])
        return latencies


class CountsMicroseconds(Proxy):
    """Reads its clock, and the trigger times, to the microsecond when it measures, as datetime does."""

    def sync(self, program: Callable[[], bool]) -> list[float]:
        if not (self._services_synced and self._slices_synced):
            return []
        changes = self._tracker.checkout()
        if not program():
            return []
        now = self._clock.time_ns() // 1000
        latencies = [
            (now - time // 1000) / 1_000_000 for times in changes.trigger_times.values() for time in times
        ]
        for latency in latencies:
            self._latency.observe(latency)
        return latencies


class KeepsTheStart(_WithTracker):
    """Measures what was triggered at the very instant of its start, as was proposed for Cilium."""

    _tracks = KeepsTheInstantOfItsStart


class CountsEachTimeOnce(_WithTracker):
    """Observes one event once a service, however many slices it has changed, as was proposed for Cilium."""

    _tracks = KeepsEachTimeOnce


class OfOtherBounds(Proxy):
    """Has the bounds that Prometheus' own libraries choose, and no 0 among them."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        bounds = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
        self._latency = Histogram(self._latency.name, labels=self._latency.labels, bounds=bounds)


class TellsOnlyWhatItMust(Proxy):
    """Tells neither the type nor the labels of its metric."""

    def metric(self) -> Any:
        told = super().metric()
        return SimpleNamespace(name=told.name, buckets=told.buckets, count=told.count, sum=told.sum)


class CutsOffAt292Years(Proxy):
    """Ends at what 64 bits of nanoseconds hold, as Go's durations do."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._tracker = _Near(clock, ip_family)


class _Near(EndpointsChangeTracker):
    """Takes a time that is too far off for the nearest that is not."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._clock = clock

    def checkout(self) -> Changes:
        changes, furthest = super().checkout(), self._clock.time_ns() + (1 << 63) - 1
        times = {
            service: [min(time, furthest) for time in times]
            for service, times in changes.trigger_times.items()
        }
        return Changes(changes.services, times)


class GathersInTheBackground(Proxy):
    """A thread takes up the changes, one by one; a sync waits until there are no more."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._arrived: Queue[Callable[[], object]] = Queue()
        Thread(target=self._gather, daemon=True).start()

    def _gather(self) -> None:
        while True:
            self._arrived.get()()
            self._arrived.task_done()

    def update(self, slice_: Any) -> bool:
        self._arrived.put(lambda: self._tracker.update(slice_))
        return True

    def remove(self, slice_: Any) -> bool:
        self._arrived.put(lambda: self._tracker.remove(slice_))
        return True

    def sync(self, program: Callable[[], bool]) -> list[float]:
        self._arrived.join()
        return super().sync(program)


class HasItsInformersWait(Proxy):
    """Does one thing at a time: what arrives while the rules are programmed waits until they are."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._one_at_a_time = Lock()

    def update(self, slice_: Any) -> bool:
        with self._one_at_a_time:
            return super().update(slice_)

    def remove(self, slice_: Any) -> bool:
        with self._one_at_a_time:
            return super().remove(slice_)

    def sync(self, program: Callable[[], bool]) -> list[float]:
        with self._one_at_a_time:
            return super().sync(program)


class AsOf132(_WithTracker):
    """kube-proxy before its metric had a label."""

    kubernetes = "1.32"
    _tracks = UntilKubernetes132

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._latency.labels = {}


class AsOf130(AsOf132):
    """kube-proxy when only ports and endpoints were compared."""

    kubernetes = "1.30"
    _tracks = UntilKubernetes130


class AsOf126(AsOf130):
    """kube-proxy when a removal left the trigger times of a service as they were."""

    kubernetes = "1.26"
    _tracks = UntilKubernetes126


class AsOf121(AsOf126):
    """kube-proxy without its filter."""

    kubernetes = "1.21"
    _tracks = UntilKubernetes121


SOUND = (
    *(KeepsWhatFailed, ReadsTheClockForEach, CountsMicroseconds, KeepsTheStart, CountsEachTimeOnce),
    *(OfOtherBounds, TellsOnlyWhatItMust, CutsOffAt292Years, GathersInTheBackground, HasItsInformersWait),
    *(AsOf132, AsOf130, AsOf126, AsOf121),
)
