"""Proxies that measure wrongly."""

from __future__ import annotations

import math
from bisect import bisect_right
from types import SimpleNamespace
from typing import ClassVar

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
    "latency/a-latency-of-thousands-of-years",
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
)
class HidesTheSkew(_Corrects):
    """Observes no latency below zero, and so nothing of the clocks."""

    def _corrected(self, value):
        return max(0.0, value)


@caught_by(
    "latency/a-latency-of-thousands-of-years",
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
    "latency/what-arrives-late-is-measured-from-its-change",
    "latency/a-bucket-holds-what-is-up-to-its-bound",
    "skew/skew-moves-the-filter-and-the-latency",
    "clocks/a-step-in-between-is-measured",
    "journey/from-the-change-to-the-metric",
)
class CutsOffAtTheTop(_Corrects):
    """Observes no latency above five minutes."""

    def _corrected(self, value):
        return min(300.0, value)


@caught_by(
    "latency/it-is-the-time-from-trigger-to-programmed",
)
class CountsMilliseconds(_Corrects):
    """Observes milliseconds."""

    def _corrected(self, value):
        return value * 1000


@caught_by(
    "latency/it-is-the-time-from-trigger-to-programmed",
)
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
    "latency/what-arrives-late-is-measured-from-its-change",
    "latency/what-has-no-trigger-time-is-not-measured",
    "latency/what-changes-after-a-failure-is-observed",
    "latency/the-first-sync-observes-what-has-gathered",
    "latency/a-latency-of-thousands-of-years",
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
    "clocks/on-its-own-host-there-is-no-skew",
    "clocks/what-is-cut-off-the-stamp-is-added-to-the-latency",
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
        observed = super().sync(program)
        arrived, self._arrived = self._arrived.values(), {}
        return [(self._clock.time_ns() - moment) / 1e9 for moment in arrived][: len(observed)]


@caught_by(
    "latency/programming-itself-is-part-of-it",
    "clocks/so-is-a-step-while-it-programs",
    "journey/from-the-change-to-the-metric",
)
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


@caught_by(
    "latency/one-observation-for-each-time",
    "clocks/each-originator-has-its-own-skew",
    "clocks/a-step-of-the-originator-counts-from-its-next-stamp",
)
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


@caught_by(
    "latency/a-failed-sync-observes-nothing",
)
class ObservesFailures(Proxy):
    """Observes latencies whether the rules were programmed or not."""

    def sync(self, program):
        return super().sync(lambda: program() or True)


@caught_by(
    "latency/the-times-of-a-failed-sync",
)
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


@caught_by(
    "latency/a-removal-is-not-measured",
    "latency/an-idle-sync-observes-nothing",
    "skew/with-more-skew-fewer-are-measured-and-more-of-each",
    "journey/from-the-change-to-the-metric",
)
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


@caught_by(
    "latency/nothing-before-both-lists-are-complete",
    "latency/nor-with-the-slices-alone",
)
class DoesNotWaitForTheLists(Proxy):
    """Syncs before it knows all Services and slices."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._services_synced = self._slices_synced = True


@caught_by(
    "latency/nothing-before-both-lists-are-complete",
)
class WaitsForServicesOnly(Proxy):
    """Syncs as soon as it knows all Services."""

    def services_synced(self):
        super().services_synced()
        self.slices_synced()


@caught_by(
    "latency/the-first-sync-observes-what-has-gathered",
)
class LosesWhatGathersAtTheStart(Proxy):
    """A sync before the lists are complete throws away what has gathered."""

    def sync(self, program):
        if not (self._services_synced and self._slices_synced):
            self._tracker.checkout()
        return super().sync(program)


@caught_by(
    "latency/it-is-a-histogram-of-seconds",
)
class GoesByAnotherName(Proxy):
    """Its metric has the name that was first proposed."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency.name = "kubeproxy_network_programming_latency_seconds"


@caught_by(
    "latency/a-bucket-holds-what-is-up-to-its-bound",
    "skew/a-latency-of-nothing-counts-as-well",
)
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


