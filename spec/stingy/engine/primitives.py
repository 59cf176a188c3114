"""Locks and conditions of threading: scheduled for controlled threads, real for all others.

So a lock that a library created while the candidate was imported still works after the session.
"""

from __future__ import annotations

import threading
from functools import cached_property
from types import TracebackType
from typing import Any

from stingy.engine.carrier import allocate
from stingy.engine.escapes import Home, home, noticed_at_a_lock
from stingy.engine.places import Holding
from stingy.engine.scheduler import Scheduler, find_caller
from stingy.engine.silence import silent
from stingy.engine.task import Abort, State, Task
from stingy.engine.touching import are_locks

_RealRLock = threading.RLock
_RealCondition = threading.Condition


class Lock:
    def __init__(self) -> None:
        self.held = False
        self.owner: Task | None = None
        self._outside: Any = None
        inside = find_caller()
        self._name = inside[1].name_lock() if inside else id(self)
        self.home: Home = inside[0] if inside else home()
        if inside:
            inside[0].locks.append(self)

    @cached_property
    def holding(self) -> Holding:
        return Holding.of(self, self._name)

    def forget(self) -> None:
        self.__dict__.pop("holding", None)

    def real(self) -> Any:
        """Return the real lock behind this one, for uncontrolled threads; it is created on first use."""
        if self._outside is None:
            self._outside = allocate()
        return self._outside

    @silent
    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        inside = find_caller()
        if inside is None:
            noticed_at_a_lock(self.home)
            return bool(self.real().acquire(blocking, timeout))
        scheduler, task = inside
        waits = blocking and (timeout is None or timeout < 0)
        scheduler.point(task, self.holding.acquire if waits else self.holding.attempt)
        if self.held:
            if not blocking or timeout == 0:
                scheduler.begins(task)
                return False
            if not waits:  # in other orders, such a wait may end in another way
                scheduler.record.exact = False
            return self._wait(scheduler, task, timeout)
        self._take(scheduler, task)
        return True

    @silent
    def release(self) -> None:
        inside = find_caller()
        if inside is None:
            if self._outside is not None and self._outside.locked():
                self._outside.release()
            self.held, self.owner = False, None
            return
        scheduler, task = inside
        if not self.held and not scheduler.aborting:
            raise RuntimeError("release unlocked lock")
        self.held, self.owner = False, None
        if not scheduler.aborting:
            scheduler.strategy.released_by(task, self)
            scheduler.point(task)

    def locked(self) -> bool:
        self._is_looked_at()
        return self.held or (self._outside is not None and bool(self._outside.locked()))

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _is_looked_at(self) -> None:
        if inside := find_caller():
            scheduler, task = inside
            scheduler.point(task, self.holding.look)
            scheduler.begins(task)

    # Used by Condition.

    def _is_owned(self) -> bool:
        return self.held

    def _take(self, scheduler: Scheduler, task: Task) -> None:
        self.held, self.owner = True, task
        scheduler.begins(task)

    def _wait(self, scheduler: Scheduler, task: Task, timeout: float = -1) -> bool:
        task.wants = self
        task.deadline = scheduler.time.in_future(timeout) if timeout is not None and timeout > 0 else None
        task.state = State.WANTS_LOCK
        try:
            while True:
                scheduler.block(task)
                if not self.held:
                    self._take(scheduler, task)
                    return True
                if scheduler.time.is_due(task):
                    return False
        finally:
            task.state, task.wants, task.deadline = State.READY, None, None

    def give_up(self, scheduler: Scheduler, task: Task) -> int:
        """Release the lock completely, for a wait; return how many times the thread had acquired it."""
        self.held, self.owner = False, None
        scheduler.strategy.released_by(task, self)
        return 1

    def take_back(self, scheduler: Scheduler, task: Task, count: int) -> None:  # noqa: ARG002
        """Acquire the lock ``count`` times after a wait; block while another thread holds it."""
        if self.held:
            self._wait(scheduler, task)
        else:
            self._take(scheduler, task)

    def _at_fork_reinit(self) -> None:
        self.forget()
        self.__init__()  # type: ignore[misc]


