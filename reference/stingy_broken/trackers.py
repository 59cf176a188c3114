"""Change trackers that keep the wrong trigger times."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from stingy_broken import caught_by
from stingy_reference import Changes, EndpointsChangeTracker
from stingy_reference.annotation import LAST_CHANGE_TRIGGER_TIME, parsed
from stingy_reference.tracker import _service
from stingy_reference.tracker_variants import UntilKubernetes121


@caught_by("trigger_times/a-trigger-time-is-handed-over")
class KeepsNoTimes(EndpointsChangeTracker):
    """Notes which services changed, and no trigger time."""

    def _trigger_time(self, slice_):
        return None


@caught_by(
    "trigger_times/a-new-slice-is-a-change",
    "trigger_times/a-slice-may-be-empty",
    "annotation/without-it-there-is-no-time",
    "annotation/what-cannot-be-read-is-no-time",
    "annotation/the-zero-time-is-no-time",
    "restart/what-is-not-measured-is-programmed",
)
class NeverSaysThereIsAChange(EndpointsChangeTracker):
    """Update always answers that there is nothing to program."""

    def update(self, slice_):
        super().update(slice_)
        return False


@caught_by("trigger_times/the-same-slice-again-is-none")
class TakesEveryUpdateForAChange(EndpointsChangeTracker):
    """A slice that comes again unchanged is a change to it."""

    def _is_known(self, slice_):
        return False


@caught_by(
    "trigger_times/every-change-adds-its-time",
    "trigger_times/slices-of-a-service-belong-together",
)
class TheLastTimeWins(EndpointsChangeTracker):
    """Keeps one trigger time a service, the latest."""

    def update(self, slice_):
        times = self._trigger_times.pop(_service(slice_), None)
        changed = super().update(slice_)
        if times and _service(slice_) not in self._trigger_times:
            self._trigger_times[_service(slice_)] = times
        return changed


@caught_by("trigger_times/equal-times-are-kept")
class KeepsEachTimeOnce(EndpointsChangeTracker):
    """Equal trigger times are one to it."""

    def checkout(self):
        changes = super().checkout()
        once = {service: list(dict.fromkeys(times)) for service, times in changes.trigger_times.items()}
        return Changes(changes.services, once)


@caught_by("trigger_times/the-times-are-in-order-of-arrival")
class SortsTheTimes(EndpointsChangeTracker):
    """Hands the trigger times over in the order of time."""

    def checkout(self):
        changes = super().checkout()
        return Changes(changes.services, {s: sorted(times) for s, times in changes.trigger_times.items()})


@caught_by("trigger_times/a-trigger-time-is-handed-over")
class GoesByTheNameOfTheSlice(EndpointsChangeTracker):
    """Takes the name of the slice for that of its service."""

    def update(self, slice_):
        return super().update(replace(slice_, service=slice_.name))


@caught_by(
    "trigger_times/slices-of-a-service-belong-together",
    "restart/when-it-arrives-makes-no-difference",
    "restart/one-stale-slice-poisons-nothing",
    "skew/law-f-the-filter",
)
class CutsTheServiceOutOfTheName(EndpointsChangeTracker):
    """Takes what stands before the last dash of the slice's name for that of its service."""

    def update(self, slice_):
        return super().update(replace(slice_, service=slice_.service and slice_.name.rpartition("-")[0]))


@caught_by("trigger_times/namespaces-are-kept-apart")
class ForgetsTheNamespace(EndpointsChangeTracker):
    """Services of the same name are one to it, whatever their namespace."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._first = {}

    def update(self, slice_):
        namespace = self._first.setdefault(slice_.service, slice_.namespace)
        return super().update(replace(slice_, namespace=namespace))


@caught_by(
    "trigger_times/the-same-slice-again-is-none",
    "trigger_times/a-checkout-empties-the-tracker",
    "restart/the-start-is-fixed",
)
class NeverEmpties(EndpointsChangeTracker):
    """A checkout leaves the trigger times where they are."""

    def checkout(self):
        times = {service: list(times) for service, times in self._trigger_times.items()}
        changes = super().checkout()
        self._trigger_times.update(times)
        return changes


@caught_by(
    "trigger_times/changed-services-are-named-without-a-time",
    "annotation/what-cannot-be-read-is-no-time",
    "restart/what-is-not-measured-is-programmed",
    "removal/a-removal-is-a-change",
)
class NamesOnlyWhatItMeasures(EndpointsChangeTracker):
    """A checkout names only services with a trigger time."""

    def checkout(self):
        changes = super().checkout()
        return Changes(changes.services & changes.trigger_times.keys(), changes.trigger_times)


@caught_by("trigger_times/a-slice-may-be-empty")
class PassesOverEmptySlices(EndpointsChangeTracker):
    """A slice without endpoints is nothing to it."""

    def _concerns(self, slice_):
        return super()._concerns(slice_) and bool(slice_.endpoints)


@caught_by("trigger_times/names-are-no-business-of-the-proxy")
class TakesNamesForAddresses(EndpointsChangeTracker):
    """Does not look at the type of the addresses."""

    def _concerns(self, slice_):
        return super()._concerns(slice_) or (slice_.address_type == "FQDN" and bool(slice_.service))


@caught_by("trigger_times/a-slice-of-no-service-leaves-no-time")
class StumblesOverASliceOfNoService(EndpointsChangeTracker):
    """Raises where a slice belongs to no service."""

    def _concerns(self, slice_):
        if not slice_.service:
            raise KeyError("kubernetes.io/service-name")
        return super()._concerns(slice_)


@caught_by(
    "trigger_times/changed-services-are-named-without-a-time",
    "annotation/without-it-there-is-no-time",
    "restart/what-was-after-the-start-is",
    "restart/when-it-arrives-makes-no-difference",
)
class TakesNowForMissing(EndpointsChangeTracker):
    """A slice without the annotation was triggered now, it thinks."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._clock = clock

    def _trigger_time(self, slice_):
        if LAST_CHANGE_TRIGGER_TIME not in slice_.annotations:
            return self._clock.time_ns() + 1
        return super()._trigger_time(slice_)


