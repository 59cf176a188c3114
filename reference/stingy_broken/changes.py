"""Change trackers that take an echo for a change, or a change for an echo."""

from __future__ import annotations

from dataclasses import replace

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import EndpointsChangeTracker
from stingy_reference.annotation import LAST_CHANGE_TRIGGER_TIME
from stingy_reference.tracker import _service
from stingy_sound.trackers import UntilKubernetes130, UntilKubernetes132


@breaks("removal/a-slice-that-comes-back-in-time-is-there")
class OverlooksWhatIsToBeRemoved(EndpointsChangeTracker):
    """A slice is compared with what is pending, or else with what was checked out; nothing is pending for one to be removed."""

    def _latest(self, slice_):
        key = slice_.namespace, slice_.name
        return self._pending.get(key) or self._applied.get(key)


@breaks("changes/a-slice-may-go-back-to-what-it-was")
class NeverGoesBack(EndpointsChangeTracker):
    """Passes over a slice whose endpoints are again what they were two checkouts ago."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._before = {}

    def _is_known(self, slice_):
        key = slice_.namespace, slice_.name
        goes_back = key not in self._pending and self._before.get(key) == slice_.endpoints
        return super()._is_known(slice_) or goes_back

    def _emptied(self):
        changed = self._applied.keys() & self._pending.keys()
        self._before |= {key: self._applied[key].endpoints for key in changed}
        return super()._emptied()


@breaks("changes/each-slice-is-compared-with-itself")
class ComparesTheSlicesOfAService(EndpointsChangeTracker):
    """Passes over a new slice whose endpoints are those of another one of its service."""

    def _is_known(self, slice_):
        return super()._is_known(slice_) or (
            self._latest(slice_) is None
            and any(
                known is not None
                and known.endpoints == slice_.endpoints
                and _service(known) == _service(slice_)
                for known in (*self._applied.values(), *self._pending.values())
            )
        )


@breaks("changes/each-slice-is-compared-with-itself")
class KnowsSlicesByNameAlone(EndpointsChangeTracker):
    """Passes over a new slice of the same name and endpoints as one in another namespace."""

    def _is_known(self, slice_):
        return super()._is_known(slice_) or (
            self._latest(slice_) is None
            and any(
                known is not None and (known.name, known.endpoints) == (slice_.name, slice_.endpoints)
                for known in (*self._applied.values(), *self._pending.values())
            )
        )


@breaks("changes/any-difference-is-a-change")
class MeasuresNoMetadata(EndpointsChangeTracker):
    """Compares what is programmed, as kube-proxy did until 1.30."""

    _is_known = UntilKubernetes130._is_known


@breaks("changes/metadata-is-no-change")
class MeasuresMetadataIn130(UntilKubernetes130):
    """Follows 1.30, and compares whole objects, as kube-proxy does since 1.31."""

    _is_known = EndpointsChangeTracker._is_known


@breaks("removal/a-slice-that-replaces-the-last-one-is-known")
class ForgetsAServiceWithItsLastSlice(EndpointsChangeTracker):
    """A service is forgotten when its last slice goes, and with it the slice that came meanwhile."""

    def _emptied(self):
        had = {_service(slice_) for slice_ in self._applied.values()}
        stay = {_service(it) for key, it in self._applied.items() if self._pending.get(key, it) is not None}
        changes = super()._emptied()
        self._applied = {key: it for key, it in self._applied.items() if _service(it) not in had - stay}
        return changes


@breaks("changes/the-other-family-is-passed-over")
class TakesTheOtherFamily(EndpointsChangeTracker):
    """Takes slices of both families, as kube-proxy did until 1.32."""

    _concerns = UntilKubernetes132._concerns


@breaks("changes/both-families-are-taken")
class RefusesTheOtherFamilyIn132(UntilKubernetes132):
    """Follows 1.32, and passes over slices of the other family, as kube-proxy does since 1.33."""

    _concerns = EndpointsChangeTracker._concerns


@breaks("trigger_times/a-slice-that-is-handed-in-stays-as-it-was")
class TakesTheAnnotationOff(EndpointsChangeTracker):
    """The annotation is taken off the slice that is handed in, so that the next one shows whether there is a new one."""

    def update(self, slice_):
        changed = super().update(slice_)
        slice_.annotations.pop(LAST_CHANGE_TRIGGER_TIME, None)
        return changed


define(globals())
