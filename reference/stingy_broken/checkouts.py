"""Change trackers that hand over something else than has gathered, or take back what they should not."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import Changes, EndpointsChangeTracker
from stingy_reference.tracker import _service
from stingy_sound.trackers import UntilKubernetes130


@breaks("checkout/what-was-handed-over-stays-as-it-was")
class HandsOutItsOwnBooks(EndpointsChangeTracker):
    """Hands over its own lists, and empties each when its service changes again."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._handed_out = {}

    def _emptied(self):
        changes = super()._emptied()
        self._handed_out |= changes.trigger_times
        return changes

    def _note(self, slice_, becomes):
        super()._note(slice_, becomes)
        self._handed_out.pop(_service(slice_), []).clear()


@breaks("checkout/what-was-handed-over-is-not-used-again")
class WritesInItsBooksByTurns(EndpointsChangeTracker):
    """Has three books, hands each over in its turn, and empties it when it is written in again."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._books = [{}, {}, {}]

    def _emptied(self):
        changes = super()._emptied()
        book = self._books.pop(0)
        self._books.append(book)
        book.clear()
        book.update(changes.trigger_times)
        return Changes(changes.services, book)


@breaks("checkout/what-cancels-out-is-named")
class NamesNothingThatCancelsOut(EndpointsChangeTracker):
    """Does not name a service whose slices have the endpoints that they had at the last checkout."""

    def _emptied(self):
        before = dict(self._applied)
        undone = {
            _service(slice_)
            for key, slice_ in self._pending.items()
            if slice_ is not None and key in before and before[key].endpoints == slice_.endpoints
        }
        changes = super()._emptied()
        return Changes(changes.services - undone, changes.trigger_times)


@breaks("checkout/what-was-not-there-for-long-is-named")
class ForgetsWhatWasNotThereForLong(EndpointsChangeTracker):
    """Does not name a service of which only slices have changed that came and went since the last checkout."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._owner = {}

    def _emptied(self):
        lasting = self._applied.keys() | {key for key, slice_ in self._pending.items() if slice_ is not None}
        named = {self._owner[key] for key in self._pending.keys() & lasting}
        changes = super()._emptied()
        return Changes(changes.services & named, changes.trigger_times)

    def _note(self, slice_, becomes):
        super()._note(slice_, becomes)
        self._owner[slice_.namespace, slice_.name] = _service(slice_)


@breaks("checkout/every-time-is-handed-over-once")
class CopiesThenEmpties(EndpointsChangeTracker):
    """Takes its lock to copy the trigger times, and once more to empty its books."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._book = {}

    def checkout(self):
        with self._lock:
            times = dict(self._book)
        with self._lock:
            self._book.clear()
            return Changes(self._emptied().services, times)

    def _trigger_time(self, slice_):
        triggered = super()._trigger_time(slice_)
        if triggered is not None:
            self._book[_service(slice_)] = [*self._book.get(_service(slice_), []), triggered]

    def _retract(self, slice_):
        self._book.pop(_service(slice_), None)


@breaks("checkout/what-comes-meanwhile-alters-nothing-that-was-handed-over")
class LetsGoBeforeItHasNewBooks(EndpointsChangeTracker):
    """Takes its lock to see what there is to be handed over, and has let it go when it opens a new book for the times."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._book = {}

    def checkout(self):
        with self._lock:
            services = self._emptied().services
            times = self._book
        self._book = {}
        return Changes(services, times)

    def _trigger_time(self, slice_):
        triggered = super()._trigger_time(slice_)
        if triggered is not None:
            self._book.setdefault(_service(slice_), []).append(triggered)

    def remove(self, slice_):
        with self._lock:
            book = self._book
            known = self._concerns(slice_) and self._latest(slice_) is not None
            if known:
                self._note(slice_, None)
                book.pop(_service(slice_), None)
            return known


@breaks("removal/a-removal-is-named-by-some-checkout")
class NotesRemovalsWithoutItsLock(EndpointsChangeTracker):
    """A removal takes the lock to take the times back, and notes the service when it has let go of it."""

    def remove(self, slice_):
        with self._lock:
            known = self._concerns(slice_) and self._latest(slice_) is not None
            if known:
                self._retract(slice_)
        if known:
            self._note(slice_, None)
        return known


@breaks("removal/times-are-handed-over-before-the-removal-or-not-at-all")
class TakesTimesBackLater(EndpointsChangeTracker):
    """A removal takes the lock to note the service, and once more to take the times back."""

    def remove(self, slice_):
        with self._lock:
            known = self._concerns(slice_) and self._latest(slice_) is not None
            if known:
                self._note(slice_, None)
        with self._lock:
            if known:
                self._retract(slice_)
        return known


@breaks("removal/a-removed-slice-can-come-back-as-it-was")
class SwapsTwoBuffers(EndpointsChangeTracker):
    """Has two books, writes in one while the other is read, and does not empty it before it writes in it again."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._books = [{}, {}]

    def _emptied(self):
        book = self._books[0]
        changes = super()._emptied()
        for service, times in changes.trigger_times.items():
            book[service] = [*book.get(service, []), *times]
        self._books.reverse()
        return Changes(changes.services, dict(book))


@breaks("removal/a-removal-adds-not-even-a-new-time")
class AddsAMissedChangeAtTheRemoval(EndpointsChangeTracker):
    """A removal adds the trigger time that the slice comes with, if that is a new one."""

    def remove(self, slice_):
        known = self._latest(slice_)
        changed = super().remove(slice_)
        triggered = self._trigger_time(slice_)
        if known is not None and known.annotations != slice_.annotations and triggered is not None:
            self._trigger_times[_service(slice_)].append(triggered)
        return changed


@breaks("removal/what-has-gone-cannot-be-removed")
class LetsTheDeadBeRemoved(EndpointsChangeTracker):
    """Remembers the slices that were removed, and lets them be removed again."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._gone = set()

    def remove(self, slice_):
        key = slice_.namespace, slice_.name
        again = key in self._gone and key not in self._applied and key not in self._pending
        if again:
            self._services.add(_service(slice_))
        self._gone.add(key)
        return super().remove(slice_) or again


@breaks("removal/a-second-removal-is-no-change")
class RemovesTwice(EndpointsChangeTracker):
    """A removal that is pending is one more each time that it comes."""

    def remove(self, slice_):
        pending = self._pending.get((slice_.namespace, slice_.name), slice_) is None
        return super().remove(slice_) or pending


@breaks("sequences/what-kube-proxy-has-answered")
class TakesBackOnlyWhatIsNew(EndpointsChangeTracker):
    """The removal of a slice that was programmed before drops no trigger times."""

    def _retract(self, slice_):
        if (slice_.namespace, slice_.name) not in self._applied:
            super()._retract(slice_)


@breaks("sequences/what-kube-proxy-1-30-has-answered")
class TakesBackOnlyWhatIsNewIn130(TakesBackOnlyWhatIsNew, UntilKubernetes130):
    """The same in an older version."""


define(globals())