class _Reads(EndpointsChangeTracker):
    """A tracker that reads the annotation in a way of its own."""

    def _read(self, text):
        raise NotImplementedError

    def _trigger_time(self, slice_):
        text = slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME)
        read = self._read(text) if text is not None else None
        return read if read is not None and read > self._started else None


@caught_by("trigger_times/a-trigger-time-is-handed-over")
class ReadsMicroseconds(_Reads):
    """Reads with datetime, and loses the nanoseconds."""

    def _read(self, text):
        instant = parsed(text)
        return None if instant is None else instant // 1000 * 1000


@caught_by("annotation/an-offset-is-reckoned-with")
class PassesOverTheOffset(_Reads):
    """Reads the hands of the clock and not its offset."""

    def _read(self, text):
        return parsed(text if text.endswith("Z") else text[:-6] + "Z")


@caught_by(
    "annotation/what-cannot-be-read-is-no-time",
    "annotation/forms-on-which-readers-differ",
)
class StumblesOverNonsense(_Reads):
    """Raises at a text that is no time, and the slice is lost."""

    def _read(self, text):
        instant = parsed(text)
        if instant is None:
            raise ValueError(f"invalid time {text!r}")
        return instant


@caught_by("annotation/what-cannot-be-read-is-no-time")
class TrustsFromIsoFormat(_Reads):
    """Reads whatever datetime.fromisoformat reads, which is more than RFC 3339."""

    def _read(self, text):
        try:
            lenient = datetime.fromisoformat(text).astimezone().timestamp()
        except (ValueError, OverflowError):
            return None
        exact = parsed(text)
        return int(lenient) * 1_000_000_000 if exact is None else exact


@caught_by("annotation/the-zero-time-is-no-time")
class KnowsNoTimeBeforeTheEpoch(_Reads):
    """Raises at a time before 1970."""

    def _read(self, text):
        instant = parsed(text)
        if instant is not None and instant < 0:
            raise OverflowError("before the epoch")
        return instant


@caught_by(
    "restart/what-was-before-the-start-is-not-measured",
    "restart/the-very-instant-of-the-start-is-left-out",
    "restart/when-it-arrives-makes-no-difference",
    "restart/one-stale-slice-poisons-nothing",
)
class MeasuresTheDowntime(EndpointsChangeTracker):
    """No filter: measures whatever it is shown, and so how long it was down (before Kubernetes 1.22)."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._started = 0


@caught_by(
    "annotation/it-is-read-to-the-nanosecond",
    "restart/what-was-after-the-start-is",
    "restart/when-it-arrives-makes-no-difference",
)
class ComparesWholeSeconds(EndpointsChangeTracker):
    """Compares in whole seconds, and so leaves out what came within the second of the start."""

    def _trigger_time(self, slice_):
        triggered = super()._trigger_time(slice_)
        second = 1_000_000_000
        return triggered if triggered and triggered // second > self._started // second else None


@caught_by("restart/the-very-instant-of-the-start-is-left-out")
class KeepsTheInstantOfItsStart(EndpointsChangeTracker):
    """Off by one: keeps a trigger time at the very instant of its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._started -= 1