@caught_by(
    "latency/a-bucket-holds-what-is-up-to-its-bound",
    "skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum",
    "journey/from-the-change-to-the-metric",
)
class BucketsAreNotCumulative(Proxy):
    """Exposes the count of each bucket for itself."""

    def metric(self):
        histogram = super().metric()
        counts = zip((*histogram._bounds, math.inf), histogram._counts, strict=True)
        return SimpleNamespace(
            name=histogram.name, count=histogram.count, sum=histogram.sum, buckets=list(counts)
        )


@caught_by(
    "latency/it-has-81-finite-bounds",
)
class LacksTheBucketZero(Proxy):
    """Its buckets begin at 0.25, as the comments say."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        histogram = self._latency
        self._latency = Histogram(histogram.name, labels=histogram.labels, bounds=histogram._bounds[1:])


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/a-stamp-equal-to-the-start-is-left-out",
    "skew/no-latency-exceeds-the-uptime",
    "clocks/a-restart-measures-nothing-again",
    "clocks/what-changes-while-it-is-down-is-never-measured",
)
class MeasuresTheDowntime(Proxy):
    """No filter: each restart observes every slice there is (before Kubernetes 1.22)."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started = 0


@caught_by(
    "skew/a-stamp-equal-to-the-start-is-left-out",
    "clocks/a-start-on-the-second-loses-that-second",
)
class KeepsTheInstantOfItsStart(Proxy):
    """Off by one: keeps a trigger time at the very instant of its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started -= 1


@caught_by(
    "latency/a-latency-of-thousands-of-years",
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


class _SeesTimes(Proxy):
    """A proxy that makes something else of the trigger times of each checkout."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        checkout = self._tracker.checkout

        def seen():
            changes = checkout()
            times = {service: self._seen(list(times)) for service, times in changes.trigger_times.items()}
            return type(changes)(changes.services, times)

        self._tracker.checkout = seen

    def _seen(self, times):
        raise NotImplementedError


@caught_by(
    "latency/slices-written-at-once-count-each",
)
class CountsEqualTimesOnce(_SeesTimes):
    """Observes a trigger time once, however many slices of the service carry it."""

    def _seen(self, times):
        return list(dict.fromkeys(times))


@caught_by(
    "latency/one-observation-for-each-time",
    "clocks/each-originator-has-its-own-skew",
    "clocks/a-step-of-the-originator-counts-from-its-next-stamp",
)
class TakesTheMean(_SeesTimes):
    """Observes the mean of a service's trigger times, once for each of them."""

    def _seen(self, times):
        return [sum(times) // len(times)] * len(times)


@caught_by(
    "latency/one-observation-for-each-time",
    "clocks/each-originator-has-its-own-skew",
    "clocks/a-step-of-the-originator-counts-from-its-next-stamp",
)
class TakesTheEarliest(_SeesTimes):
    """Takes the earliest of a service's trigger times for all of them, as the control plane does with those of Pods."""

    def _seen(self, times):
        return [min(times)] * len(times)


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/law-l-the-latency",
    "skew/a-negative-latency-is-told",
)
class DropsWhatIsStillToCome(_SeesTimes):
    """Leaves out a trigger time that its clock has not reached when it syncs."""

    def _seen(self, times):
        return [time for time in times if time <= self._clock.time_ns()]


@caught_by(
    "latency/what-arrives-late-is-measured-from-its-change",
)
class DropsWhatIsOld(_SeesTimes):
    """Leaves out a trigger time that is more than two hours ago when it syncs."""

    def _seen(self, times):
        return [time for time in times if self._clock.time_ns() - time <= 7_200_000_000_000]


