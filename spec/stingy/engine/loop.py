"""An asyncio event loop on a controlled thread, in virtual time.

The loop waits only for its own timers and for the candidate's threads. So its thread blocks like
any other, and a coroutine that still waits is known at once. Ready callbacks run in the order in
which they became ready, as asyncio promises. This order is never changed, because programs may rely
on it.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from contextvars import Context
from itertools import count
from typing import Any, NoReturn
from weakref import WeakSet

from stingy.contract import SECOND, Nanoseconds
from stingy.engine.scheduler import Scheduler, find_caller
from stingy.engine.task import Abort, State, Task
from stingy.engine.virtualtime import MONOTONIC_ORIGIN

TURNS = 1_000
"""Rounds of the loop in a row after which it blocks once, although callbacks are ready.

A coroutine that polls with ``asyncio.sleep(0)`` may wait for what only other threads can do.
"""

FAR = 1e9
"""Loop time in seconds at which a timer set to infinity is due. No candidate runs that long."""

_OUTSIDE_THE_PROCESS = (
    *("sock_recv", "sock_recv_into", "sock_recvfrom", "sock_recvfrom_into", "sock_sendall", "sock_sendto"),
    *("sock_connect", "sock_accept", "sock_sendfile", "sendfile", "start_tls", "getaddrinfo", "getnameinfo"),
    *("create_connection", "create_server", "create_unix_connection", "create_unix_server"),
    *("create_datagram_endpoint", "connect_accepted_socket", "connect_read_pipe", "connect_write_pipe"),
    *("subprocess_exec", "subprocess_shell", "add_signal_handler", "remove_signal_handler"),
    *("add_reader", "remove_reader", "add_writer", "remove_writer"),
)
"""Methods of a loop that reach outside the process, so that their timing cannot be controlled."""


class Timer(asyncio.TimerHandle):
    """A timer; timers that are due at the same instant fire in the order in which they were set."""

    number = 0
    due: Nanoseconds = 0
    _scheduled: bool

    def __lt__(self, other: asyncio.TimerHandle) -> bool:
        return (self.when(), self.number) < (other.when(), getattr(other, "number", 0))


class ControlledLoop(asyncio.BaseEventLoop):
    """An asyncio event loop on a controlled thread, in virtual time.

    A candidate may create one in a thread of its own.
    """

    # Attributes of BaseEventLoop that its stubs leave out.
    _check_closed: Callable[[], None]
    _ready: deque[asyncio.Handle]
    _scheduled: list[Timer]
    _default_executor: Executor | None

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__()
        self.set_debug(False)  # overrides the environment: debug mode reads real threads and clocks
        self.refused = ""
        """The last call that would have reached outside the process, as a clause; "" if none."""
        self.thread: Task | None = None
        """The controlled thread that runs the loop, or ran it last."""
        self._scheduler = scheduler
        self._created: WeakSet[asyncio.Task[Any]] = WeakSet()
        self._numbers = count()
        self._turns = 0
        self._resting: Task | None = None

    def wake(self) -> None:
        """Wake the loop's thread if it is blocked, because the loop may have something to do."""
        if self._resting is not None:
            self._scheduler.lineup.wake(self._resting, State.READY)

    def tasks(self) -> set[asyncio.Task[Any]]:
        """Return the tasks that have not ended, whichever thread created them.

        Since Python 3.14, ``asyncio.all_tasks`` knows only those of the thread that runs the loop.
        """
        return asyncio.all_tasks(self) | {task for task in self._created if not task.done()}

    # Called by the candidate.

    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = super().create_task(coro, **options)
        self._created.add(task)
        return task

    def run_forever(self) -> None:
        self.thread = self._scheduler.me() or self.thread
        try:
            super().run_forever()
        finally:
            if self._scheduler.aborting:
                self._drop_leftover_tasks()

    def time(self) -> float:
        return (MONOTONIC_ORIGIN + self._scheduler.time.now) / SECOND

    def call_at(  # type: ignore[override]  # the stubs' signature is more general
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Timer:
        self._check_closed()
        timer = Timer(when, callback, args, self, context)
        timer.number = next(self._numbers)
        timer.due = round(min(when, FAR) * SECOND) - MONOTONIC_ORIGIN
        if when > self.time():
            # Rounded down to the present, the timer would fire before the loop's time is ``when``:
            # a caller that compares the two would set it again and again.
            timer.due = max(timer.due, self._scheduler.time.now + 1)
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Run ``func`` on a new controlled thread, or in the candidate's executor if it has one."""
        if executor is not None or self._default_executor is not None:
            return super().run_in_executor(executor, func, *args)
        self._check_closed()
        future = self.create_future()

        def work() -> None:
            try:
                tell, outcome = future.set_result, func(*args)
            except Exception as error:  # noqa: BLE001 - the future passes it on
                tell, outcome = future.set_exception, error
            self.call_soon_threadsafe(_tell, future, tell, outcome)

        self._scheduler.start(self._scheduler.new_name(), work)
        return future

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), Abort):
            super().default_exception_handler(context)

    def __del__(self) -> None:
        """Do nothing, so that no warning about an open loop is shown: it ends with its session."""

    # Hooks that BaseEventLoop calls.

    def _run_once(self) -> None:
        self._ring()
        while not self._ready or self._turns >= TURNS:
            self._rest()
            self._ring()
        self._turns += 1
        for _ in range(len(self._ready)):
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()
            if self._scheduler.aborting:
                raise Abort

    def _write_to_self(self) -> None:
        """Wake the loop, as a callback was added; a scheduling point if another thread added it."""
        self.wake()
        inside = find_caller()
        if inside is not None and inside[1] is not self.thread:
            scheduler, task = inside
            scheduler.point(task)

    def _process_events(self, events: Any) -> None:
        """Do nothing: the loop watches no files or sockets."""

    def next_timer(self) -> Nanoseconds | None:
        """Return the virtual time at which the first timer is due; None if there is no timer."""
        return min((timer.due for timer in self._scheduled if not timer.cancelled()), default=None)

    def _ring(self) -> None:
        """Move timers that are due to the list of callbacks that are ready to run."""
        while self._scheduled and (
            self._scheduled[0].cancelled() or self._scheduled[0].due <= self._scheduler.time.now
        ):
            timer = heapq.heappop(self._scheduled)
            timer._scheduled = False
            if not timer.cancelled():
                self._ready.append(timer)

    def _rest(self) -> None:
        """Block the loop's thread until the loop is woken, or until its next timer is due."""
        thread = self.thread
        assert thread is not None, "only a thread under control can run it"
        thread.deadline = self._scheduled[0].due if self._scheduled else None
        thread.state, self._resting = State.PARKED, thread
        try:
            self._scheduler.block(thread)
        finally:
            thread.state, thread.deadline, self._resting = State.READY, None, None
            self._turns = 0

    def _drop_leftover_tasks(self) -> None:
        """Close the loop's tasks that have not ended, without a message on standard error."""
        for task in self.tasks():
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            with suppress(BaseException):
                task.get_coro().close()


