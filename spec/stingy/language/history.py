"""What happened when several lanes were at it at once, and what must be true of it whatever the order.

Order is by stamps from one counter, never by clocks. Each finding is a sentence; no findings, no fault.
Everything here is sound: a history that some order of the calls explains is never accused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from stingy.language.call import NEVER, Call
from stingy.language.linearizability import Unknown, unexplained
from stingy.language.session import Undecided

ADDS = ("add", "add_after")


@dataclass(frozen=True)
class Hold:
    """The time a lane had an item: never longer than the truth, so two that overlap here did overlap."""

    item: str
    lane: str
    since: float
    until: float


class History:
    """The calls of a race, oldest start first."""

    def __init__(self, calls: Iterable[Call], *, finished: bool = True) -> None:
        self.calls: Sequence[Call] = sorted(calls, key=lambda call: call.start)
        self._finished = finished

    def unfinished(self) -> History:
        """The same, of which it is not known what is left in the queue."""
        return History(self.calls, finished=False)

    def raised(self) -> list[str]:
        return [f"{call.op} raised {call.raised}" for call in self.calls if call.raised]

    def held_twice(self) -> list[str]:
        """Items that were with two workers at once."""
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
        """Items that were handed out more often than they had been added by then."""
        found = []
        for item in self._items():
            adds = sorted(call.start for call in self._of(ADDS, item) if not call.raised)
            gets = sorted(call.over for call in self._hand_outs(item))
            for n, returned in enumerate(gets):
                begun = sum(start < returned for start in adds)
                if begun <= n:
                    found.append(f"{item} was handed out {n + 1} times after {begun} Adds")
                    break
        return found

    def lost(self) -> list[str]:
        """Adds that no worker answered: every accepted one is followed by a hand-out.

        Its Get must complete after the Add began. To be asked of a history at whose end nothing is
        left in the queue, and no deadline to come. Adds that may have come after a shutdown promise nothing,
        and no more does an AddAfter that a shutdown follows.
        """
        shut = min(
            (call.start for call in self.calls if call.op.startswith("shut_down")),
            default=NEVER,
        )
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

    def drained_early(self) -> list[str]:
        """Drains that returned though at every moment of theirs something was in processing.

        A ShutDown ends them; they may have returned at any moment after its beginning.
        """
        ended = min((call.start for call in self.calls if call.op == "shut_down"), default=NEVER)
        return [
            f"the drain of {drain.lane} returned while {held[0].item} was with {held[0].lane}"
            for drain in self.calls
            if drain.op == "shut_down_with_drain" and drain.end is not None and drain.end < ended
            if (held := _all_along(drain.start, drain.end, list(self._holds())))
        ]

    def unexplained(self) -> list[str]:
        """Why no order of the calls, one after the other, explains the history; nothing, if one does."""
        try:
            why = unexplained(self.calls)
        except Unknown:
            raise Undecided(
                "too many orders of the calls could explain the history: none was found in time"
            ) from None
        return [] if why is None else [str(why)]

    def still_held(self) -> list[tuple[str, str]]:
        """The lanes that have not called Done, and the items they hold."""
        return [(hold.lane, hold.item) for hold in self._holds() if hold.until == NEVER]

    def waiting(self, op: str) -> list[str]:
        """The lanes whose call of this op had not returned."""
        return [call.lane for call in self.calls if call.op == op and call.end is None]

    def answers(self, op: str) -> list[object]:
        """What the calls of this op that returned have answered, oldest first."""
        return [call.result for call in self.calls if call.op == op and call.end is not None]

    def order(self, lane: str) -> list[object]:
        """What the Gets of a lane returned, in order."""
        return [call.result for call in self.calls if call.op == "get" and call.lane == lane and call.end]

    def _items(self) -> list[str]:
        return sorted({call.item for call in self.calls if call.op in ADDS and call.item is not None})

    def _of(self, ops: Collection[str], item: str) -> Iterator[Call]:
        return (call for call in self.calls if call.op in ops and call.item == item)

    def _hand_outs(self, item: str) -> list[Call]:
        return [
            call
            for call in self.calls
            if call.op == "get" and call.end is not None and not call.shutdown and call.result == item
        ]

    def _holds(self) -> Iterator[Hold]:
        """From the return of a Get to the start of the Done that this lane calls next on the item."""
        for get in self.calls:
            if get.op != "get" or get.end is None or get.shutdown or get.raised:
                continue
            item = str(get.result)
            end = get.end
            until = min(
                (
                    done.start
                    for done in self._of(("done",), item)
                    if done.lane == get.lane and done.start > end
                ),
                default=NEVER,
            )
            yield Hold(item, get.lane, end, until)


def _all_along(start: float, end: float, holds: Sequence[Hold]) -> list[Hold]:
    """Holds without a gap between them, from the start to the end; none, if there was a gap."""
    found: list[Hold] = []
    while start < end:
        now = [hold for hold in holds if hold.since <= start < hold.until]
        if not now:
            return []
        found.append(max(now, key=lambda hold: hold.until))
        start = found[-1].until
    return found