@caught_by(
    "skew/clocks-that-agree-are-exact",
    "skew/a-node-behind-measures-what-was-before-it",
    "clocks/each-originator-has-its-own-skew",
)
class AStaleTimePoisonsTheService(_SeesTimes):
    """Leaves out all of a service's trigger times if one of them is from before its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._since, self._tracker._started = self._tracker._started, 0

    def _seen(self, times):
        return times if min(times) > self._since else []


@caught_by(
    "clocks/each-originator-has-its-own-skew",
    "clocks/on-its-own-host-there-is-no-skew",
    "clocks/whole-seconds-are-taken-as-they-come",
    "clocks/what-is-cut-off-the-stamp-is-added-to-the-latency",
    "clocks/a-restart-of-a-node-behind-measures-twice",
    "clocks/the-blind-while-outlasts-the-clock-that-made-it",
    "clocks/set-right-after-the-start-a-clock-lets-everything-in",
    "clocks/not-yet-set-right-it-ruins-the-sum",
    "clocks/a-step-in-between-is-measured",
    "clocks/a-step-of-the-originator-counts-from-its-next-stamp",
    "journey/from-the-change-to-the-metric",
)
class TakesHalfASecondOff(_SeesTimes):
    """Takes half a second off the latency of a stamp in whole seconds, which is right on average."""

    def _seen(self, times):
        return [time if time % 1_000_000_000 else time + 500_000_000 for time in times]


@caught_by(
    "latency/a-latency-of-thousands-of-years",
)
class WrapsAround(_Corrects):
    """Counts nanoseconds in 64 bits, and begins anew after 292 years."""

    def _corrected(self, value):
        return ((round(value * 1e9) + (1 << 63)) % (1 << 64) - (1 << 63)) / 1e9


@caught_by(
    "latency/a-bucket-holds-what-is-up-to-its-bound",
    "journey/from-the-change-to-the-metric",
)
class DropsWhatIsBeyondTheLastBound(Proxy):
    """Counts no observation for which there is no bucket but the infinite one."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(value) if value <= 300 else None


@caught_by(
    "latency/it-is-the-time-from-trigger-to-programmed",
)
class DropsNothing(Proxy):
    """Takes a latency of exactly nothing for none at all."""

    def sync(self, program):
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(value) if value else None
        try:
            return [value for value in super().sync(program) if value]
        finally:
            del self._latency.observe


@caught_by(
    "latency/every-sync-observes-what-is-new",
    "latency/it-is-a-histogram-of-seconds",
    "skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum",
    "clocks/each-originator-has-its-own-skew",
    "clocks/a-clock-that-drifts-is-measured-as-it-stands",
    "journey/from-the-change-to-the-metric",
)
class MeasuresOnlyItsFirstSync(Proxy):
    """Observes what the first sync with changes has programmed, and no more."""

    _first = True

    def sync(self, program):
        if not self._first:
            self._tracker.checkout()
        observed = super().sync(program)
        self._first = self._first and not observed
        return observed


@caught_by(
    "journey/whatever-happens-the-laws-foretell-it",
)
class MeasuresThreeSyncs(MeasuresOnlyItsFirstSync):
    """Observes what three syncs have programmed, and no more."""

    _left = 3

    @property
    def _first(self):
        return self._left > 0

    @_first.setter
    def _first(self, again):
        self._left -= not again


@caught_by(
    "latency/a-removal-is-not-measured",
    "latency/an-idle-sync-observes-nothing",
)
class MeasuresAgainEachHour(Proxy):
    """An idle sync an hour or more after the last observation makes it again."""

    _last = ()
    _when = 0

    def sync(self, program):
        observed, now = super().sync(program), self._clock.time_ns()
        if not observed and self._last and now - self._when >= 3_600_000_000_000:
            observed = self._last
            for value in observed:
                self._latency.observe(value)
        if observed:
            self._last, self._when = observed, now
        return list(observed)


@caught_by(
    "latency/a-removal-is-not-measured",
)
class MeasuresRemovals(Proxy):
    """The removal of a slice counts as its change of long ago."""

    def remove(self, slice_):
        times = self._tracker._trigger_times
        removed = super().remove(slice_)
        triggered = self._tracker._trigger_time(slice_)
        if removed and triggered is not None:
            times[f"{slice_.namespace}/{slice_.service}"].append(triggered)
        return removed


@caught_by(
    "latency/what-has-no-trigger-time-is-not-measured",
)
class TakesGarbageForNow(Proxy):
    """What it cannot read as a trigger time it takes for the moment of arrival."""

    def update(self, slice_):
        changed = super().update(slice_)
        text = slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME)
        if changed and text is not None and parsed(text) is None:
            service = f"{slice_.namespace}/{slice_.service}"
            self._tracker._trigger_times[service].append(self._clock.time_ns())
        return changed


