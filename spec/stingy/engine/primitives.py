"""Locks and conditions of threading: scheduled for controlled threads, real for all others.

So a lock that a library created while the candidate was imported still works after the session.

Each has every attribute of the real one on this Python, because libraries use undocumented ones:
multiprocessing asks an RLock how often its thread has acquired it.
"""

from __future__ import annotations

import _thread
import threading
from collections import deque
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NoReturn

from stingy.engine.carrier import allocate, get_ident
from stingy.engine.escapes import Home, home, noticed_at_a_lock
from stingy.engine.places import Holding
from stingy.engine.scheduler import Scheduler, find_caller
from stingy.engine.silence import silent
from stingy.engine.task import Abort, State, Task
from stingy.engine.touching import are_locks

_allocate_real = _thread.allocate_lock
_RealRLock = threading.RLock
_RealCondition = threading.Condition


class _Scheduled:
    """The common part of Lock and RLock: a lock that one thread at a time holds."""

    kind: ClassVar[type]
    """Class of the real lock."""

    def __init__(self) -> None:
        self.held = False
        self.owner: Task | None = None
        self._outside: Any = None
        inside = find_caller()
        self._name = inside[1].name_lock() if inside else id(self)
        self.home: Home = inside[0] if inside else home()
        if inside:
            inside[0].locks.append(self)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Return the class of the real lock, so that ``isinstance`` answers as it does for that."""
        return self.kind if type(self) in (Lock, RLock) else type(self)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the real lock that this class lacks, as on a later Python.

        Its effect cannot be followed, so the candidate is judged without control from now on.
        """
        if not hasattr(self.kind, name):
            raise AttributeError(
                f"{_name_of(self.kind)!r} object has no attribute {name!r}", name=name, obj=self
            )
        if inside := find_caller():
            inside[0].escapes(f"it uses {name} of a lock, which cannot be followed")
        return getattr(self.real(), name)

    def __repr__(self) -> str:
        return f"<{'locked' if self.held else 'unlocked'} {_name_of(self.kind)} object at {id(self):#x}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {_name_of(self.kind)!r} object")

    @cached_property
    def holding(self) -> Holding:
        return Holding.of(self, self._name)

    def forget(self) -> None:
        self.__dict__.pop("holding", None)

    def real(self) -> Any:
        """Return the real lock behind this one, for uncontrolled threads; it is created on first use."""
        if self._outside is None:
            self._outside = self._make_real()
        return self._outside

    def _make_real(self) -> Any:
        return allocate()

    @silent
    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        inside = find_caller()
        if inside is None:
            noticed_at_a_lock(self.home)
            return bool(self.real().acquire(blocking, timeout))
        _refuse(blocking, timeout)
        scheduler, task = inside
        waits = blocking and timeout < 0
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

    def is_held(self) -> bool:
        """Return True if a thread holds the lock; for a controlled thread, a scheduling point."""
        if inside := find_caller():
            scheduler, task = inside
            scheduler.point(task, self.holding.look)
            scheduler.begins(task)
        return self.held or (self._outside is not None and _is_locked(self._outside))

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def is_mine(self, task: Task) -> bool:  # noqa: ARG002
        """Return True if this thread may wait on a condition of the lock, as far as the lock knows."""
        return self.held

    def _take(self, scheduler: Scheduler, task: Task) -> None:
        self.held, self.owner = True, task
        scheduler.begins(task)

    def _wait(self, scheduler: Scheduler, task: Task, timeout: float = -1) -> bool:
        task.wants = self
        task.deadline = scheduler.time.in_future(timeout) if timeout > 0 else None
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


class Lock(_Scheduled):
    """A replacement for ``threading.Lock``."""

    kind = _thread.LockType

    def locked(self) -> bool:
        return self.is_held()

    acquire_lock, release_lock, locked_lock = _Scheduled.acquire, _Scheduled.release, locked


