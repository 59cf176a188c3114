"""Races: several lanes run a program each at once, which yields a history."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from stingy.contract import Nanoseconds
from stingy.contract.ops import OPS, PAUSE, Part
from stingy.language.call import Call
from stingy.language.history import History
from stingy.language.notation import parse_lanes, parse_steps_by_lane
from stingy.language.order import BEFORE, Order, Played
from stingy.language.queue import Metrics, Queue
from stingy.language.session import Hangs, Operation, Session
from stingy.language.story import Aside, Story, Told
from stingy.language.wording import besides, operation

GET: Operation = ("get",)
DONE: Operation = ("done",)
"""Done of the item that this lane has held longest."""
AGAIN: Operation = ("add",)
"""Add of the item that this lane has held longest: it must come again after its Done."""
SHUT_DOWN: Operation = ("shut_down",)


def add(item: str) -> Operation:
    return ("add", item)


class Race:
    """Several lanes that run their programs at once on one queue."""

    parts: tuple[Part, ...] = ("queue", "drain", "delay", "limit")
    """Parts of the queue whose operations a program in ``notation`` may use."""

    def __init__(self, session: Session, story: Story, queue: Queue, order: Order) -> None:
        self._session = session
        self._story = story
        self._queue = queue
        self._order = order
        self._calls: list[Call] = []
        self._hows: Mapping[str, Iterator[str]] = {}
        """For each lane, the arguments of its calls other than the item, in order."""
        self._known = 0
        """Number of the queue's hand-outs that are in the history already."""

    def run(self, **programs: Sequence[Operation]) -> History:
        """Run all lanes' programs at once until quiescence; return the history of all calls so far.

        The keyword ``worker_1`` names the lane *worker 1*.
        """
        kept = {
            lane: [op for n, op in enumerate(program) if self._order.keeps(lane, n)]
            for lane, program in programs.items()
        }
        return self._run(kept, self._order)

    def play(self, before: str, at_once: str) -> History:
        """Run a program: the steps of ``before`` one by one, then the lanes of ``at_once`` at once.

        Both are texts such as ``add a, get | add b``. Returns the history of all calls.
        """
        fresh = not self._story.has_begun
        for n, (lane, step) in enumerate(parse_steps_by_lane(before)):
            if self._order.keeps(BEFORE, n):
                self._step(lane, step)
        held = History(self._calls).still_held()
        programs = {
            f"lane {n}": [operation(step, *self.parts) for step in did]
            for n, did in enumerate(parse_lanes(at_once), 1)
        }
        history = self.run(**{lane: list(_legal(lane, did, held)) for lane, did in programs.items()})
        if fresh:
            self._order.played = Played(before, at_once, tuple(history.calls), self._story.so_far())
        return history

    def succession(self, calls: str) -> str:
        """Make these calls one after the other on one lane; return their results as text: ``'a', 1``."""
        return ", ".join(call.outcome for call in self.play("", calls).calls if call.outcome)

    def _step(self, lane: int, step: str) -> None:
        program = [operation(step, *self.parts)]
        calls = self._run({f"lane {lane}": program}, Order(0, step=True)).calls
        if calls and calls[-1].end is None:
            raise AssertionError(f"{step!r} does not return, before anything is done at once")

    def left(self) -> list[str]:
        """Get and finish the items left in the queue; return them in order."""
        return self._queue.take_all()

    def overlooked(self, history: History) -> list[str]:
        """Return a sentence if items were queued while workers waited in Get; else nothing."""
        waiting = history.waiting("get")
        left = self._work_on_what_is_left()
        return [f"{', '.join(waiting)} waited while {', '.join(left)} was queued"] if waiting and left else []

    def left_draining(self, history: History) -> list[str]:
        """Return a sentence if all drains wait although no item is held or queued; else nothing."""
        waiting = history.waiting("shut_down_with_drain")
        if not waiting or history.answers("shut_down_with_drain"):
            return []
        if history.still_held() or self._work_on_what_is_left():
            return []
        return [f"the drain of {', '.join(waiting)} waits, though nothing is held and nothing queued"]

    def rest(self, history: History) -> History:
        """Process all items after a race: Done for held ones, Get and Done for queued ones.

        Returns the history with these calls. If a lane waits in Get while items are held, an
        unfinished history is returned instead: an item that is queued again at its Done would go to
        that lane, unobserved.
        """
        if history.waiting("get") and history.still_held():
            return history.unfinished()
        busy = {call.lane for call in history.calls if call.end is None}
        for holder, item in history.still_held():
            lane = "finisher" if holder in busy else holder
            self._queue.finish(item, lane)
            self._note("done", holder, item)
        self._work_on_what_is_left()
        return History(self._calls)

    def _work_on_what_is_left(self) -> list[str]:
        self.left()
        left, self._known = self._queue.handed_out[self._known :], len(self._queue.handed_out)
        for item in left:
            self._note("get", "the last worker", None, item)
            self._note("done", "the last worker", item)
        return left

    def elapse(self, span: Nanoseconds) -> None:
        """Let ``span`` nanoseconds of virtual time pass."""
        self._queue.elapse(span)

    def metrics(self) -> Metrics:
        """Metrics that the queue has reported so far."""
        return self._queue.metrics()

    def _run(self, programs: Mapping[str, Sequence[Operation]], order: Order) -> History:
        self._hows = {
            lane: iter([besides(*op) for op in program if OPS[op[0]].others])
            for lane, program in programs.items()
        }
        salted = {lane: [self._salt(op) for op in program] for lane, program in programs.items() if program}
        late = max(self._latest, self._story.moment())
        calls = [self._plain(call, late) for call in self._session.race(salted, order)]
        self._calls += [call for call in calls if call.op != PAUSE]
        self._story.not_before(self._latest)
        self._tell(calls, [replace(aside, at=aside.at + late) for aside in order.asides])
        if order.stuck:
            raise Hangs(order.stuck)
        return History(self._calls)

    @property
    def _latest(self) -> int:
        return max((call.end or call.start for call in self._calls), default=0)

    def _note(self, op: str, lane: str, item: str | None, result: str | None = None) -> None:
        start = self._latest + 1
        self._calls.append(Call(lane, op, item, start, start + 1, result))

    def _salt(self, op: Operation) -> Operation:
        if not OPS[op[0]].takes_item:
            return op
        return (op[0], *(self._story.salt_name(item) for item in op[1:2]), *op[2:])

    def _plain(self, call: Call, late: int) -> Call:
        """Return the call with the rule's own item names, and with its stamps shifted by ``late``."""
        plain, over = self._story.plain, call.end is not None
        return Call(
            call.lane.replace("_", " "),
            call.op,
            None if call.item is None else plain(call.item),
            call.start + late,
            None if call.end is None else call.end + late,
            plain(call.result)
            if over and OPS[call.op].hands_out and not call.shutdown
            else call.result
            if over
            else None,
            call.shutdown,
            self._story.unsalt(call.raised) if call.raised else None,
            next(self._hows[call.lane], "") if OPS[call.op].others else "",
        )

    @staticmethod
    def _told(call: Call) -> Call:
        """Return the call as the story shows it, which may name another op than the history."""
        return call

    def _tell(self, calls: Sequence[Call], asides: Sequence[Aside]) -> None:
        self._story.tell_in_order(_lines(calls, asides, self._told), asides)


def _lines(calls: Sequence[Call], asides: Sequence[Aside], told: Callable[[Call], Call]) -> Iterator[Told]:
    """Yield the lines of the story for these calls, each of which is shown as ``told`` returns it.

    A call has one line, or two (its begin and end) if other events are recorded in between.
    """
    stamps = [stamp for call in calls for stamp in (call.start, call.over)]
    moments = sorted([*(aside.at + 0.5 for aside in asides), *stamps])
    for call in calls:
        between = bisect_left(moments, call.over) - bisect_right(moments, call.start)
        if asides and between and call.end is not None:
            yield call.start, call.lane, f"{call.did} begins", "", None
            yield call.end, call.lane, f"{call.did} ends", call.outcome, told(call)
        else:
            yield call.start, call.lane, call.did, call.outcome, told(call)


def _legal(lane: str, program: Sequence[Operation], held: Sequence[tuple[str, str]]) -> Iterator[Operation]:
    """Yield the operations of a lane, without any Done of an item that the lane does not hold.

    Such a Done is left over when the matching Get was left out.
    """
    for op in program:
        if op[0] != "done" or op[1:] == () or (lane, op[1]) in held:
            yield op