@caught_by("restart/when-it-arrives-makes-no-difference")
class GoesByTheArrival(EndpointsChangeTracker):
    """Leaves out what arrives in its first second, and keeps the rest, however old."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._clock = clock
        self._made = self._started

    def _trigger_time(self, slice_):
        self._started = self._made if self._clock.time_ns() - self._made <= 60_000_000_000 else 0
        return super()._trigger_time(slice_)


@caught_by(
    "restart/a-time-still-to-come-is-kept",
    "skew/law-f-the-filter",
)
class DropsTheFuture(EndpointsChangeTracker):
    """Leaves out a trigger time that is ahead of its own clock."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._clock = clock

    def _trigger_time(self, slice_):
        triggered = super()._trigger_time(slice_)
        return triggered if triggered and triggered <= self._clock.time_ns() + 10_000_000_000 else None


@caught_by(
    "restart/when-it-arrives-makes-no-difference",
    "restart/one-stale-slice-poisons-nothing",
    "skew/law-f-the-filter",
)
class PoisonedByOneStaleSlice(EndpointsChangeTracker):
    """A stale trigger time costs its service the fresh ones."""

    def update(self, slice_):
        changed = super().update(slice_)
        triggered = parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME, ""))
        if changed and triggered is not None and 0 < triggered < self._started:
            self._trigger_times.pop(_service(slice_), None)
        return changed


@caught_by("restart/what-is-not-measured-is-programmed")
class PassesOverWhatIsStale(EndpointsChangeTracker):
    """A slice with a trigger time before the start is not programmed, either."""

    def update(self, slice_):
        triggered = parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME, ""))
        if triggered is not None and 0 < triggered < self._started:
            return False
        return super().update(slice_)


@caught_by("restart/the-start-is-fixed")
class StartsAnewAtEachCheckout(EndpointsChangeTracker):
    """Moves its start to the last checkout."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._clock = clock

    def checkout(self):
        self._started = self._clock.time_ns()
        return super().checkout()


@caught_by(
    "restart/the-start-is-fixed",
    "restart/the-start-is-when-it-was-made",
)
class StartsWithItsFirstSlice(EndpointsChangeTracker):
    """Takes the moment of its first update for its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._clock = clock
        self._begun = False

    def update(self, slice_):
        if not self._begun:
            self._started, self._begun = self._clock.time_ns(), True
        return super().update(slice_)


@caught_by(
    "removal/a-removal-adds-no-time",
    "removal/what-comes-after-a-removal-counts",
)
class MeasuresRemovals(EndpointsChangeTracker):
    """A removal adds the trigger time that the slice still carries."""

    def remove(self, slice_):
        changed = super().remove(slice_)
        triggered = self._trigger_time(slice_)
        if changed and triggered is not None:
            self._trigger_times[_service(slice_)].append(triggered)
        return changed


@caught_by("removal/a-removal-is-a-change")
class DoesNotNoticeRemovals(EndpointsChangeTracker):
    """A removal is nothing to program."""

    def remove(self, slice_):
        super().remove(slice_)
        return False


@caught_by("removal/what-is-unknown-cannot-be-removed")
class AnyRemovalClears(EndpointsChangeTracker):
    """The removal of a slice nobody knows costs the service its trigger times."""

    def remove(self, slice_):
        known = super().remove(slice_)
        self._trigger_times.pop(_service(slice_), None)
        return known


@caught_by("removal/what-comes-after-a-removal-counts")
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


@caught_by("trigger_times/a-change-without-a-time-takes-none")
class AnUnstampedChangeClears(EndpointsChangeTracker):
    """A change without a trigger time costs its service those that it has."""

    def _trigger_time(self, slice_):
        if LAST_CHANGE_TRIGGER_TIME not in slice_.annotations:
            self._trigger_times.pop(_service(slice_), None)
        return super()._trigger_time(slice_)


@caught_by(
    "restart/what-was-before-the-start-is-not-measured",
    "restart/the-very-instant-of-the-start-is-left-out",
    "restart/when-it-arrives-makes-no-difference",
    "restart/one-stale-slice-poisons-nothing",
)
class ReadsTheMonotonicClock(EndpointsChangeTracker):
    """Takes the reading of the monotonic clock for its start, which no trigger time is before."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._started = clock.monotonic_ns()


@caught_by("restart/without-a-filter-every-time-counts")
class FiltersIn121(UntilKubernetes121):
    """Follows 1.21, and leaves out what was before its start, as kube-proxy does since 1.22."""

    __init__ = EndpointsChangeTracker.__init__


@caught_by("annotation/the-zero-time-is-no-time")
class KeepsTheZeroTimeIn121(UntilKubernetes121):
    """Follows 1.21, and takes the zero time for a very old one."""

    def _trigger_time(self, slice_):
        return parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME, ""))


@caught_by("annotation/what-cannot-be-read-is-no-time")
class TakesNonsenseForTheEpochIn121(UntilKubernetes121):
    """Follows 1.21, and takes a text that it cannot read for the beginning of 1970."""

    def _trigger_time(self, slice_):
        text = slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME)
        return 0 if text is not None and parsed(text) is None else super()._trigger_time(slice_)
