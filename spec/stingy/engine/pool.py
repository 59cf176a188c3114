"""Real threads that run a candidate's jobs: reuse of spare ones, removal of stuck ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import Context

from stingy.engine import scarcity
from stingy.engine.carrier import (
    Gate,
    Locals,
    Processor,
    allocate,
    get_ident,
    get_native_id,
    raise_in,
    spawn,
)
from stingy.engine.task import Abort, Task


class Pool:
    """Keeps spare threads, so that a session need not start new ones."""

    def __init__(self) -> None:
        self._spare: list[Task] = []
        self._processor: Processor | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Until the block ends, run the caller and the pool's threads on one processor.

        Only one of them runs at a time, and switching is faster on one processor.
        """
        if self._processor is None:
            self._processor = Processor.claim()
        with self._processor.kept() if self._processor else nullcontext():
            yield

    def take(self) -> Task:
        if self._spare:
            return self._spare.pop()
        task = Task()
        started = allocate()
        started.acquire()
        try:
            spawn(_work, (task, started))
        except RuntimeError:
            scarcity.no_thread()
            raise
        started.acquire()
        return task

    def give_back(self, task: Task) -> None:
        task.bury()
        # ``threading`` has made a dummy Thread for a job without one, if the job asked for it.
        threading._active.pop(task.ident, None)  # type: ignore[attr-defined]
        task.job = task.host = task.wants = task.joins = task.deadline = task.access = task.begin = None
        task.awake, task.impatient, task.locks = False, None, 0
        task.context, task.is_new, task.left = Context(), True, None
        self._spare.append(task)

    def forget(self) -> None:
        """Forget the spare threads without ending them: in a forked process, they do not exist."""
        self._spare.clear()
        self._leave_processor()

    def dismiss(self) -> None:
        """End the pool's spare threads."""
        for task in self._spare:
            task.dismiss()
        self._spare.clear()
        self._leave_processor()

    def _leave_processor(self) -> None:
        if self._processor is not None:
            self._processor.leave()
        self._processor = None


POOL = Pool()

_abandoned: set[int] = set()
"""Idents of threads that got out of control. Each ends when it next calls the engine."""


def abandon(ident: int) -> None:
    """Give up a thread that the scheduler has lost control of.

    The thread ends when it next calls the engine, or at its next bytecode.
    """
    _abandoned.add(ident)
    evict(ident)


def give_up(thread: threading.Thread) -> None:
    """Make an uncontrolled thread end, without Python's message about the exception that ends it."""
    thread.__dict__["_invoke_excepthook"] = lambda _: None
    if thread.ident:
        abandon(thread.ident)


def must_end() -> bool:
    """Return True if the calling thread has been given up, so that it must end."""
    return bool(_abandoned) and get_ident() in _abandoned


def has_forked() -> None:
    """Forget all threads in a forked process, where those of the parent do not exist."""
    POOL.forget()
    _abandoned.clear()


def evict(ident: int) -> None:
    """Raise Abort in a thread, at its next bytecode.

    A thread that is blocked in C has to return from there first.
    """
    raise_in(ident, Abort)


def _work(task: Task, started: Gate) -> None:
    # A thread with the same ident may have been given up: the system reuses idents.
    _abandoned.discard(get_ident())
    try:
        _wait_for_jobs(task, started)
    except Abort:
        pass  # raised after its job had ended
    finally:
        _abandoned.discard(get_ident())
        # The dummy Thread that ``threading`` may have made for this thread.
        threading._active.pop(get_ident(), None)  # type: ignore[attr-defined]


def _wait_for_jobs(task: Task, started: Gate) -> None:
    task.ident, task.native_id, task.locals = get_ident(), get_native_id(), Locals()
    started.release()
    while True:
        task.gate.acquire()
        if task.dismissed:
            return
        host = task.host
        job, task.job = task.job, None
        try:
            if job is not None and host is not None and not host.aborting:
                if task.is_new:
                    task.left, task.is_new = task.locals.take(), False
                task.be_traced(host.tracer)
                task.context.run(job)
        except BaseException:  # noqa: BLE001, S110 - an Abort; jobs record their own errors
            pass
        del job  # or what it has worked on would stay alive until the next job
        task.be_traced(None)
        if task.ident in _abandoned:
            return
        if host is not None:
            host.leave(task)
