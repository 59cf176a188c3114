"""Change trackers that are right in another way: those of older versions of Kubernetes, and some of today's."""

from __future__ import annotations

import time
from collections import defaultdict
from threading import Lock
from typing import Any

from stingy_reference.tracker import Changes, EndpointsChangeTracker, _service


class UntilKubernetes132(EndpointsChangeTracker):
    """Takes slices of both families: somebody else has parted them."""

    kubernetes = "1.32"

    def _concerns(self, slice_: Any) -> bool:
        named = slice_.namespace and slice_.name and slice_.service
        return bool(slice_.address_type in ("IPv4", "IPv6") and named)


class UntilKubernetes130(UntilKubernetes132):
    """Compares what is programmed."""

    kubernetes = "1.30"

    def _is_known(self, slice_: Any) -> bool:
        known = self._latest(slice_)
        return known is not None and _programmed(known) == _programmed(slice_)


class UntilKubernetes126(UntilKubernetes130):
    """A removal takes no trigger times back."""

    kubernetes = "1.26"

    def _retract(self, slice_: Any) -> None:
        pass


class UntilKubernetes121(UntilKubernetes126):
    """Keeps every trigger time."""

    kubernetes = "1.21"

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._started = -(2**127)


class MendedIn121(UntilKubernetes121):
    """Follows 1.21, and has what was mended since: the restart filter, and the removal that takes times back."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        EndpointsChangeTracker.__init__(self, clock, ip_family)

    def _retract(self, slice_: Any) -> None:
        EndpointsChangeTracker._retract(self, slice_)


class ComparesWhatIsProgrammed(EndpointsChangeTracker):
    """Of today's ways it has all but one: it does not measure metadata."""

    def _is_known(self, slice_: Any) -> bool:
        known = self._latest(slice_)
        return known is not None and _programmed(known) == _programmed(slice_)


class HasItsSlicesParted(EndpointsChangeTracker):
    """Takes slices of both families, as somebody else has parted them."""

    def _concerns(self, slice_: Any) -> bool:
        return super()._concerns(slice_) or (slice_.address_type == "IPv6" and bool(slice_.service))


class KeepsTheInstantOfItsStart(EndpointsChangeTracker):
    """Leaves out what was before its start, and nothing else."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._started -= 1


class RefusesNamelessSlices(EndpointsChangeTracker):
    """Raises where a slice has no name, or belongs to no service."""

    def _concerns(self, slice_: Any) -> bool:
        if not (slice_.namespace and slice_.name and slice_.service):
            raise ValueError("a slice without a name, a namespace or a service")
        return super()._concerns(slice_)


class HandsOverInOrderOfTime(EndpointsChangeTracker):
    """Sorts the trigger times of each service, and hands over tuples."""

    def checkout(self) -> Changes:
        changes = super().checkout()
        times = {service: tuple(sorted(times)) for service, times in changes.trigger_times.items()}
        return Changes(changes.services, times)


class KeepsEachTimeOnce(EndpointsChangeTracker):
    """Slices that were stamped by one event are measured as one."""

    def checkout(self) -> Changes:
        changes = super().checkout()
        times = {service: list(dict.fromkeys(times)) for service, times in changes.trigger_times.items()}
        return Changes(changes.services, times)


class KnowsWhoseTimesTheyAre(EndpointsChangeTracker):
    """A removal drops the trigger times of its own slice alone."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._own: dict[tuple[str, str], list[int]] = {}
        """The pending trigger times of each slice."""

    def _emptied(self) -> Changes:
        changes = super()._emptied()
        self._own.clear()
        return changes

    def _trigger_time(self, slice_: Any) -> int | None:
        triggered = super()._trigger_time(slice_)
        if triggered is not None:
            self._own.setdefault((slice_.namespace, slice_.name), []).append(triggered)
        return triggered

    def _retract(self, slice_: Any) -> None:
        for triggered in self._own.pop((slice_.namespace, slice_.name), []):
            self._trigger_times[_service(slice_)].remove(triggered)


