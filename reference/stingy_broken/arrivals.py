"""Proxies that mix up what was checked out for a sync with what arrives while it goes on."""

from __future__ import annotations

from collections import defaultdict

from stingy_broken import breaks
from stingy_reference import Changes, EndpointsChangeTracker, Proxy
from stingy_reference.tracker import _service


class _Around(Proxy):
    """A proxy with another tracker, which is told when programming ends, and how."""

    _tracks = EndpointsChangeTracker

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker = self._tracks(clock, ip_family)

    def sync(self, program):
        def programs():
            self._tracker.begins()
            try:
                succeeded = program()
            finally:
                self._tracker.ends()
            self._tracker.programmed(succeeded)
            return succeeded

        return super().sync(programs)


class _Told(EndpointsChangeTracker):
    def begins(self):
        """The rules begin to be programmed."""

    def ends(self):
        """They have been, or have not."""

    def programmed(self, succeeded):
        """Which of the two."""


@breaks("arrivals/what-arrives-during-a-sync-is-left-to-the-next")
class HandsOverTheListsItWritesIn(_Around):
    """A sync is handed the lists that the tracker goes on writing in, so what arrives meanwhile is measured at once."""

    class _tracks(_Told):  # noqa: N801
        def _emptied(self):
            lists, self._trigger_times = self._trigger_times, defaultdict(list)
            services, self._trigger_times = super()._emptied().services, lists
            return Changes(services, lists)

        def ends(self):
            self._trigger_times = defaultdict(list)


@breaks("arrivals/what-arrives-during-a-sync-is-left-to-the-next")
class EmptiesItsListsAfterwards(_Around):
    """Copies the trigger times for a sync, and drops all there are when the rules are written."""

    class _tracks(_Told):  # noqa: N801
        def programmed(self, succeeded):
            self._trigger_times.clear()


@breaks("arrivals/what-arrives-during-a-sync-is-left-to-the-next")
class IsDeafWhileItPrograms(_Around):
    """Takes in what arrives while the rules are programmed, and not since when."""

    class _tracks(_Told):  # noqa: N801
        _busy = False

        def begins(self):
            self._busy = True

        def ends(self):
            self._busy = False

        def _trigger_time(self, slice_):
            return None if self._busy else super()._trigger_time(slice_)


@breaks("arrivals/a-removal-during-a-sync-takes-nothing-from-it")
class ARemovalReachesIntoTheSync(_Around):
    """A removal drops the trigger times of its service from the sync that goes on as well."""

    class _tracks(_Told):  # noqa: N801
        def _emptied(self):
            changes = super()._emptied()
            self._handed_over = changes.trigger_times
            return changes

        def _retract(self, slice_):
            super()._retract(slice_)
            self._handed_over.pop(_service(slice_), None)


@breaks("arrivals/what-arrives-during-a-failure-is-observed")
class AFailureForgetsEverything(_Around):
    """Drops whatever trigger times there are when the rules could not be written, and begins anew."""

    class _tracks(_Told):  # noqa: N801
        def programmed(self, succeeded):
            if not succeeded:
                self._trigger_times.clear()


class _Writing(_Told):
    _written = None
    """What the rules that are being programmed are of; None while none are."""

    def checkout(self):
        self._written = dict(self._applied)
        return super().checkout()

    def ends(self):
        self._written = None


@breaks("arrivals/an-echo-during-a-sync-is-no-change")
class KnowsASliceOnceItIsProgrammed(_Around):
    """Holds an update against the slices whose rules are written, and not against those that are being written."""

    class _tracks(_Writing):  # noqa: N801
        def _is_known(self, slice_):
            if self._written is None:
                return super()._is_known(slice_)
            key = slice_.namespace, slice_.name
            return self._pending.get(key, self._written.get(key)) == slice_


@breaks("arrivals/what-is-undone-during-a-sync-is-a-change")
class TakesTheUndoingForAnEcho(_Around):
    """Takes a slice for known that is as it was when its rules were last written, though others are being written."""

    class _tracks(_Writing):  # noqa: N801
        def _is_known(self, slice_):
            before = (self._written or {}).get((slice_.namespace, slice_.name))
            undone = before is not None and before.endpoints == slice_.endpoints
            return undone or super()._is_known(slice_)


@breaks("arrivals/whatever-arrives-is-measured-once")
class KeepsOneArrival(_Around):
    """Has room for one trigger time that arrives while the rules are programmed: the last one."""

    class _tracks(_Told):  # noqa: N801
        _busy = False

        def begins(self):
            self._busy = True

        def ends(self):
            self._busy = False

        def _trigger_time(self, slice_):
            triggered = super()._trigger_time(slice_)
            if self._busy and triggered is not None:
                self._trigger_times.clear()
            return triggered
