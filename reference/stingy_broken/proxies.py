"""Proxies that measure wrongly."""

from __future__ import annotations

import math
from bisect import bisect_right
from types import SimpleNamespace

from stingy_broken import caught_by
from stingy_reference import Histogram, Proxy
from stingy_reference.annotation import LAST_CHANGE_TRIGGER_TIME, parsed


class _Corrects(Proxy):
    """A proxy that makes something else of each latency before it observes it."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(self._corrected(value))

    def _corrected(self, value):
        raise NotImplementedError

    def sync(self, program):
        return [self._corrected(value) for value in super().sync(program)]


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
)
class HidesTheSkew(_Corrects):
    """Observes no latency below zero, and so nothing of the clocks."""

    def _corrected(self, value):
        return max(0.0, value)


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
    "skew/no-latency-exceeds-the-uptime",
)
class ForgetsTheSign(_Corrects):
    """Observes the size of a latency, not its sign."""

    def _corrected(self, value):
        return abs(value)


@caught_by(
    "latency/a-bucket-holds-what-is-up-to-its-bound",
    "skew/skew-moves-the-filter-and-the-latency",
)
class CutsOffAtTheTop(_Corrects):
    """Observes no latency above five minutes."""

    def _corrected(self, value):
        return min(300.0, value)


@caught_by("latency/it-is-the-time-from-trigger-to-programmed")
class CountsMilliseconds(_Corrects):
    """Observes milliseconds."""

    def _corrected(self, value):
        return value * 1000


@caught_by("latency/it-is-the-time-from-trigger-to-programmed")
class TruncatesToSeconds(_Corrects):
    """Observes whole seconds."""

    def _corrected(self, value):
        return float(value // 1)


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
)
class DropsNegatives(Proxy):
    """Does not observe a latency below zero at all."""

    def sync(self, program):
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(value) if value >= 0 else None
        try:
            return [value for value in super().sync(program) if value >= 0]
        finally:
            del self._latency.observe


@caught_by(
    "latency/programming-itself-is-part-of-it",
    "latency/one-observation-for-each-time",
    "latency/the-first-sync-observes-what-has-gathered",
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
)
class MeasuresFromTheArrival(Proxy):
    """Measures from the moment at which the slice arrived, and not from the trigger time."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._arrived = {}

    def update(self, slice_):
        triggered = parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME, ""))
        if triggered is not None:
            self._arrived[triggered] = self._clock.time_ns()
        return super().update(slice_)

    def sync(self, program):
        now = self._clock.time_ns()
        late = [self._arrived[now - round(value * 1e9)] for value in []]
        observed = super().sync(program)
        if observed:
            late = [(self._clock.time_ns() - arrived) / 1e9 for arrived in self._arrived.values()]
        self._arrived.clear()
        return late[: len(observed)]


@caught_by("latency/programming-itself-is-part-of-it")
class ReadsTheClockTooEarly(Proxy):
    """Reads the clock before it programs the rules."""

    def sync(self, program):
        clock, started = self._clock, self._clock.time_ns()

        class Stopped:
            def time_ns(self):
                return started

        self._clock = Stopped()
        try:
            return super().sync(program)
        finally:
            self._clock = clock


@caught_by("latency/one-observation-for-each-time")
class ObservesOnceAService(Proxy):
    """Observes the first trigger time of each service and leaves out the others."""

    def sync(self, program):
        checkout = self._tracker.checkout

        def first_times():
            changes = checkout()
            first = {service: times[:1] for service, times in changes.trigger_times.items()}
            return type(changes)(changes.services, first)

        self._tracker.checkout = first_times
        try:
            return super().sync(program)
        finally:
            del self._tracker.checkout


@caught_by("latency/a-failed-sync-observes-nothing")
class ObservesFailures(Proxy):
    """Observes latencies whether the rules were programmed or not."""

    def sync(self, program):
        return super().sync(lambda: program() or True)