class Loop(ControlledLoop):
    """The event loop of one session, on which all coroutines of the candidate run."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler)
        self.failed: list[str] = []
        """Errors that callbacks raised and no code caught, as text."""
        self.thread: Task = scheduler.start("the event loop", self._work)

    # Called by the driving thread, while no controlled thread runs.

    def end(self) -> None:
        """Cancel all tasks of the loop; those that do not end are dropped with the thread."""
        self.call_soon(self._cancel_all)
        self.wake()

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        if isinstance(context.get("exception"), Abort):
            return
        error = context.get("exception")
        self.failed.append(f"{context['message']}: {error!r}" if error else context["message"])

    def _work(self) -> None:
        """Run the loop on its thread until the session is over, even if a callback tries to exit."""
        try:
            while not self._scheduler.aborting:
                try:
                    self.run_forever()
                except (SystemExit, KeyboardInterrupt) as exit_:
                    self.failed.append(f"A callback tried to exit: {exit_!r}")
        finally:
            self._drop_leftover_tasks()
            with suppress(Abort):
                self.close()

    def _cancel_all(self) -> None:
        for task in self.tasks():
            task.cancel()
        if self._default_executor is not None:
            self._default_executor.shutdown(wait=False)


def new_event_loop(policy: asyncio.AbstractEventLoopPolicy) -> asyncio.AbstractEventLoop:
    """Return a controlled loop if the caller is a controlled thread, asyncio's own otherwise."""
    inside = find_caller()
    return _new_event_loop(policy) if inside is None else ControlledLoop(inside[0])


_EVENTS: Any = asyncio.events
POLICY = getattr(_EVENTS, "BaseDefaultEventLoopPolicy", None) or _EVENTS._BaseDefaultEventLoopPolicy
_new_event_loop = POLICY.new_event_loop


def _tell(future: asyncio.Future[Any], tell: Callable[[Any], None], outcome: object) -> None:
    if not future.done():
        tell(outcome)


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(self: ControlledLoop, *_: Any, **__: Any) -> NoReturn:
        self.refused = f"it asks the event loop for {name}, which leads out of the process"
        raise NotImplementedError(self.refused)

    refuse.__name__ = name
    return refuse


for _name in _OUTSIDE_THE_PROCESS:
    setattr(ControlledLoop, _name, _refusing(_name))
