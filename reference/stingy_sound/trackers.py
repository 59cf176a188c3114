"""Correct change trackers that work differently from the reference.

Some follow older versions of Kubernetes. No rule may accuse them.
"""

from __future__ import annotations

import time
from collections import defaultdict
from threading import Lock
from typing import Any

from stingy_reference.tracker import Changes, EndpointsChangeTracker, _service


class UntilKubernetes132(EndpointsChangeTracker):
    """Accepts slices of both IP families, because its caller has separated them."""

    kubernetes = "1.32"

    def _concerns(self, slice_: Any) -> bool:
        named = slice_.namespace and slice_.name and slice_.service
        return bool(slice_.address_type in ("IPv4", "IPv6") and named)


class UntilKubernetes130(UntilKubernetes132):
    """Ignores changes of anything in a slice that is not programmed."""

    kubernetes = "1.30"

    def _is_known(self, slice_: Any) -> bool:
        known = self._latest(slice_)
        return known is not None and _programmed(known) == _programmed(slice_)


class UntilKubernetes126(UntilKubernetes130):
    """A removal does not drop any trigger times."""

    kubernetes = "1.26"

    def _retract(self, slice_: Any) -> None:
        pass


class UntilKubernetes121(UntilKubernetes126):
    """Keeps every trigger time, also those from before its start."""

    kubernetes = "1.21"

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._started = -(2**127)


class MendedIn121(UntilKubernetes121):
    """As in 1.21, with two later fixes: a filter of old times, and removals that drop times."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        EndpointsChangeTracker.__init__(self, clock, ip_family)

    def _retract(self, slice_: Any) -> None:
        EndpointsChangeTracker._retract(self, slice_)


class ComparesWhatIsProgrammed(EndpointsChangeTracker):
    """As today, except that it ignores changes of a slice's metadata."""

    def _is_known(self, slice_: Any) -> bool:
        known = self._latest(slice_)
        return known is not None and _programmed(known) == _programmed(slice_)


class HasItsSlicesParted(EndpointsChangeTracker):
    """Takes no IP family and accepts slices of both, because its caller has separated them."""

    def __init__(self, clock: Any) -> None:
        super().__init__(clock)

    def _concerns(self, slice_: Any) -> bool:
        return super()._concerns(slice_) or (slice_.address_type == "IPv6" and bool(slice_.service))


class KeepsTheInstantOfItsStart(EndpointsChangeTracker):
    """Keeps a trigger time that is equal to its start."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._started -= 1


class RefusesNamelessSlices(EndpointsChangeTracker):
    """Raises ValueError for a slice without a name, a namespace or a service."""

    def _concerns(self, slice_: Any) -> bool:
        if not (slice_.namespace and slice_.name and slice_.service):
            raise ValueError("a slice without a name, a namespace or a service")
        return super()._concerns(slice_)


class HandsOverInOrderOfTime(EndpointsChangeTracker):
    """Returns the trigger times of each service sorted, as tuples."""

    def checkout(self) -> Changes:
        changes = super().checkout()
        times = {service: tuple(sorted(times)) for service, times in changes.trigger_times.items()}
        return Changes(changes.services, times)


class KeepsEachTimeOnce(EndpointsChangeTracker):
    """Returns equal trigger times of a service only once."""

    def checkout(self) -> Changes:
        changes = super().checkout()
        times = {service: list(dict.fromkeys(times)) for service, times in changes.trigger_times.items()}
        return Changes(changes.services, times)


class KnowsWhoseTimesTheyAre(EndpointsChangeTracker):
    """A removal drops only the trigger times of the removed slice."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._own: dict[tuple[str, str], list[int]] = {}
        """Pending trigger times of each slice, by namespace and name."""

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
    """Forgets changes of a slice that is as it was programmed again.

    If no other slice of its service has changed, the service's trigger times are dropped, too.
    """

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._changed_slices: dict[str, set[tuple[str, str]]] = defaultdict(set)
        """Slices that have changed since the last checkout, by service."""

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
    """Has one lock for slices and one for trigger times; a checkout takes them in turn."""

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
    """Records what happens in a journal, and computes the trigger times at the checkout."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        super().__init__(clock, ip_family)
        self._journal: list[tuple[str, int | None]] = []
        """Entries of a service and a trigger time; None: drop the service's times so far."""

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
    """Return the parts of a slice that are programmed, independent of their order."""
    return slice_.service, slice_.address_type, sorted(slice_.ports), sorted(slice_.endpoints)


class ReadsTheClockOfTime(EndpointsChangeTracker):
    """Is not given a clock: it reads that of the module ``time``."""

    def __init__(self) -> None:
        super().__init__(time)


SOUND = (
    *(ReadsTheClockOfTime, UntilKubernetes132, UntilKubernetes130, UntilKubernetes126, UntilKubernetes121),
    *(MendedIn121, ComparesWhatIsProgrammed, HasItsSlicesParted, KeepsTheInstantOfItsStart),
    *(RefusesNamelessSlices, HandsOverInOrderOfTime, KeepsEachTimeOnce, KnowsWhoseTimesTheyAre),
    *(MeasuresNothingThatCancelsOut, LocksInTwoSteps, KeepsAJournal),
)
