"""Proxies that make something else of a latency, or of the times that it is measured from."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import Proxy


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


@breaks("skew/skew-moves-the-filter-and-the-latency")
class DropsNegatives(Proxy):
    """Does not observe a latency below zero at all."""

    def sync(self, program):
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(value) if value >= 0 else None
        try:
            return [value for value in super().sync(program) if value >= 0]
        finally:
            del self._latency.observe


@breaks("latency/a-latency-of-thousands-of-years")
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


A_SECOND, A_MINUTE = 1_000_000_000, 60_000_000_000


@breaks("clocks/a-restart-of-a-node-behind-measures-twice")
class DoubtsItsFirstList(Proxy):
    """Leaves out trigger times that the first list of EndpointSlices has from seconds ahead of its clock."""

    def slices_synced(self):
        super().slices_synced()
        now, times = self._clock.time_ns(), self._tracker._trigger_times
        times.update(
            {
                service: [it for it in seen if not A_SECOND < it - now < A_MINUTE]
                for service, seen in times.items()
            }
        )


@breaks("clocks/each-originator-has-its-own-skew")
class AStaleTimePoisonsTheService(_SeesTimes):
    """Leaves out all of a service's trigger times if one of them is from before its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._since, self._tracker._started = self._tracker._started, 0

    def _seen(self, times):
        return times if min(times) > self._since else []


@breaks("clocks/each-originator-has-its-own-skew")
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


@breaks("clocks/each-originator-has-its-own-skew")
class TellsTheSkewFromTheOthers(Proxy):
    """Takes the least latency of a sync of several for the skew, if it is negative, and takes it off all of them."""

    def sync(self, program):
        observed = super().sync(program)
        if len(observed) > 1 and min(observed) < 0:
            return [value - min(observed) for value in observed]
        return observed


@breaks("clocks/the-blind-while-outlasts-the-clock-that-made-it")
class LosesPatienceWithItsFilter(_SeesTimes):
    """Lets everything in once two syncs in a row had only times from before its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._since, self._tracker._started, self._in_vain = self._tracker._started, 0, 0

    def _seen(self, times):
        kept = times if self._in_vain >= 2 else [time for time in times if time > self._since]
        self._in_vain += not kept
        return kept


define(globals())
