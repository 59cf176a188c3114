"""Correct proxies that work differently from the reference, and kube-proxy's older versions.

No rule may accuse them.
"""

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
    """A proxy with a tracker of the class ``_tracks``."""

    _tracks: type[EndpointsChangeTracker] = EndpointsChangeTracker

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._tracker = self._tracks(clock, ip_family)


class _KeepsTimes(EndpointsChangeTracker):
    """Each checkout repeats the trigger times of earlier ones, until ``observed`` is called."""

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
    """Observes the trigger times of a failed sync at the next sync that succeeds.

    Upstream loses them.
    """

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
    """Truncates its clock and the trigger times to microseconds, as ``datetime`` does."""

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
    """Also measures a trigger time equal to its start, as was proposed for Cilium."""

    _tracks = KeepsTheInstantOfItsStart


class CountsEachTimeOnce(_WithTracker):
    """Observes equal trigger times of a service only once, as was proposed for Cilium."""

    _tracks = KeepsEachTimeOnce


class OfOtherBounds(Proxy):
    """Has the default bounds of Prometheus' own libraries, without the bound 0."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        bounds = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
        self._latency = Histogram(self._latency.name, labels=self._latency.labels, bounds=bounds)


class TellsOnlyWhatItMust(Proxy):
    """Its metric has neither type nor labels, which are optional."""

    def metric(self) -> Any:
        told = super().metric()
        return SimpleNamespace(name=told.name, buckets=told.buckets, count=told.count, sum=told.sum)


class CutsOffAt292Years(Proxy):
    """Limits future trigger times to what 64 bits of nanoseconds hold, as Go's durations do."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._tracker = _Near(clock, ip_family)


class _Near(EndpointsChangeTracker):
    """Replaces a trigger time that is too far in the future by the latest possible one."""

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
    """A thread applies the changes one by one; a sync waits until all are applied."""

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
    """One lock for all methods: a change that arrives during a sync waits until its end."""

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
    """kube-proxy 1.32, before its metric had a label."""

    kubernetes = "1.32"
    _tracks = UntilKubernetes132

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._latency.labels = {}


class AsOf130(AsOf132):
    """kube-proxy 1.30, which compared only ports and endpoints of slices."""

    kubernetes = "1.30"
    _tracks = UntilKubernetes130


class AsOf126(AsOf130):
    """kube-proxy 1.26, in which a removal did not drop a service's trigger times."""

    kubernetes = "1.26"
    _tracks = UntilKubernetes126


class AsOf121(AsOf126):
    """kube-proxy 1.21, which did not filter changes from before its start."""

    kubernetes = "1.21"
    _tracks = UntilKubernetes121


SOUND = (
    *(KeepsWhatFailed, ReadsTheClockForEach, CountsMicroseconds, KeepsTheStart, CountsEachTimeOnce),
    *(OfOtherBounds, TellsOnlyWhatItMust, CutsOffAt292Years, GathersInTheBackground, HasItsInformersWait),
    *(AsOf132, AsOf130, AsOf126, AsOf121),
)
