"""Trackers, proxies and their metrics with room for only so much."""

from __future__ import annotations

from collections import OrderedDict

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import Changes, EndpointsChangeTracker, Proxy, TriggerTimeTracker
from stingy_reference.tracker import _service


@breaks("trigger_times/of-many-times-none-is-left-out")
class KeepsTheLastHundred(EndpointsChangeTracker):
    """Keeps the last hundred trigger times of each service."""

    def update(self, slice_):
        changed = super().update(slice_)
        if slice_.service:
            del self._trigger_times[_service(slice_)][:-100]
        return changed


@breaks("checkout/of-many-services-none-is-left-out")
class HandsOverAThousandServices(EndpointsChangeTracker):
    """Hands over a thousand services at most, and drops the others."""

    def _emptied(self):
        changes = super()._emptied()
        services = sorted(changes.services)[:1000]
        times = {service: changes.trigger_times.get(service, []) for service in services}
        return Changes(frozenset(services), times)


@breaks("changes/of-many-slices-each-is-known-again")
class RemembersAThousandSlices(EndpointsChangeTracker):
    """Forgets the slices that were checked out longest ago, so that a thousand are left."""

    def _emptied(self):
        changes = super()._emptied()
        for key in list(self._applied)[:-1000]:
            del self._applied[key]
        return changes


class _Counts(Proxy):
    """A proxy whose histogram is another one as soon as something has been observed."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe = self._latency.observe

        def observe_and_cut(value):
            observe(value)
            self._cut(self._latency)

        self._latency.observe = observe_and_cut

    def _cut(self, histogram):
        raise NotImplementedError


class _Measures(Proxy):
    """A proxy that makes something else of each latency."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(self._held(value))

    def sync(self, program):
        return [self._held(value) for value in super().sync(program)]

    def _held(self, value):
        raise NotImplementedError


@breaks("arrivals/of-many-that-arrive-during-a-sync-none-is-lost")
class HasRoomForAThousandArrivals(Proxy):
    """Has a buffer for what arrives during a sync; what does not fit in is not measured."""

    _room = None

    def update(self, slice_):
        if self._room is None:
            return super().update(slice_)
        self._room -= 1
        if self._room < 0:
            slice_ = type(slice_)(**{**vars(slice_), "annotations": {}})
        return super().update(slice_)

    def sync(self, program):
        def programs():
            self._room = 1000
            try:
                return program()
            finally:
                self._room = None

        return super().sync(programs)


@breaks("triggers/of-many-services-none-is-forgotten")
class RemembersAThousandServices(TriggerTimeTracker):
    """Forgets the Services that were synced longest ago, so that a thousand are left."""

    def __init__(self):
        super().__init__()
        self._seen = OrderedDict()

    def compute(self, namespace, service, pods):
        found = super().compute(namespace, service, pods)
        self._seen.move_to_end((namespace, service.name))
        while len(self._seen) > 1000:
            self._seen.popitem(last=False)
        return found


define(globals())