@caught_by(
    "latency/what-has-no-trigger-time-is-not-measured",
)
class StumblesOverGarbage(Proxy):
    """Raises when it cannot read a trigger time."""

    def update(self, slice_):
        text = slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME)
        if text is not None and parsed(text) is None:
            raise ValueError(text)
        return super().update(slice_)


@caught_by(
    "latency/what-changes-after-a-failure-is-observed",
)
class ForgetsAfterAFailure(Proxy):
    """The sync after a failed one programs, but observes nothing."""

    _failed = False

    def sync(self, program):
        if self._failed:
            self._tracker._trigger_times.clear()
        outcome = []
        observed = super().sync(lambda: outcome.append(program()) or outcome[0])
        self._failed = bool(outcome) and not outcome[0]
        return observed


class _Keeps(Proxy):
    """Keeps the changes of a failed sync for the next."""

    _kept = ()

    def sync(self, program):
        checkout, outcome, changes = self._tracker.checkout, [], []

        def with_kept():
            changes.append(checkout())
            times = dict(changes[0].trigger_times) | {"kept": self._taken_up()}
            return type(changes[0])(changes[0].services, times)

        self._tracker.checkout = with_kept
        try:
            observed = super().sync(lambda: outcome.append(program()) or outcome[0])
        finally:
            del self._tracker.checkout
        if outcome and outcome[0]:
            self._kept = ()
        elif outcome:
            self._keep([time for times in changes[0].trigger_times.values() for time in times])
        return observed

    def _taken_up(self):
        return self._kept

    def _keep(self, times):
        raise NotImplementedError


@caught_by(
    "latency/the-times-of-a-failed-sync",
    "latency/what-changes-after-a-failure-is-observed",
)
class MeasuresFailuresFromTheRetry(_Keeps):
    """Keeps the times of a failed sync, as those of a change at the moment of the retry."""

    def _keep(self, times):
        self._kept = (*self._kept, *times)

    def _taken_up(self):
        return [self._clock.time_ns() for _ in self._kept]


@caught_by(
    "latency/nor-with-the-slices-alone",
)
class WaitsForSlicesOnly(Proxy):
    """Syncs as soon as it knows all EndpointSlices."""

    def slices_synced(self):
        super().slices_synced()
        self.services_synced()