@caught_by("latency/the-times-of-a-failed-sync")
class MakesUpForFailuresTwice(Proxy):
    """Keeps the times of a failed sync, and observes them twice."""

    def sync(self, program):
        checkout, kept = self._tracker.checkout, getattr(self, "_kept", {})
        checked_out = {}

        def with_kept():
            changes = checkout()
            checked_out.update(changes.trigger_times)
            times = {
                service: [*kept.get(service, []) * 2, *changes.trigger_times.get(service, [])]
                for service in {*kept, *changes.trigger_times}
            }
            return type(changes)(changes.services, times)

        succeeded = []
        self._tracker.checkout = with_kept
        try:
            return super().sync(lambda: succeeded.append(program()) or succeeded[0])
        finally:
            del self._tracker.checkout
            self._kept = {} if succeeded and succeeded[0] else checked_out


@caught_by("latency/an-idle-sync-observes-nothing")
class ObservesAgainWhenIdle(Proxy):
    """A sync without changes observes the last ones again."""

    _last = ()

    def sync(self, program):
        observed = super().sync(program)
        if observed:
            self._last = observed
        elif self._last:
            program()
            return list(self._last)
        return observed


@caught_by("latency/nothing-before-both-lists-are-complete")
class DoesNotWaitForTheLists(Proxy):
    """Syncs before it knows all Services and slices."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._services_synced = self._slices_synced = True


@caught_by("latency/nothing-before-both-lists-are-complete")
class WaitsForServicesOnly(Proxy):
    """Syncs as soon as it knows all Services."""

    def services_synced(self):
        super().services_synced()
        self.slices_synced()


@caught_by("latency/the-first-sync-observes-what-has-gathered")
class LosesWhatGathersAtTheStart(Proxy):
    """A sync before the lists are complete throws away what has gathered."""

    def sync(self, program):
        if not (self._services_synced and self._slices_synced):
            self._tracker.checkout()
        return super().sync(program)


@caught_by("latency/it-is-a-histogram-of-seconds")
class GoesByAnotherName(Proxy):
    """Its metric has the name that was first proposed."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency.name = "kubeproxy_network_programming_latency_seconds"


@caught_by("latency/a-bucket-holds-what-is-up-to-its-bound")
class BoundsAreExclusive(Proxy):
    """A value equal to a bound goes into the next bucket."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        histogram = self._latency

        def observe(value):
            histogram._counts[bisect_right(histogram._bounds, value)] += 1
            histogram.count += 1
            histogram.sum += value

        histogram.observe = observe


@caught_by("latency/a-bucket-holds-what-is-up-to-its-bound")
class BucketsAreNotCumulative(Proxy):
    """Exposes the count of each bucket for itself."""

    def metric(self):
        histogram = super().metric()
        counts = zip((*histogram._bounds, math.inf), histogram._counts, strict=True)
        return SimpleNamespace(
            name=histogram.name, count=histogram.count, sum=histogram.sum, buckets=list(counts)
        )


@caught_by("latency/it-has-81-finite-bounds")
class LacksTheBucketZero(Proxy):
    """Its buckets begin at 0.25, as the comments say."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency = Histogram(self._latency.name)
        self._latency._bounds = self._latency._bounds[1:]
        self._latency._counts.pop()


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/a-stamp-equal-to-the-start-is-left-out",
    "skew/no-latency-exceeds-the-uptime",
)
class MeasuresTheDowntime(Proxy):
    """No filter: each restart observes every slice there is (before Kubernetes 1.22)."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started = 0


@caught_by("skew/a-stamp-equal-to-the-start-is-left-out")
class KeepsTheInstantOfItsStart(Proxy):
    """Off by one: keeps a trigger time at the very instant of its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started -= 1


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
)
class CorrectsForTheSkew(Proxy):
    """Takes a trigger time ahead of its clock for now."""

    def update(self, slice_):
        self._seen = self._clock.time_ns()
        return super().update(slice_)

    def sync(self, program):
        checkout, clock = self._tracker.checkout, self._clock

        def corrected():
            changes = checkout()
            now = clock.time_ns()
            times = {s: [min(time, now) for time in times] for s, times in changes.trigger_times.items()}
            return type(changes)(changes.services, times)

        self._tracker.checkout = corrected
        try:
            return super().sync(program)
        finally:
            del self._tracker.checkout
