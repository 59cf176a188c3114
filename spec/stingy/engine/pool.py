"""Real threads for the jobs of a candidate: spare ones, so that a session costs none, and those that got out of control."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import Context

from stingy.engine import scarcity
from stingy.engine.carrier import (
    LOCALS_STAY,
    Gate,
    Processor,
    allocate,
    get_ident,
    get_native_id,
    own_locals,
    raise_in,
    spawn,
    take_locals,
)
from stingy.engine.task import Abort, Task


class Pool:
    """Spare threads, so that a session costs none."""

    def __init__(self) -> None:
        self._spare: list[Task] = []
        self._processor: Processor | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run the calling thread, and those of the pool, on one processor: only one of them runs at a time."""
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
        threading._active.pop(task.ident, None)  # type: ignore[attr-defined]  # the stand-in of one that had no Thread
        task.job = task.host = task.wants = task.joins = task.deadline = task.access = task.begin = None
        task.awake, task.impatient, task.locks = False, None, 0
        task.context, task.is_new, task.left = Context(), True, None
        if LOCALS_STAY:
            task.dismiss()
        else:
            self._spare.append(task)

    def forget(self) -> None:
        """Let go of the spare threads without a word: they are not here."""
        self._spare.clear()
        self._leave_processor()

    def dismiss(self) -> None:
        """End the spare threads."""
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
"""Threads that got out of control: they end where they next meet something of ours."""


def abandon(ident: int) -> None:
    """Give a thread up that does not come out: it is to end where it next meets something of ours, or at its next bytecode."""
    _abandoned.add(ident)
    evict(ident)


def give_up(thread: threading.Thread) -> None:
    """The same for a Thread that is not under control; nobody is told that it has not come to a good end."""
    thread.__dict__["_invoke_excepthook"] = lambda _: None
    if thread.ident:
        abandon(thread.ident)


def must_end() -> bool:
    """Whether the thread that calls has been given up."""
    return bool(_abandoned) and get_ident() in _abandoned


def has_forked() -> None:
    """In a process that was forked: what is known of the threads of the one it came from is true of none here."""
    POOL.forget()
    _abandoned.clear()


def evict(ident: int) -> None:
    """Let a thread end at its next bytecode, which one that is blocked in C has to come to by itself."""
    raise_in(ident, Abort)


def _work(task: Task, started: Gate) -> None:
    # If it was given up, that was another thread: the system gives the ident of one that has ended to a new one.
    _abandoned.discard(get_ident())
    try:
        _wait_for_jobs(task, started)
    except Abort:
        pass  # it came too late
    finally:
        _abandoned.discard(get_ident())
        threading._active.pop(get_ident(), None)  # type: ignore[attr-defined]  # its stand-in goes with it


def _wait_for_jobs(task: Task, started: Gate) -> None:
    task.ident, task.native_id, task.kept = get_ident(), get_native_id(), own_locals()
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
                    task.left, task.is_new = take_locals(task.kept), False
                task.be_traced(host.tracer)
                task.context.run(job)
        except BaseException:  # noqa: BLE001, S110 - the job keeps what matters; this is an Abort
            pass
        del job  # with it goes what it has worked on, which the thread would keep until it has another
        task.be_traced(None)
        if task.ident in _abandoned:
            return
        if host is not None:
            host.leave(task)