@caught_by(
    "latency/it-is-the-time-from-trigger-to-programmed",
)
class MeasuresOnArrival(Proxy):
    """Measures how long a change took to arrive; to program it costs nothing."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._arrived = []

    def update(self, slice_):
        before = sum(map(len, self._tracker._trigger_times.values()))
        changed = super().update(slice_)
        if sum(map(len, self._tracker._trigger_times.values())) > before:
            triggered = parsed(slice_.annotations[LAST_CHANGE_TRIGGER_TIME])
            self._arrived.append((self._clock.time_ns() - triggered) / 1e9)
        return changed

    def sync(self, program):
        observed = super().sync(program)
        arrived, self._arrived = self._arrived, []
        return arrived if observed else []


class _OnAnotherClock(Proxy):
    """Reads a clock of its own making."""

    def __init__(self, clock, ip_family="IPv4"):
        self._wall = clock
        self._since = clock.time_ns() - clock.monotonic_ns()
        super().__init__(SimpleNamespace(time_ns=self._time_ns), ip_family)

    @property
    def _steady(self):
        return self._since + self._wall.monotonic_ns()

    def _time_ns(self):
        raise NotImplementedError


@caught_by(
    "clocks/the-blind-while-outlasts-the-clock-that-made-it",
    "clocks/set-right-after-the-start-a-clock-lets-everything-in",
    "clocks/a-step-in-between-is-measured",
)
class NeverLooksAtTheClockAgain(_OnAnotherClock):
    """Reads the wall clock at its start, and goes on from there by a clock that nobody sets."""

    def _time_ns(self):
        return self._steady


@caught_by(
    "journey/also-where-the-clock-is-set",
)
class IgnoresTheSecondStep(_OnAnotherClock):
    """Takes the wall clock for broken once it has been set twice, and goes on by another."""

    _last = None
    _steps = 0

    def _time_ns(self):
        step = self._wall.time_ns() - self._steady
        if self._last is not None and step != self._last:
            self._steps += 1
        self._last = step
        return self._steady if self._steps > 1 else self._wall.time_ns()

    def update(self, slice_):
        self._time_ns()
        return super().update(slice_)


@caught_by(
    "journey/at-another-time-it-is-the-same",
)
class LooksOnlyAtSecondsAfterAWeek(_OnAnotherClock):
    """Its clock has only whole seconds when the machine has been up for a week."""

    def _time_ns(self):
        now = self._wall.time_ns()
        up_for_a_week = self._wall.monotonic_ns() > 7 * 86_400 * 1_000_000_000
        return now - now % 1_000_000_000 if up_for_a_week else now


@caught_by(
    "clocks/so-is-a-step-while-it-programs",
)
class MeasuresTheProgrammingOnASteadyClock(_OnAnotherClock):
    """Takes how long the rules took from a clock that nobody sets."""

    _frozen = None

    def _time_ns(self):
        if self._frozen is None:
            return self._wall.time_ns()
        return self._frozen + self._wall.monotonic_ns()

    def sync(self, program):
        self._frozen = self._wall.time_ns() - self._wall.monotonic_ns()
        try:
            return super().sync(program)
        finally:
            self._frozen = None


@caught_by(
    "clocks/the-blind-while-outlasts-the-clock-that-made-it",
    "journey/also-where-the-clock-is-set",
)
class ItsStartFollowsTheClock(Proxy):
    """Moves its start when its clock is set."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._shift = clock.time_ns() - clock.monotonic_ns()

    def update(self, slice_):
        shift = self._clock.time_ns() - self._clock.monotonic_ns()
        self._tracker._started += shift - self._shift
        self._shift = shift
        return super().update(slice_)


@caught_by(
    "skew/skew-moves-the-filter-and-the-latency",
    "skew/a-stamp-equal-to-the-start-is-left-out",
    "skew/no-latency-exceeds-the-uptime",
    "clocks/a-restart-measures-nothing-again",
    "clocks/what-changes-while-it-is-down-is-never-measured",
)
class LetsInWhatComesAtOnce(Proxy):
    """Its filter works only once the first sync is over."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._since, self._tracker._started = self._tracker._started, 0

    def sync(self, program):
        self._tracker._started = self._since
        return super().sync(program)


@caught_by(
    "latency/what-arrives-late-is-measured-from-its-change",
    "clocks/the-blind-while-outlasts-the-clock-that-made-it",
    "journey/from-the-change-to-the-metric",
    "journey/whatever-happens-the-laws-foretell-it",
)
class StartsAnewAtEachSync(Proxy):
    """Takes the last sync for its start."""

    def sync(self, program):
        observed = super().sync(program)
        self._tracker._started = self._clock.time_ns()
        return observed


@caught_by(
    "latency/the-first-sync-observes-what-has-gathered",
    "clocks/whole-seconds-are-taken-as-they-come",
    "clocks/a-restart-of-a-node-behind-measures-twice",
    "clocks/set-right-after-the-start-a-clock-lets-everything-in",
    "clocks/not-yet-set-right-it-ruins-the-sum",
)
class StartsWithItsLists(Proxy):
    """Takes the moment at which it knows everything for its start."""

    def slices_synced(self):
        super().slices_synced()
        self._tracker._started = self._clock.time_ns()
        self._tracker._trigger_times.clear()


@caught_by(
    "skew/a-stamp-equal-to-the-start-is-left-out",
    "skew/clocks-that-agree-are-exact",
    "skew/a-node-behind-measures-what-was-before-it",
)
class StartsOnTheSecond(Proxy):
    """Notes its start in whole seconds."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started -= self._tracker._started % 1_000_000_000