class MeasuresNothingThatCancelsOut(EndpointsChangeTracker):
    """A slice that is again as it was programmed has not changed, and its service's times are dropped."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._changed_slices: dict[str, set[tuple[str, str]]] = defaultdict(set)
        """Since the last checkout, by service."""

    def checkout(self) -> Changes:
        changes = super().checkout()
        self._changed_slices.clear()
        return changes

    def update(self, slice_: Any) -> bool:
        changed = super().update(slice_)
        with self._lock:
            self._settle(slice_, slice_)
        return changed

    def remove(self, slice_: Any) -> bool:
        changed = super().remove(slice_)
        with self._lock:
            self._settle(slice_, None)
        return changed

    def _settle(self, slice_: Any, becomes: Any | None) -> None:
        key = slice_.namespace, slice_.name
        programmed = self._applied.get(key)
        both = programmed is not None and becomes is not None
        same = _programmed(programmed) == _programmed(becomes) if both else programmed is becomes
        if key in self._pending and same:
            del self._pending[key]
            self._changed_slices[_service(slice_)].discard(key)
            if not self._changed_slices[_service(slice_)]:
                self._services.discard(_service(slice_))
                self._trigger_times.pop(_service(slice_), None)

    def _note(self, slice_: Any, becomes: Any | None) -> None:
        super()._note(slice_, becomes)
        self._changed_slices[_service(slice_)].add((slice_.namespace, slice_.name))


class LocksInTwoSteps(EndpointsChangeTracker):
    """Has a lock for the slices and another for the trigger times, and checks them out one after the other."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._times_lock = Lock()
        self._times: dict[str, list[int]] = defaultdict(list)

    def checkout(self) -> Changes:
        services = super().checkout().services
        with self._times_lock:
            times, self._times = self._times, defaultdict(list)
        return Changes(services, times)

    def _retract(self, slice_: Any) -> None:
        with self._times_lock:
            self._times.pop(_service(slice_), None)

    def _trigger_time(self, slice_: Any) -> int | None:
        triggered = super()._trigger_time(slice_)
        if triggered is not None:
            with self._times_lock:
                self._times[_service(slice_)].append(triggered)
        return None


class KeepsAJournal(EndpointsChangeTracker):
    """Writes down what happens, and adds it up at the checkout."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._journal: list[tuple[str, int | None]] = []
        """Services, each with a trigger time, or with None where its times are taken back."""

    def checkout(self) -> Changes:
        with self._lock:
            journal, self._journal = self._journal, []
            services, self._services = frozenset(self._services), set()
            self._applied |= {key: slice_ for key, slice_ in self._pending.items() if slice_ is not None}
            for key in [key for key, slice_ in self._pending.items() if slice_ is None]:
                self._applied.pop(key, None)
            self._pending = {}
        times: dict[str, tuple[int, ...]] = {}
        for service, triggered in journal:
            times[service] = () if triggered is None else (*times.get(service, ()), triggered)
        return Changes(services, times)

    def _retract(self, slice_: Any) -> None:
        self._journal.append((_service(slice_), None))

    def _trigger_time(self, slice_: Any) -> int | None:
        triggered = super()._trigger_time(slice_)
        if triggered is not None:
            self._journal.append((_service(slice_), triggered))
        return None


def _programmed(slice_: Any) -> tuple[Any, ...]:
    """As much of a slice as is programmed; the order makes no difference."""
    return slice_.service, slice_.address_type, sorted(slice_.ports), sorted(slice_.endpoints)


class ReadsTheClockOfTime(EndpointsChangeTracker):
    """Takes no clock: it asks ``time`` what it is."""

    def __init__(self) -> None:
        super().__init__(time)


SOUND = (
    *(ReadsTheClockOfTime, UntilKubernetes132, UntilKubernetes130, UntilKubernetes126, UntilKubernetes121),
    *(MendedIn121, ComparesWhatIsProgrammed, HasItsSlicesParted, KeepsTheInstantOfItsStart),
    *(RefusesNamelessSlices, HandsOverInOrderOfTime, KeepsEachTimeOnce, KnowsWhoseTimesTheyAre),
    *(MeasuresNothingThatCancelsOut, LocksInTwoSteps, KeepsAJournal),
)
