"""A candidate in this process for asyncio: lanes are tasks of one event loop, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from copy import copy
from dataclasses import dataclass
from inspect import isawaitable
from itertools import count
from random import Random
from typing import Any, Self

from stingy.contract import SECOND, Nanoseconds
from stingy.contract.kinds import is_a
from stingy.engine import spinning
from stingy.engine.carrier import processor_seconds
from stingy.engine.exploration import Keeps, describe_failure
from stingy.engine.loop import Loop
from stingy.engine.patches import Binding, patched, running
from stingy.engine.scheduler import Fair, LostControl, Scheduler
from stingy.language.call import Call
from stingy.language.order import Attempt, Budget, Explored, Order, Turn
from stingy.language.session import PATIENCE, TO_BE_MADE, CandidateError, Hangs, NotOffered, Operation
from stingy.transport.beginning import NotAgainError
from stingy.transport.calling import Answered, Made, describe_raised, in_builtins
from stingy.transport.programs import Stamps, calls_of
from stingy.transport.syncing import A_MOMENT, Meanwhile
from stingy.transport.target import method
from stingy.transport.threads import Habits, VirtualClock

PAUSES = (0, 0, 0, 1, 2, 3)
"""Numbers of loop turns that a lane may let pass before a call: one is drawn, most often 0."""


@dataclass(frozen=True)
class Dawdling:
    """A schedule of coroutines: the order in which lanes start, and their pauses between calls.

    Without a ``seed``, lanes start in the given order and never pause. Callbacks always run in the
    order in which they became ready: asyncio guarantees that, so a correct candidate may rely on
    it.
    """

    seed: str = ""

    def starts(self, lanes: Mapping[str, Any]) -> list[str]:
        names = list(lanes)
        return Random(self.seed).sample(names, len(names)) if self.seed else names  # noqa: S311

    def pauses(self, lane: str) -> Iterator[int]:
        """Yield, for each call of the lane, the number of event-loop turns to let pass before it."""
        chance = Random(f"{self.seed} {lane}")  # noqa: S311
        while True:
            yield chance.choice(PAUSES) if self.seed else 0


class Dawdlings:
    """Source of schedules for coroutines: random ones, or the one of an earlier run."""

    def draw(self, seed: str, interruptions: float) -> Dawdling:  # noqa: ARG002
        return Dawdling(seed)

    def again(self, trail: Sequence[Turn]) -> Dawdling:
        return Dawdling(trail[0][0] if trail else "")


def explore(attempt: Attempt, seed: str, budget: Budget, keeps: Keeps | None) -> Explored:
    """Run a race in one schedule after another until one fails or the budget is spent.

    Returns what was found. The first schedule has no pauses. A schedule that fails is shortened
    unless ``keeps`` is None.
    """
    for runs in count(1):
        order = Order(runs, Dawdling(f"{seed} {runs}" if runs > 1 else ""))
        failure = attempt(order)
        if failure is not None:
            return describe_failure(attempt, Dawdlings(), keeps, order, failure)
        if budget.spent(runs):
            return Explored(runs)
    raise AssertionError("count() does not end")


class Awaited(Answered):
    """A call that is made and awaited in its own asyncio task, and its outcome."""

    task: asyncio.Task[None]

    async def wait_for(self, op: str, call: Callable[[], Any]) -> None:
        try:
            value = call()
            self.value = in_builtins(op, await value) if isawaitable(value) else value
        except (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001
            self.raised = describe_raised(error)
        self.returned = True


class Coroutines:
    """A session whose lanes are tasks on an event loop that the suite controls."""

    timed = False
    shares = True

    def __init__(
        self,
        make: Callable[[Any], Made],
        bindings: Sequence[Binding],
        habits: Habits,
        around: AbstractContextManager[object] = nullcontext(),  # noqa: B008 - it holds nothing
    ) -> None:
        """Create the candidate by ``make``, on a controlled event loop.

        ``around`` is a context that is entered first, and left when the session is closed.
        """
        self._make = make
        self._habits = habits
        self._scheduler = Scheduler(Fair())
        self._scheduler.polling.allowed = habits.shortcuts.may_jump
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._pausing: list[Nanoseconds] = []
        """Virtual instants, in nanoseconds, at which pauses of lanes end."""
        self._open = ExitStack()
        self._open.enter_context(around)
        self._open.enter_context(running(self._scheduler))
        self._open.enter_context(patched(bindings))
        self._open.callback(_restore_policy, asyncio.events._event_loop_policy)  # type: ignore[attr-defined]
        self._open.callback(self._scheduler.close)
        self._loop = Loop(self._scheduler)
        self._open.callback(self._cancel_all)
        self._made: Made
        try:
            self._construct()
        except BaseException:
            self.close()
            raise

    @property
    def looks(self) -> int:
        return self._scheduler.time.looks

    @property
    def deaths(self) -> Sequence[tuple[str, str]]:
        return self._scheduler.deaths

    def call(self, lane: str, op: str, *args: Any) -> Awaited:
        answer = Awaited()
        call = self._made.operation(op, args, Meanwhile(self._elapse, A_MOMENT))
        answer.task = self._run_on(lane, answer.wait_for(op, call))
        return answer

    def cancel(self, call: Awaited, turns: int = 0, after: Nanoseconds = 0) -> None:
        """Cancel the task of a call, in a callback that runs after ``turns`` turns of the loop.

        Calls that were started before, such as an Add, run before that callback. With 0 turns, the
        coroutines that these calls wake run after it. ``after``: virtual nanoseconds that pass
        before these turns. Timers that are due at that instant and were set before ring before it.
        """
        if after:
            self._loop.call_later(after / SECOND, self._cancel, call, turns)
        else:
            self._loop.call_soon(self._cancel, call, turns)

    def _cancel(self, call: Awaited, turns: int) -> None:
        if turns:
            self._loop.call_soon(self._cancel, call, turns - 1)
        else:
            call.task.cancel()

    def settle(self, awaiting: Any = None, patience: Nanoseconds = 0) -> None:
        end = self._scheduler.time.now + patience
        self._let_run(
            lambda: self._scheduler.settle(
                end - self._scheduler.time.now, lambda: awaiting is not None and awaiting.returned
            )
        )

    def advance(self, span: Nanoseconds) -> None:
        end = self._scheduler.time.now + span
        self._let_run(lambda: self._scheduler.advance(end - self._scheduler.time.now))
        self.settle()

    def now_ns(self) -> Nanoseconds:
        return self._scheduler.time.wall_ns()

    def step(self, span: Nanoseconds) -> None:
        self._scheduler.time.stepped += span

    def restart(self) -> None:
        del self._made
        self._construct()

    def another(self) -> Self:
        """Return a session of another candidate, on the same scheduler; it ends with this one."""
        other = copy(self)
        other._lanes = {}
        del other._made
        other._construct()
        return other

    def race(self, programs: Mapping[str, Sequence[Operation]], order: Order) -> Sequence[Call]:
        stamps = Stamps()
        way = order.turns if isinstance(order.turns, Dawdling) else Dawdling()
        for lane in way.starts(programs):
            self._run_on(lane, self._run(lane, programs[lane], stamps, way.pauses(lane)))
        order.trail = ((way.seed, None),)
        self.settle(stamps if order.step else None, PATIENCE)
        while order.straight and stamps.has_gone_on():
            self.settle(patience=PATIENCE)
        while self._pausing:
            self.settle(patience=max(self._pausing) - self._scheduler.time.now + PATIENCE)
        calls = stamps.calls()
        self._dismiss(set(programs) - {call.lane for call in calls if call.end is None})
        return calls

    def close(self) -> None:
        self._habits.shortcuts.jumped |= self._scheduler.polling.jumped
        self._open.close()

    async def _run(
        self, lane: str, program: Sequence[Operation], stamps: Stamps, pauses: Iterator[int]
    ) -> None:
        """Run a lane's program in an asyncio task, with these pauses (turns of the loop) before calls."""
        for record in calls_of(lane, program):
            for _ in range(next(pauses)):
                await asyncio.sleep(0)
            stamps.call(record)
            stamps.begin(record)
            try:
                value = record.made_by(getattr(self._made.whole, method(record.op)))
                record.value = in_builtins(record.op, await value if isawaitable(value) else value)
            except Exception as error:  # noqa: BLE001 - whatever a candidate raises is an answer
                record.raised = describe_raised(error)
            stamps.end(record)

    def _run_on(self, lane: str, job: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        busy = self._lanes.get(lane)
        if busy is not None and not busy.done():
            job.close()
            raise RuntimeError(f"{lane} has a call under way")
        self._lanes[lane] = task = self._loop.create_task(job, name=lane)
        return task

    def _dismiss(self, lanes: set[str]) -> None:
        """Cancel the tasks of these lanes, which are not inside a call.

        All tasks are idle by now, so each of these has ended or would never continue.
        """
        for lane in lanes:
            self._lanes.pop(lane).cancel()

    def _construct(self) -> None:
        """Create the candidate inside the event loop, because its constructor may start tasks."""
        raised: list[BaseException] = []

        def construct() -> None:
            try:
                self._made = self._make(VirtualClock(self._scheduler.time))
            except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001
                raised.append(error)

        made = Answered()
        self._loop.call_soon(lambda: made.make(construct))
        self.settle(made, TO_BE_MADE)
        if raised:
            error = raised[0]
            if is_a(error, NotOffered, CandidateError, NotAgainError):
                raise error
            raise CandidateError(f"it cannot be made: {describe_raised(error)}") from error
        if not hasattr(self, "_made"):
            raise CandidateError("it cannot be made: its constructor does not return")
        self._made = self._made.telling(running=self._count_running, pause=self._pause)

    def _count_running(self) -> int:
        """Return how many of the candidate's own tasks and threads have not ended."""
        tasks = self._loop.tasks() - {*self._lanes.values()}
        threads = [task for task in self._scheduler.tasks if task.busy and task is not self._loop.thread]
        return len(tasks) + len(threads)

    def _let_run(self, run: Callable[[], None]) -> None:
        since = processor_seconds(self._loop.thread.ident)
        self._loop.wake()
        while True:
            try:
                run()
            except LostControl as lost:
                self._explain(lost, since)
            else:
                break
        if self._loop.refused:
            raise CandidateError(self._loop.refused)
        if self._loop.failed:
            raise CandidateError(self._loop.failed[0])

    def _explain(self, lost: LostControl, since: float) -> None:
        """Raise CandidateError or Hangs because the event loop is busy or blocked for too long.

        Return if the loop has come to rest meanwhile: then the machine was only too slow. ``since``
        is the processor time, in seconds, that the loop's thread had used before it was woken.
        """
        thread = self._loop.thread
        where = spinning.whereabouts(thread)
        if self._scheduler.current is not thread:
            raise CandidateError(str(lost)) from None
        held = spinning.spins(self._scheduler, thread, since)
        if held is None:
            return
        if not held:
            raise CandidateError(f"{lost}, and its event loop is blocked") from None
        spinning.stop(self._scheduler, thread)
        raise Hangs(f"{where} loops and never waits: the event loop is blocked") from None

    def _cancel_all(self) -> None:
        """Cancel all tasks of the event loop, as ``asyncio.run`` does when it ends."""
        if not (self._scheduler.lost or self._scheduler.aborting):
            self._loop.end()
            with suppress(LostControl):
                self._scheduler.settle()

    async def _pause(self, seconds: float = 0.0) -> None:
        """Pause for ``seconds`` of virtual time; with 0, until the candidate's next deadline is due."""
        now = self._scheduler.time.now
        dues = now + round(seconds * SECOND), self._loop.next_timer(), self._scheduler.lineup.next_deadline()
        until = min(filter(None, dues[:1] if seconds else dues[1:]), default=now)
        if until > now:
            self._pausing.append(until)
            await asyncio.sleep((until - now) / SECOND)
            self._pausing.remove(until)

    def _elapse(self, span: Nanoseconds, stepped: Nanoseconds) -> None:
        """Let ``span`` of virtual time pass inside a call; step the wall clock forward by ``stepped``."""
        self._scheduler.time.now += span
        self._scheduler.time.stepped += stepped


def _restore_policy(policy: object) -> None:
    asyncio.events._event_loop_policy = policy  # type: ignore[attr-defined]