@caught_by(
    "clocks/each-originator-has-its-own-skew",
    "clocks/whole-seconds-are-taken-as-they-come",
    "clocks/a-restart-measures-nothing-again",
    "clocks/what-changes-while-it-is-down-is-never-measured",
    "clocks/a-restart-of-a-node-behind-measures-twice",
    "clocks/the-blind-while-outlasts-the-clock-that-made-it",
    "clocks/only-a-step-takes-a-latency-beyond-the-uptime",
)
class WritesItsStartDown(Proxy):
    """Writes its start down, and finds it there when it is started anew on the same machine."""

    _written: ClassVar = {}

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        machine = clock.time_ns() - clock.monotonic_ns()
        self._tracker._started = self._written.setdefault(machine, self._tracker._started)


@caught_by(
    "skew/with-more-skew-fewer-are-measured-and-more-of-each",
    "clocks/each-originator-has-its-own-skew",
)
class LearnsTheSkew(_Corrects):
    """Takes its first negative latency for the skew, and takes that off all that follow."""

    _skew = None

    def sync(self, program):
        observed = Proxy.sync(self, program)
        corrected = [value - (self._skew or 0) for value in observed]
        if self._skew is None:
            self._skew = min((value for value in observed if value < 0), default=None)
        return corrected

    def _corrected(self, value):
        return value - (self._skew or 0)


@caught_by(
    "clocks/each-originator-has-its-own-skew",
    "clocks/only-a-step-takes-a-latency-beyond-the-uptime",
)
class TellsTheSkewFromTheOthers(Proxy):
    """Takes the least latency of a sync of several for the skew, if it is negative, and takes it off all of them."""

    def sync(self, program):
        observed = super().sync(program)
        if len(observed) > 1 and min(observed) < 0:
            return [value - min(observed) for value in observed]
        return observed


@caught_by(
    "skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum",
    "journey/the-metric-holds-all-that-was-observed",
)
class GuardsItsSum(Proxy):
    """Does not let its sum fall once it has risen: a counter must not."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe = self._latency.observe

        def guarded(value):
            before = self._latency.sum
            observe(value)
            if before > 0 > value:
                self._latency.sum = before

        self._latency.observe = guarded


@caught_by(
    "journey/from-the-change-to-the-metric",
    "journey/the-metric-holds-all-that-was-observed",
)
class CountsSyncs(Proxy):
    """Counts a sync once, however much it has observed."""

    def sync(self, program):
        before = self._latency.count
        observed = super().sync(program)
        self._latency.count = before + bool(observed)
        return observed


@caught_by(
    "latency/its-type-is-histogram",
)
class IsAGauge(Proxy):
    """Says that its metric is a gauge."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency.kind = "gauge"


@caught_by(
    "latency/it-is-labelled-with-its-family",
)
class IsAlwaysOfTheFirstFamily(Proxy):
    """Labels everything as IPv4."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency.labels = {"ip_family": "IPv4"}


@caught_by(
    "latency/it-had-no-label",
)
class IsLabelledBeforeItsTime(Proxy):
    """Follows Kubernetes 1.32, and has the label that came after it."""

    kubernetes = "1.32"


@caught_by(
    "latency/it-has-81-finite-bounds",
)
class LacksTheHalf(Proxy):
    """Its buckets go from 0.25 to 1."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        histogram = self._latency
        bounds = (0.0, 0.25, *histogram._bounds[3:])
        self._latency = Histogram(histogram.name, labels=histogram.labels, bounds=bounds)


@caught_by(
    "skew/a-node-ahead-is-blind-for-as-long",
    "clocks/the-blind-while-outlasts-the-clock-that-made-it",
)
class LosesPatienceWithItsFilter(_SeesTimes):
    """Lets everything in once two syncs in a row had only times from before its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._since, self._tracker._started, self._in_vain = self._tracker._started, 0, 0

    def _seen(self, times):
        kept = times if self._in_vain >= 2 else [time for time in times if time > self._since]
        self._in_vain += not kept
        return kept


@caught_by(
    "latency/a-bucket-holds-what-is-up-to-its-bound",
    "skew/a-node-ahead-measures-no-less-than-its-lead",
)
class OverflowsIntoTheFirstBucket(Proxy):
    """Counts what is beyond the last bound in the first bucket."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe, counts = self._latency.observe, self._latency._counts

        def overflows(value):
            observe(value)
            counts[0], counts[-1] = counts[0] + counts[-1], 0

        self._latency.observe = overflows