class RLock(_Scheduled):
    """A replacement for ``threading.RLock``, which the thread that holds it may acquire again."""

    kind = type(_RealRLock())

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def _make_real(self) -> Any:
        return _RealRLock()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        inside = find_caller()
        if inside is None:
            noticed_at_a_lock(self.home)
            return bool(self.real().acquire(blocking, timeout))
        if self.held and self.owner is inside[1]:
            _refuse(blocking, timeout)
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

    if hasattr(kind, "locked"):  # since Python 3.14

        def locked(self) -> bool:
            return self.is_held()

    def is_mine(self, task: Task) -> bool:
        return self.held and self.owner is task

    def _is_owned(self) -> bool:
        inside = find_caller()
        return bool(self.real()._is_owned()) if inside is None else self.is_mine(inside[1])

    def _recursion_count(self) -> int:
        inside = find_caller()
        if inside is None:
            return int(self.real()._recursion_count())
        return self.count if self.is_mine(inside[1]) else 0

    def _release_save(self) -> Any:
        """Release the lock completely; return how often the thread had acquired it, and its ident."""
        inside = find_caller()
        if inside is None:
            return self.real()._release_save()
        had, self.count = self.count, min(self.count, 1)
        self.release()
        return had, get_ident()

    def _acquire_restore(self, state: Any, /) -> None:
        """Acquire the lock as often as ``_release_save`` has released it."""
        if find_caller() is None:
            self.real()._acquire_restore(state)
            return
        self.acquire()
        self.count = state[0]

    def give_up(self, scheduler: Scheduler, task: Task) -> int:
        count, self.count = self.count, 0
        super().give_up(scheduler, task)
        return count

    def take_back(self, scheduler: Scheduler, task: Task, count: int) -> None:
        super().take_back(scheduler, task, count)
        self.count = count


class Condition(_RealCondition):
    """A replacement for ``threading.Condition``, controlled by the scheduler.

    ``notify`` wakes threads in the order of waiting, like CPython. ``wait`` releases the lock and
    blocks in one step, with no scheduling point in between.
    """

    _lock: _Scheduled
    _waiters: deque[Task]

    def __new__(cls, lock: Any = None) -> Any:
        """Return a controlled condition; a real one if ``lock`` is a lock that cannot be controlled."""
        ours = lock is None or issubclass(type(lock), _Scheduled | Condition)
        return super().__new__(cls) if ours else _RealCondition(lock)

    def __init__(self, lock: Any = None) -> None:
        if isinstance(lock, Condition):
            lock = lock._lock
        own: Any = RLock() if lock is None else lock
        super().__init__(own)
        self._outside: Any = None

    def real(self) -> Any:
        if self._outside is None:
            self._outside = _RealCondition(self._lock.real())
        return self._outside

    def _at_fork_reinit(self) -> None:
        self._lock._at_fork_reinit()
        self._waiters.clear()

    def __enter__(self) -> bool:
        return self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @silent
    def wait(self, timeout: float | None = None) -> bool:
        inside = find_caller()
        if inside is None:
            return bool(self.real().wait(timeout))
        scheduler, task = inside
        if scheduler.aborting:
            raise Abort
        if not self._lock.is_mine(task):
            raise RuntimeError("cannot wait on un-acquired lock")
        count = self._lock.give_up(scheduler, task)
        self._waiters.append(task)
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
            if task in self._waiters:
                self._waiters.remove(task)
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
        scheduler, caller = inside
        if scheduler.aborting:
            return
        if not self._lock.is_mine(caller):
            raise RuntimeError("cannot notify on un-acquired lock")
        for task in list(islice(self._waiters, max(n, 0))):
            self._waiters.remove(task)
            task.awake = True
            task.wants, task.deadline = self._lock, None
            scheduler.lineup.wake(task, State.WANTS_LOCK)

    def notify_all(self) -> None:
        if find_caller() is None and self._outside is not None:
            self._outside.notify_all()
            return
        self.notify(len(self._waiters))

    notifyAll = notify_all  # noqa: N815 - the name in threading


def _refuse(blocking: bool, timeout: float) -> None:
    """Raise what the real lock raises on this Python if these arguments do not fit together."""
    if timeout != -1:
        _allocate_real().acquire(blocking, timeout)


def _is_locked(real: Any) -> bool:
    return bool(real.locked()) if hasattr(real, "locked") else False


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


are_locks(Lock, RLock, Condition)
