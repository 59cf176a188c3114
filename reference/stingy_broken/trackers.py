"""Change trackers that keep the wrong trigger times."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import Changes, EndpointsChangeTracker
from stingy_reference.annotation import LAST_CHANGE_TRIGGER_TIME, parsed
from stingy_reference.tracker import _service
from stingy_sound.trackers import UntilKubernetes121


@breaks("trigger_times/a-trigger-time-is-handed-over")
class TakesStampsForLocalTime(EndpointsChangeTracker):
    """Reads the annotation as local time."""

    def _trigger_time(self, slice_):
        if (instant := super()._trigger_time(slice_)) is None:
            return None
        whole = datetime.fromtimestamp(instant // 1_000_000_000, UTC).replace(tzinfo=None)
        return round(whole.timestamp()) * 1_000_000_000 + instant % 1_000_000_000


@breaks("restart/a-clock-that-is-set-moves-no-start")
class ReckonsItsStartFromThePresent(EndpointsChangeTracker):
    """Takes what the clock shows now, less its uptime, for its start: it moves with the clock."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._clock, self._made = clock, clock.monotonic_ns()

    def update(self, slice_):
        self._started = self._clock.time_ns() - (self._clock.monotonic_ns() - self._made)
        return super().update(slice_)


@breaks("trigger_times/names-that-run-together-are-kept-apart")
class JoinsTheNames(EndpointsChangeTracker):
    """Knows a service by its namespace and its name, one behind the other."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._names = {}

    def update(self, slice_):
        return super().update(self._as_known(slice_))

    def remove(self, slice_):
        return super().remove(self._as_known(slice_))

    def _as_known(self, slice_):
        if slice_.service is None:
            return slice_
        names = slice_.namespace, slice_.service
        namespace, service = self._names.setdefault("".join(names), names)
        return replace(slice_, namespace=namespace, service=service)


@breaks("trigger_times/a-new-slice-is-a-change")
class NeverSaysThereIsAChange(EndpointsChangeTracker):
    """Update always answers that there is nothing to program."""

    def update(self, slice_):
        super().update(slice_)
        return False


@breaks("trigger_times/slices-of-a-service-belong-together")
class TheLastTimeWins(EndpointsChangeTracker):
    """Keeps one trigger time a service, the latest."""

    def update(self, slice_):
        times = self._trigger_times.pop(_service(slice_), None)
        changed = super().update(slice_)
        if times and _service(slice_) not in self._trigger_times:
            self._trigger_times[_service(slice_)] = times
        return changed


class _Reads(EndpointsChangeTracker):
    """A tracker that reads the annotation in a way of its own."""

    def _read(self, text):
        raise NotImplementedError

    def _trigger_time(self, slice_):
        text = slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME)
        read = self._read(text) if text is not None else None
        return read if read is not None and read > self._started else None


@breaks("annotation/an-annotation-is-read-to-the-nanosecond")
class ComparesWholeSeconds(EndpointsChangeTracker):
    """Compares in whole seconds, and so leaves out what came within the second of the start."""

    def _trigger_time(self, slice_):
        triggered = super()._trigger_time(slice_)
        second = 1_000_000_000
        return triggered if triggered and triggered // second > self._started // second else None


@breaks("restart/a-time-still-to-come-is-kept")
class DropsTheFuture(EndpointsChangeTracker):
    """Leaves out a trigger time that is ahead of its own clock."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._clock = clock

    def _trigger_time(self, slice_):
        triggered = super()._trigger_time(slice_)
        return triggered if triggered and triggered <= self._clock.time_ns() + 10_000_000_000 else None


@breaks("restart/one-stale-slice-poisons-nothing")
class PoisonedByOneStaleSlice(EndpointsChangeTracker):
    """A stale trigger time costs its service the fresh ones."""

    def update(self, slice_):
        changed = super().update(slice_)
        triggered = parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME, ""))
        if changed and triggered is not None and 0 < triggered < self._started:
            self._trigger_times.pop(_service(slice_), None)
        return changed


@breaks("restart/what-is-not-measured-is-programmed")
class PassesOverWhatIsStale(EndpointsChangeTracker):
    """A slice with a trigger time before the start is not programmed, either."""

    def update(self, slice_):
        triggered = parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME, ""))
        if triggered is not None and 0 < triggered < self._started:
            return False
        return super().update(slice_)


@breaks("removal/a-removal-adds-no-time")
class MeasuresRemovals(EndpointsChangeTracker):
    """A removal adds the trigger time that the slice still carries."""

    def remove(self, slice_):
        changed = super().remove(slice_)
        triggered = self._trigger_time(slice_)
        if changed and triggered is not None:
            self._trigger_times[_service(slice_)].append(triggered)
        return changed


@breaks("removal/a-removal-is-a-change")
class DoesNotNoticeRemovals(EndpointsChangeTracker):
    """A removal is nothing to program."""

    def remove(self, slice_):
        super().remove(slice_)
        return False


@breaks("removal/what-is-unknown-cannot-be-removed")
class AnyRemovalClears(EndpointsChangeTracker):
    """The removal of a slice nobody knows costs the service its trigger times."""

    def remove(self, slice_):
        known = super().remove(slice_)
        self._trigger_times.pop(_service(slice_), None)
        return known


@breaks("removal/what-comes-after-a-removal-counts")
class DeafAfterARemoval(EndpointsChangeTracker):
    """Once a slice of it was removed, a service has no trigger times any more."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._deaf = set()

    def remove(self, slice_):
        self._deaf.add(_service(slice_))
        return super().remove(slice_)

    def _trigger_time(self, slice_):
        return None if _service(slice_) in self._deaf else super()._trigger_time(slice_)


@breaks("annotation/what-cannot-be-read-is-no-time")
class TakesNonsenseForTheEpochIn121(UntilKubernetes121):
    """Follows 1.21, and takes a text that it cannot read for the beginning of 1970."""

    def _trigger_time(self, slice_):
        text = slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME)
        return 0 if text is not None and parsed(text) is None else super()._trigger_time(slice_)


@breaks("restart/a-tracker-that-is-made-later-starts-later")
class StartsOnceForAll(EndpointsChangeTracker):
    """Notes the start of the first tracker for all that come after it."""

    _first = None

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        if StartsOnceForAll._first is None:
            StartsOnceForAll._first = self._started
        self._started = StartsOnceForAll._first


define(globals())
