"""A candidate in this process whose threads run one at a time, in virtual time: nothing is left to chance."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from stingy.contract import Nanoseconds
from stingy.engine.patches import MONOTONIC_ORIGIN, Binding, WallClock, patched, running
from stingy.engine.scheduler import POOL, LostControl, Scheduler, Strategy, Task
from stingy.engine.strategies import Fair
from stingy.engine.tracing import Tracer
from stingy.language.call import Call
from stingy.language.session import CANNOT_CANCEL, PATIENCE, CandidateError, NotOffered, Op, Uncontrolled
from stingy.transport.calling import Answered, operation
from stingy.transport.programs import Stamps, run_program


class VirtualClock:
    """The clock that a candidate is handed: the same virtual time that ``time`` shows it."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def time_ns(self) -> Nanoseconds:
        return WallClock.origin + self._scheduler.now

    def monotonic_ns(self) -> Nanoseconds:
        return MONOTONIC_ORIGIN + self._scheduler.now


class ControlledThreads:
    timed = False

    def __init__(self, make: Callable[[Any], Any], bindings: Sequence[Binding]) -> None:
        self._scheduler = Scheduler(Fair())
        self._lanes: dict[str, Task] = {}
        self._open = ExitStack()
        self._open.callback(self._scheduler.close)
        self._open.enter_context(running(self._scheduler))
        self._open.enter_context(patched(bindings))
        self._open.callback(self._scheduler.close)
        self._candidate: Any = None
        try:
            self._construct(make)
        except BaseException:
            self.close()
            raise

    def call(self, lane: str, op: str, *args: Any) -> Answered:
        answer = Answered()
        call = operation(self._candidate, op, args, self._elapse)
        self._run_on(lane, lambda: answer.make(call))
        return answer

    def cancel(self, call: object, turns: int = 0) -> None:  # noqa: ARG002
        raise NotOffered(CANNOT_CANCEL)

    def settle(self, awaiting: Any = None, patience: Nanoseconds = 0) -> None:
        try:
            self._scheduler.settle(patience, lambda: awaiting is not None and awaiting.returned)
        except LostControl as lost:
            raise Uncontrolled(str(lost)) from None

    def advance(self, span: Nanoseconds) -> None:
        try:
            self._scheduler.advance(span)
        except LostControl as lost:
            raise Uncontrolled(str(lost)) from None

    def now_ns(self) -> Nanoseconds:
        return WallClock.origin + self._scheduler.now

    def race(self, programs: Mapping[str, Sequence[Op]], order: Strategy | None) -> Sequence[Call]:
        stamps = Stamps()
        self._scheduler.follow(order or Fair())
        if order is not None and len(programs) > 1:
            self._scheduler.tracer = Tracer(_files_of(self._candidate))
        for lane, program in programs.items():
            self._run_on(lane, run_program(self._candidate, lane, program, stamps))
        self.settle(patience=PATIENCE)
        self._scheduler.tracer = None
        self._scheduler.follow(Fair())
        return stamps.calls()

    def close(self) -> None:
        self._open.close()

    @staticmethod
    def dismiss_spare_threads() -> None:
        POOL.dismiss()

    def _construct(self, make: Callable[[Any], Any]) -> None:
        raised: list[BaseException] = []

        def construct() -> None:
            try:
                self._candidate = make(VirtualClock(self._scheduler))
            except Exception as error:  # noqa: BLE001
                raised.append(error)
            except (SystemExit, KeyboardInterrupt) as error:
                raised.append(error)

        self._run_on("producer", construct)
        self.settle()
        if raised:
            error = raised[0]
            if isinstance(error, NotOffered | CandidateError):
                raise error
            raise CandidateError(f"it cannot be made: {type(error).__name__}: {error}") from error
        if self._candidate is None:
            raise CandidateError("it cannot be made: its constructor does not return")

    def _run_on(self, lane: str, job: Callable[[], None]) -> None:
        task = self._lanes.get(lane)
        if task is not None and task.busy:
            raise RuntimeError(f"{lane} has a call under way")
        self._lanes[lane] = self._scheduler.start(lane, job, task)

    def _elapse(self, span: Nanoseconds) -> None:
        """Time that passes inside a call of the candidate."""
        self._scheduler.now += span


def _files_of(candidate: Any) -> frozenset[str]:
    """The files that its class and those it is made of are written in; not those of the standard library."""
    modules = (sys.modules.get(base.__module__) for base in type(candidate).__mro__)
    return frozenset(
        file
        for module in modules
        if module is not None and module.__name__.partition(".")[0] not in sys.stdlib_module_names
        if (file := getattr(module, "__file__", None))
    )
