"""Proxies that measure another thing, or at another time, than what is promised."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import Proxy
from stingy_reference.annotation import LAST_CHANGE_TRIGGER_TIME, parsed


@breaks("latency/programming-itself-is-part-of-the-latency")
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


@breaks("latency/programming-itself-is-part-of-the-latency")
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


@breaks("clocks/a-step-of-the-originator-counts-from-its-next-stamp")
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


@breaks("latency/the-times-of-a-failed-sync")
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


@breaks("latency/an-idle-sync-observes-nothing")
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


@breaks("latency/the-latency-is-the-time-from-trigger-to-programmed")
class DropsNothing(Proxy):
    """Takes a latency of exactly nothing for none at all."""

    def sync(self, program):
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(value) if value else None
        try:
            return [value for value in super().sync(program) if value]
        finally:
            del self._latency.observe


@breaks("latency/every-sync-observes-what-is-new")
class MeasuresOnlyItsFirstSync(Proxy):
    """Observes what the first sync with changes has programmed, and no more."""

    _first = True

    def sync(self, program):
        if not self._first:
            self._tracker.checkout()
        observed = super().sync(program)
        self._first = self._first and not observed
        return observed


@breaks("journey/whatever-happens-the-laws-foretell-every-latency")
class MeasuresThreeSyncs(MeasuresOnlyItsFirstSync):
    """Observes what three syncs have programmed, and no more."""

    _left = 3

    @property
    def _first(self):
        return self._left > 0

    @_first.setter
    def _first(self, again):
        self._left -= not again


@breaks("latency/an-idle-sync-observes-nothing")
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


@breaks("latency/what-changes-after-a-failure-is-observed")
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


@breaks("latency/the-latency-is-the-time-from-trigger-to-programmed")
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


define(globals())
