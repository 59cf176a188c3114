"""What happened when several lanes were at it at once, and what must be true of it whatever the order.

Order is by stamps from one counter, never by clocks. Each finding is a sentence; no findings, no fault.
Everything here is sound: a history that some order of the calls explains is never accused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise, permutations
from operator import attrgetter

from msgspec import Struct

from stingy.language.call import NEVER, Call
from stingy.language.linearizability import Unknown, find_unexplained
from stingy.language.session import Undecided
from stingy.ops import OPS

ADDS = tuple(op.name for op in OPS.values() if op.adds)


class Hold(Struct, frozen=True):
    """The time a lane had an item: never longer than the truth, so two that overlap here did overlap."""

    item: str
    lane: str
    since: float
    until: float


class History:
    """The calls of a race, oldest start first."""

    def __init__(self, calls: Iterable[Call], *, finished: bool = True) -> None:
        self.calls: Sequence[Call] = sorted(calls, key=_start)
        self._finished = finished
        self._gets = [call for call in self.calls if _hands_out(call)]
        """Those that have handed out an item."""

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
        """Items that were handed out more often than they had been added by then, or without ever having been."""
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
        """Adds that no worker answered: every accepted one is followed by a hand-out.

        Its Get must complete after the Add began. To be asked of a history at whose end nothing is
        left in the queue, and no deadline to come. Adds that may have come after a shutdown promise nothing,
        and no more does an AddAfter that a shutdown follows.
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
        """Items that a worker asked for after another had got one that was added later.

        Only of what is the same wherever an item that comes back is put: each item's first Add, and its first
        hand-out. An order counts where one call had returned before the other began.
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
        """Workers whose Get reported a shutdown before anybody had asked for one."""
        shut = self._shut()
        return [
            f"the Get of {get.lane} reported a shutdown that nobody had asked for"
            for get in self.calls
            if get.op == "get" and get.shutdown and get.over < shut
        ]

    def sent_home_too_soon(self) -> list[str]:
        """Those, and workers whose Get reported the shutdown though an item was queued all the while that it may have done so."""
        shut = self._shut()
        return self.sent_home_unasked() + [
            f"the Get of {get.lane} reported the shutdown while {item} was queued"
            for get in self.calls
            if get.op == "get" and get.shutdown
            for item in self._items()
            if self._is_queued(item, since=max(get.start, shut), until=get.over)
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

    def held_up(self) -> list[str]:
        """The drain that still waits though a ShutDown was called after somebody had learned of it.

        Of several it would not be known which one that was.
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
        """Why no order of the calls, one after the other, explains the history; nothing, if one does."""
        try:
            why = find_unexplained(self.calls)
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

    def let_in(self, left: Sequence[str]) -> list[str]:
        """Items that are ``left`` though a Get has reported the shutdown, which it does once nothing is queued."""
        if not any(call.shutdown for call in self.calls):
            return []
        return [f"{item} is queued, after a Get has reported the shutdown" for item in left]

    def order(self, lane: str) -> list[object]:
        """What the Gets of a lane returned, in order."""
        return [call.result for call in self.calls if call.op == "get" and call.lane == lane and call.end]

    def _shut(self) -> float:
        """When somebody first asked for a shutdown, with drain or without."""
        return min((call.start for call in self.calls if call.op.startswith("shut_down")), default=NEVER)

    def _is_queued(self, item: str, since: float, until: float) -> bool:
        """Whether an Add before the shutdown has put the item into the queue, and nobody has taken it from then on.

        Whoever had it before had got it before that Add began, and was done with it in time.
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
        """When the Done had returned that the same lane called next on the item."""
        return min(
            (
                done.over
                for done in self._of(("done",), str(get.result))
                if done.lane == get.lane and done.start > get.over
            ),
            default=NEVER,
        )

    def _holds(self) -> Iterator[Hold]:
        """From the return of a Get to the start of the Done that this lane calls next on the item."""
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
    """Holds without a gap between them, from the start to the end; none, if there was a gap."""
    found: list[Hold] = []
    while start < end:
        now = [hold for hold in holds if hold.since <= start < hold.until]
        if not now:
            return []
        found.append(max(now, key=lambda hold: hold.until))
        start = found[-1].until
    return found
