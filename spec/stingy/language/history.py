"""The history of a race, and checks that hold for every order in which calls may take effect.

One call precedes another only by the stamps of one counter, never by clocks. A check returns a list
of sentences, one for each violation; an empty list means no violation. All checks are sound: they
never accuse a history that some order of the calls explains.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise, permutations
from operator import attrgetter

from msgspec import Struct

from stingy.contract.ops import OPS
from stingy.language.call import NEVER, Call
from stingy.language.linearizability import Unknown, find_unexplained
from stingy.language.session import Undecided

ADDS = tuple(op.name for op in OPS.values() if op.adds)


class Hold(Struct, frozen=True):
    """A span in which a lane certainly held an item, from its Get to its Done.

    It is never longer than the real span. So if two holds overlap, both lanes had the item at once.
    """

    item: str
    lane: str
    since: float
    until: float


class History:
    """The calls of a race, sorted by start, with methods that find what is wrong in them."""

    def __init__(self, calls: Iterable[Call], *, finished: bool = True) -> None:
        self.calls: Sequence[Call] = sorted(calls, key=_start)
        self._finished = finished
        self._gets = [call for call in self.calls if _hands_out(call)]
        """The Gets that returned an item."""

    def unfinished(self) -> History:
        """Return the same history, marked as unfinished: items may still be queued at its end."""
        return History(self.calls, finished=False)

    def raised(self) -> list[str]:
        return [f"{call.op} raised {call.raised}" for call in self.calls if call.raised]

    def held_twice(self) -> list[str]:
        """Return a sentence for each item that two workers held at the same time."""
        by_item: dict[str, list[Hold]] = defaultdict(list)
        for hold in self._holds():
            by_item[hold.item].append(hold)
        return [
            f"{item} was with {one.lane} and {two.lane} at once"
            for item, holds in by_item.items()
            for one, two in pairwise(sorted(holds, key=lambda hold: hold.since))
            if two.since < one.until
        ]

    def excess(self) -> list[str]:
        """Return a sentence for each item that was handed out more often than it had been added by then."""
        found = []
        for item in sorted({*self._items(), *self._handed_out()}):
            adds = sorted(call.start for call in self._of(ADDS, item) if not call.raised)
            gets = sorted(call.over for call in self._hand_outs(item))
            for n, returned in enumerate(gets):
                begun = sum(start < returned for start in adds)
                if begun <= n:
                    found.append(f"{item} was handed out {n + 1} times after {begun} Adds")
                    break
        return found

    def lost(self) -> list[str]:
        """Return a sentence for each Add whose item was not handed out afterwards.

        Only a Get that returned after the Add began counts. The check needs a history that ends
        with an empty queue and no pending deadline; an unfinished history yields nothing. Adds that
        may have come after a shutdown are not checked; with a shutdown, no AddAfter is.
        """
        shut = self._shut()
        if not self._finished:
            return []
        return [
            f"{add.item}, added by {add.lane}, was not handed out again"
            for item in self._items()
            for add in self._of(ADDS if shut == NEVER else ("add",), item)
            if add.over < shut
            and not add.raised
            and not any(get.over > add.start for get in self._hand_outs(item))
        ]

    def overtaken(self) -> list[str]:
        """Return a sentence for each item that was handed out before another one added earlier.

        Looks only at each item's first Add and first hand-out, which do not depend on where a queue
        puts an item that is added again. One call precedes another only if it returned before the
        other began.
        """
        found = []
        for late, early in permutations(self._items(), 2):
            first = min(self._of(("add",), early), key=lambda call: call.start, default=None)
            gets = self._hand_outs(late)
            if first is None or first.raised or not gets:
                continue
            over = min(get.over for get in gets)
            added_before = all(first.over < add.start for add in self._of(ADDS, late))
            if added_before and all(get.start > over for get in self._hand_outs(early)):
                found.append(f"{late} was handed out before {early}, which had been added before it")
        return found

    def sent_home_unasked(self) -> list[str]:
        """Return a sentence for each Get that reported a shutdown before one had been requested."""
        shut = self._shut()
        return [
            f"the Get of {get.lane} reported a shutdown that nobody had asked for"
            for get in self.calls
            if get.op == "get" and get.shutdown and get.over < shut
        ]

    def sent_home_too_soon(self) -> list[str]:
        """Return a sentence for each Get that reported the shutdown too early.

        Either no shutdown had been requested, or an item was queued all the time: from the request,
        or from the start of the Get if that is later, until the Get returned.
        """
        shut = self._shut()
        return self.sent_home_unasked() + [
            f"the Get of {get.lane} reported the shutdown while {item} was queued"
            for get in self.calls
            if get.op == "get" and get.shutdown
            for item in self._items()
            if self._is_queued(item, since=max(get.start, shut), until=get.over)
        ]

    def drained_early(self) -> list[str]:
        """Return a sentence for each drain that returned although items were in processing all the time.

        A ShutDown ends a drain early. So a drain that returned after a ShutDown began is not
        reported.
        """
        ended = min((call.start for call in self.calls if call.op == "shut_down"), default=NEVER)
        return [
            f"the drain of {drain.lane} returned while {held[0].item} was with {held[0].lane}"
            for drain in self.calls
            if drain.op == "shut_down_with_drain" and drain.end is not None and drain.end < ended
            if (held := _all_along(drain.start, drain.end, list(self._holds())))
        ]

    def held_up(self) -> list[str]:
        """Return a sentence if a drain still waits although a later ShutDown has to end its wait.

        The ShutDown is certainly later only if a call that returned before it had observed the
        shutdown that the drain began. With several drains it is unknown which one had begun, so
        nothing is reported.
        """
        drains = [call for call in self.calls if call.op == "shut_down_with_drain"]
        learned = min(
            (
                call.over
                for call in self.calls
                if call.shutdown or (call.op == "shutting_down" and call.result is True)
            ),
            default=NEVER,
        )
        shut = min((call.start for call in self.calls if call.op == "shut_down"), default=NEVER)
        if len(drains) != 1 or drains[0].end is not None or not learned < shut < NEVER:
            return []
        return [f"the drain of {drains[0].lane} waits, though ShutDown was called after it had begun"]

    def unexplained(self) -> list[str]:
        """Return a sentence if no sequential order of the calls explains their results; else nothing.

        Raises Undecided if the search is given up.
        """
        try:
            why = find_unexplained(self.calls)
        except Unknown:
            raise Undecided(
                "too many orders of the calls could explain the history: none was found in time"
            ) from None
        return [] if why is None else [str(why)]

    def still_held(self) -> list[tuple[str, str]]:
        """Return the lanes that have not called Done, each with the item it holds."""
        return [(hold.lane, hold.item) for hold in self._holds() if hold.until == NEVER]

    def waiting(self, op: str) -> list[str]:
        """Return the lanes whose call of this op has not returned by the end of the history."""
        return [call.lane for call in self.calls if call.op == op and call.end is None]

    def answers(self, op: str) -> list[object]:
        """Return the results of the completed calls of this op, in the order of their starts."""
        return [call.result for call in self.calls if call.op == op and call.end is not None]

    def let_in(self, left: Sequence[str]) -> list[str]:
        """Return a sentence for each item ``left`` in the queue if a Get has reported the shutdown.

        That is an error: a Get may report the shutdown only when nothing is queued.
        """
        if not any(call.shutdown for call in self.calls):
            return []
        return [f"{item} is queued, after a Get has reported the shutdown" for item in left]

    def order(self, lane: str) -> list[object]:
        """Return the items that a lane's Gets returned, in order."""
        return [call.result for call in self.calls if call.op == "get" and call.lane == lane and call.end]

    def _shut(self) -> float:
        """Return when the first ShutDown or ShutDownWithDrain began; NEVER if there is none."""
        return min((call.start for call in self.calls if call.op.startswith("shut_down")), default=NEVER)

    def _is_queued(self, item: str, since: float, until: float) -> bool:
        """Return True if the item was certainly queued during the whole span.

        That is certain if an Add of the item returned before any shutdown was requested, and each
        Get of the item either began after the span, or returned before that Add began and
        had its Done return before the span.
        """
        shut = self._shut()
        return any(
            add.over < shut
            and not add.raised
            and all(
                get.start > until or (get.over < add.start and self._done_with(get) < since)
                for get in self._hand_outs(item)
            )
            for add in self._of(("add",), item)
        )

    def _items(self) -> list[str]:
        return sorted({call.item for call in self.calls if call.op in ADDS and call.item is not None})

    def _of(self, ops: Collection[str], item: str) -> list[Call]:
        return [call for call in self.calls if call.op in ops and call.item == item]

    def _handed_out(self) -> set[str]:
        return {str(get.result) for get in self._gets}

    def _hand_outs(self, item: str) -> list[Call]:
        return [get for get in self._gets if str(get.result) == item]

    def _done_with(self, get: Call) -> float:
        """Return when the lane's next Done of this Get's item returned; NEVER if it did not."""
        return min(
            (
                done.over
                for done in self._of(("done",), str(get.result))
                if done.lane == get.lane and done.start > get.over
            ),
            default=NEVER,
        )

    def _holds(self) -> Iterator[Hold]:
        """Yield the spans in which lanes held items: from a Get's return to the start of the Done."""
        for get in self._gets:
            item = str(get.result)
            end = get.over
            until = min(
                (
                    done.start
                    for done in self._of(("done",), item)
                    if done.lane == get.lane and done.start > end
                ),
                default=NEVER,
            )
            yield Hold(item, get.lane, end, until)


_start = attrgetter("start")


def _hands_out(call: Call) -> bool:
    return call.op == "get" and call.end is not None and not call.shutdown and not call.raised


def _all_along(start: float, end: float, holds: Sequence[Hold]) -> list[Hold]:
    """Return the holds that together cover the span from ``start`` to ``end``; empty if none do."""
    found: list[Hold] = []
    while start < end:
        now = [hold for hold in holds if hold.since <= start < hold.until]
        if not now:
            return []
        found.append(max(now, key=lambda hold: hold.until))
        start = found[-1].until
    return found