class RLock(Lock):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def real(self) -> Any:
        if self._outside is None:
            self._outside = _RealRLock()
        return self._outside

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        inside = find_caller()
        if inside is None:
            noticed_at_a_lock(self.home)
            return bool(self.real().acquire(blocking, timeout))
        if self.held and self.owner is inside[1]:
            self.count += 1
            return True
        if super().acquire(blocking, timeout):
            self.count = 1
            return True
        return False

    def release(self) -> None:
        inside = find_caller()
        if inside is None:
            self.real().release()
            return
        scheduler, task = inside
        if self.owner is not task:
            if scheduler.aborting:
                return
            raise RuntimeError("cannot release un-acquired lock")
        self.count -= 1
        if self.count == 0:
            super().release()

    def locked(self) -> bool:
        self._is_looked_at()
        return self.held

    def _is_owned(self) -> bool:
        inside = find_caller()
        if inside is None:
            return bool(self.real()._is_owned())
        return self.held and self.owner is inside[1]

    def give_up(self, scheduler: Scheduler, task: Task) -> int:
        count, self.count = self.count, 0
        super().give_up(scheduler, task)
        return count

    def take_back(self, scheduler: Scheduler, task: Task, count: int) -> None:
        super().take_back(scheduler, task, count)
        self.count = count


class Condition:
    """A replacement for ``threading.Condition``, controlled by the scheduler.

    ``notify`` wakes threads in the order of waiting, like CPython. ``wait`` releases the lock and
    blocks in one step, with no scheduling point in between.
    """

    def __new__(cls, lock: Any = None) -> Any:
        """Return a controlled condition; a real one if ``lock`` is a lock that cannot be controlled."""
        ours = lock is None or isinstance(lock, Lock | Condition)
        return super().__new__(cls) if ours else _RealCondition(lock)

    def __init__(self, lock: Any = None) -> None:
        if isinstance(lock, Condition):
            lock = lock._lock
        self._lock: Lock = RLock() if lock is None else lock
        self._waiting: list[Task] = []
        self._outside: Any = None
        self.acquire = self._lock.acquire
        self.release = self._lock.release

    def real(self) -> Any:
        if self._outside is None:
            self._outside = _RealCondition(self._lock.real())
        return self._outside

    def _at_fork_reinit(self) -> None:
        self._lock._at_fork_reinit()
        self._waiting.clear()

    def __enter__(self) -> bool:
        return self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    @silent
    def wait(self, timeout: float | None = None) -> bool:
        inside = find_caller()
        if inside is None:
            return bool(self.real().wait(timeout))
        scheduler, task = inside
        if scheduler.aborting:
            raise Abort
        if not self._lock._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        count = self._lock.give_up(scheduler, task)
        self._waiting.append(task)
        task.awake = False
        task.deadline = None if timeout is None else scheduler.time.time_out(task, timeout)
        task.state, task.wants = State.PARKED, self._lock
        try:
            while not task.awake:
                scheduler.block(task)
                if scheduler.time.is_due(task):
                    break
        finally:
            task.state, task.wants, task.deadline = State.READY, None, None
            if task in self._waiting:
                self._waiting.remove(task)
            if scheduler.aborting:
                # So that the candidate's own release does not raise while the thread unwinds.
                self._lock._take(scheduler, task)
                if isinstance(self._lock, RLock):
                    self._lock.count = count
            else:
                self._lock.take_back(scheduler, task, count)
        return task.awake

    def wait_for(self, predicate: Any, timeout: float | None = None) -> Any:
        inside = find_caller()
        if inside is None:
            return self.real().wait_for(predicate, timeout)
        scheduler = inside[0]
        end = None if timeout is None else scheduler.time.in_future(timeout)
        result = predicate()
        while not result:
            if end is not None and scheduler.time.now >= end:
                break
            self.wait(None if end is None else (end - scheduler.time.now) / 1_000_000_000)
            result = predicate()
        return result

    @silent
    def notify(self, n: int = 1) -> None:
        inside = find_caller()
        if inside is None:
            if self._outside is not None:
                self._outside.notify(n)
            return
        if inside[0].aborting:
            return
        if not self._lock._is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        for task in self._waiting[:n]:
            self._waiting.remove(task)
            task.awake = True
            task.wants, task.deadline = self._lock, None
            inside[0].lineup.wake(task, State.WANTS_LOCK)

    def notify_all(self) -> None:
        if find_caller() is None and self._outside is not None:
            self._outside.notify_all()
            return
        self.notify(len(self._waiting))

    notifyAll = notify_all  # noqa: N815 - the name in threading


are_locks(Lock, RLock, Condition)
