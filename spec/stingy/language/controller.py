"""A controller under test: keys go in, and the rule decides how each reconcile ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from stingy.contract import Nanoseconds
from stingy.contract.ops import PAUSE
from stingy.language.ages import let_pass, set_wall_clock
from stingy.language.call import Call
from stingy.language.order import Order
from stingy.language.session import Hangs, NotOffered, Operation, Pending, Raised, Session
from stingy.language.story import IN_A_SECOND, RECONCILES, TIME, Story, Told
from stingy.language.values import format_span

MANAGER = "manager"
SOURCE = "source"

ENDS = {
    "ok": "succeeds",
    "event": "sends an event about its own key, and succeeds",
    "error": "fails",
    "panic": "panics",
    "terminal": "fails for good",
    "wrapped": "fails for good, which it says within another error",
    "requeue": "asks to be called again",
    "requeue_after": "asks to be called again after",
    "both": "asks to be called again, and this after",
}
"""Ways in which a reconcile can end, each with its words in a story.

The last two take a span of time. Any other way is the name of the exception that is raised.
"""


class Controller:
    """A controller under test, made with the suite's rate limiter.

    The limiter's delays for each key are 1 min, 2 min, 4 min and so on, up to 128 min.
    """

    def __init__(self, session: Session, story: Story, patience: Nanoseconds, order: Order) -> None:
        self._session = session
        self._story = story
        self._patience = patience
        self._order = order
        self._known: list[str] = []
        self._reconciled: list[str] = []
        self._starting: Pending | None = None
        self._stopping: Pending | None = None
        self._made: Nanoseconds | None = None

    @property
    def patience(self) -> Nanoseconds:
        """Nanoseconds by which the controller may be late."""
        return self._patience

    @property
    def uptime(self) -> Nanoseconds:
        """Virtual nanoseconds since it was read first."""
        now = self._session.now_ns()
        if self._made is None:
            self._made = now
        return now - self._made

    def start(self) -> None:
        self._starting = self._call(MANAGER, "start")
        self._story.tell(MANAGER, "Start()")
        self._raises_nothing(self._starting, "Start()")

    def start_with(self, *sources: Sequence[str]) -> None:
        """Start the controller while several sources send events at once, as a race.

        Each of ``sources`` is the sequence of keys that one source sends.
        """
        self._race(sources, MANAGER, [("start",)])

    def add(self, key: str) -> None:
        """Send the controller an event about the object with this key."""
        adding = self._call(SOURCE, "add", self._story.salt_name(key))
        if not adding.returned:
            self._session.settle(adding, self._patience)
        self._story.tell(SOURCE, f"Add({key!r})")
        assert adding.returned, f"Add({key!r}) does not return"
        self._raises_nothing(adding, f"Add({key!r})")

    def add_straight(self, keys: Sequence[str], how: str) -> None:
        """Send an event about each key without a pause; the first reconcile of each ends in this way, as it begins.

        Raises NotOffered if the candidate's reconcile cannot end in this way.
        """
        salted = [self._story.salt_name(key) for key in keys]
        program = [call for key in salted for call in (("finish", key, how, 0), ("add", key))]
        calls = self._session.race({SOURCE: program}, Order(0, straight=True))
        self._story.tell(SOURCE, f"Add(…) of {len(keys):,} keys: the first reconcile of each {_spell(how)}")
        if not all(call.result for call in calls if call.op == "finish"):
            raise NotOffered(f"its reconcile cannot end so before it begins: {how}")
        for call in calls:
            assert not call.fault, f"{call.op} of {call.lane} {call.fault}"

    def under_way(self) -> list[str]:
        """Return the keys being reconciled now, sorted, each once for every running reconcile.

        Up to a second of virtual time may pass first, for a slow candidate.
        """
        self._session.settle(None, self._patience)
        return self.running()

    def running(self) -> list[str]:
        """Return the keys being reconciled now, as ``under_way``, without letting time pass."""
        call = self._call("suite", "reconciles")
        now = [self._story.plain(key) for key in call.value]
        under_way = [key for key in self._known if key in now]
        for key in _without(now, self._known):
            self._story.tell("worker", f"{RECONCILES}{key!r}", IN_A_SECOND if key in under_way else "")
            under_way.append(key)
            self._reconciled.append(key)
        self._known = now
        return sorted(now)

    @property
    def reconciled(self) -> list[str]:
        """Keys of all reconciles begun so far, in order. Reading it lets no time pass."""
        self.running()
        return list(self._reconciled)

    def finish(self, key: str, how: str = "ok", after: Nanoseconds = 0) -> None:
        """End the running reconcile of this key in one of the ways of ``End``, such as "ok".

        ``after``: the span, for a way that takes one. Raises NotOffered if the candidate's
        reconcile cannot end in this way.
        """
        running = self.under_way()
        assert key in running, f"{key!r} is not being reconciled; {running or 'nothing'} is"
        ending = self._call("suite", "finish", self._story.salt_name(key), how, after)
        if not ending.value:
            raise NotOffered(f"its reconcile cannot end so: {how}")
        self._known.remove(key)
        self._story.tell("worker", f"reconcile of {key!r} {_spell(how, after)}")

    def work_off(self, number: int) -> None:
        """Let reconciles succeed, one after the other, ``number`` or fewer; the story shows them as one line."""
        before, done = len(self._story.steps), 0
        while done < number and (running := self.under_way()):
            self.finish(running[0])
            done += 1
        self._story.cut_back(before)
        self._story.tell("worker", f"reconciles {done:,} keys, one after the other; each reconcile succeeds")

    def at_once(self, *sources: Sequence[str], ends: str, how: str = "ok", next_ends: str = "") -> None:
        """Let sources send events while a reconcile ends, as a race.

        ``ends``: the key of that reconcile, which must be running. ``how``: the way it ends.
        ``next_ends``: the way in which the next reconcile of this key ends as soon as it begins;
        empty if it keeps running. Raises NotOffered if that cannot be set in advance.
        """
        assert ends in self.under_way(), f"{ends!r} is not being reconciled"
        self._known.remove(ends)
        key = self._story.salt_name(ends)
        endings: list[Operation] = [("finish", key, how, 0) for how in (how, next_ends) if how]
        calls = self._race(sources, "suite", endings)
        if not all(call.result for call in calls if call.op == "finish"):
            raise NotOffered("how a reconcile ends cannot be said before it begins")

    def at_alarm(self, *sources: Sequence[str]) -> None:
        """Let sources send events, as a race, just as the candidate's next deadline is due, if any."""
        self._race(sources, "", [], first=[(PAUSE, 0)])

    def _race(
        self,
        sources: Sequence[Sequence[str]],
        other: str,
        program: Sequence[Operation],
        first: Sequence[Operation] = (),
    ) -> Sequence[Call]:
        salted = self._story.salt_name
        programs = {
            f"{SOURCE} {n}": [*first, *(("add", salted(key)) for key in keys)]
            for n, keys in enumerate(sources, 1)
        }
        if program:
            programs[other] = [*program]
        calls = self._session.race(programs, self._order)
        ends = (said[2] for said in program if said[0] == "finish")
        self._story.tell_in_order([self._told(call, ends) for call in calls], self._order.asides)
        if self._order.stuck:
            raise Hangs(self._order.stuck)
        for call in calls:
            fault = call.fault if call.end is not None or call.op != "start" else ""
            assert not fault, f"{call.op} of {call.lane} {fault}"
        return calls

    def _told(self, call: Call, ends: Iterator[str]) -> Told:
        key = self._story.plain(str(call.item))
        if call.op == "finish":
            return call.start, "worker", f"reconcile of {key!r} {_spell(next(ends))}", call.fault, None
        if call.op == "start":
            return call.start, call.lane, "Start()", "" if call.end is None else call.fault, None
        if call.op == PAUSE:
            return call.start, call.lane, "waits until something is due", call.fault, None
        return call.start, call.lane, f"Add({key!r})", call.fault, None

    def elapse(self, span: Nanoseconds) -> None:
        self._session.advance(span)
        self._story.tell(TIME, f"{format_span(span)} pass")

    def set_clock(self, span: Nanoseconds) -> None:
        """Step the wall clock forward by ``span``, or back if negative; no time passes meanwhile."""
        set_wall_clock(self._session, self._story, span)

    def leave_alone(self, span: Nanoseconds) -> None:
        """Let a long time pass in growing steps. Raises NotOffered if that is impossible."""
        let_pass(self._session, self._story, span)

    def stop(self) -> None:
        """Call the controller's Stop, which may have to wait for running reconciles."""
        self._stopping = self._call(MANAGER + " 2", "stop")
        self._story.tell(MANAGER, "Stop()", "" if self._stopping.returned else "waits")

    @property
    def stopped(self) -> bool:
        """True if Start and Stop have both returned: then no worker may be left."""
        assert self._stopping is not None
        assert self._starting is not None
        for call, name in ((self._stopping, "Stop()"), (self._starting, "Start()")):
            if not call.returned:
                self._session.settle(call, self._patience)
            self._raises_nothing(call, name)
        return self._stopping.returned and self._starting.returned

    def _raises_nothing(self, call: Pending, did: str) -> None:
        if call.raised:
            raise Raised(did, self._story.unsalt(call.raised))

    def _call(self, lane: str, op: str, *args: Any) -> Pending:
        call = self._session.call(lane, op, *args)
        self._session.settle(call)
        return call


def _spell(how: str, after: Nanoseconds = 0) -> str:
    """Return a way of ``End`` as text, such as "succeeds" or "raises IndexError"."""
    said = ENDS.get(how, f"raises {how}")
    return f"{said} {format_span(after)}" if said.endswith("after") else said


def _without(keys: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return ``keys`` after removing one occurrence for each key in ``known``."""
    left = list(keys)
    for key in known:
        if key in left:
            left.remove(key)
    return left
