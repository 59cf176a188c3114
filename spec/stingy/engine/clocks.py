"""Clocks as the candidate reads them: virtual time on controlled threads, real time elsewhere."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from datetime import date as _date
from datetime import datetime as _datetime
from operator import index
from typing import Any, Self

from stingy.contract import SECOND, Nanoseconds
from stingy.engine.cpython import SLEEPS_FOR_FLOATS
from stingy.engine.escapes import noticed_at_a_clock
from stingy.engine.scheduler import find_caller
from stingy.engine.task import Abort, State
from stingy.engine.touching import are_clocks, is_harmless
from stingy.engine.virtualtime import VirtualTime

Clock = Callable[[VirtualTime], Nanoseconds]
_monotonic, _wall = VirtualTime.monotonic_ns, VirtualTime.wall_ns


def _look(clock: Clock = _wall) -> Nanoseconds | None:
    """Return the clock's virtual reading in nanoseconds; None if the calling thread is not controlled.

    An uncontrolled thread that runs the candidate's code is reported as an escape.
    """
    inside = find_caller()
    if inside is None:
        noticed_at_a_clock()
        return None
    scheduler, task = inside
    scheduler.loops.note_clock(task)
    return clock(scheduler.time)


_sleep = time.sleep
_NUMBERS = ("__index__", "__float__") if SLEEPS_FOR_FLOATS else ("__index__",)
"""Methods of what ``time.sleep`` takes for a number, besides numbers of Python's own."""


def sleep(seconds: float, /) -> None:
    inside = find_caller()
    if inside is None:
        noticed_at_a_clock()
        return _sleep(seconds)
    if not isinstance(seconds, int | float):
        if not any(hasattr(type(seconds), name) for name in _NUMBERS):
            return _sleep(seconds)  # raises what Python raises for no number
        seconds = index(seconds) if hasattr(type(seconds), "__index__") else float(seconds)
    if not seconds >= 0:
        return _sleep(seconds)  # raises what Python raises for a negative number or NaN
    scheduler, task = inside
    if scheduler.aborting:
        raise Abort
    # sleep(0) lets all other threads go first. It takes 1 ms of virtual time: in a loop of nothing
    # but sleep(0), time would otherwise stand still.
    task.deadline = scheduler.time.in_future(seconds if seconds > 0 else 0.001)
    task.state = State.PARKED
    try:
        while not scheduler.time.is_due(task):
            scheduler.block(task)
    finally:
        task.state, task.deadline = State.READY, None
    return None


def _reading(name: str, clock: Clock, unit: int) -> Callable[[], float]:
    """Return a replacement for a clock function of ``time``, such as ``monotonic``: in virtual time.

    ``unit`` is the number of nanoseconds in the unit of its result.
    """
    real = getattr(time, name)

    def read() -> float:
        now = _look(clock)
        if now is None:
            return real()  # type: ignore[no-any-return]
        return now if unit == 1 else now / unit

    read.__name__ = name
    return read


_OF_PROCESSORS = {
    getattr(time, f"CLOCK_{name}", None) for name in ("PROCESS_CPUTIME_ID", "THREAD_CPUTIME_ID", "PROF")
}
_OF_WALLS = {getattr(time, f"CLOCK_{name}", None) for name in ("REALTIME", "TAI")}


def _getting(name: str, unit: int) -> Callable[[int], float]:
    """Return a replacement for ``clock_gettime`` or ``clock_gettime_ns`` that is in virtual time.

    Clocks that measure processor time stay real. ``unit`` is the number of nanoseconds in the unit
    of its result.
    """
    real = getattr(time, name)

    def get(clk_id: int, /) -> float:
        now = None
        if clk_id not in _OF_PROCESSORS:
            now = _look(_wall if clk_id in _OF_WALLS else _monotonic)
        if now is None:
            return real(clk_id)  # type: ignore[no-any-return]
        return now if unit == 1 else now / unit

    get.__name__ = name
    return get


def _converting(name: str) -> Callable[..., Any]:
    """Return a replacement for this function of ``time``, such as ``localtime``: in virtual time.

    Without an argument, it converts the present virtual time.
    """
    real = getattr(time, name)

    def convert(seconds: float | None = None, /) -> Any:
        if seconds is None and (now := _look()) is not None:
            seconds = now / SECOND
        return real(seconds)

    convert.__name__ = name
    return convert


_strftime, _asctime = time.strftime, time.asctime


def strftime(form: str, moment: Any = None, /) -> str:
    return _strftime(form, time.localtime() if moment is None else moment)


def asctime(moment: Any = None, /) -> str:
    return _asctime(time.localtime() if moment is None else moment)


OF_TIME: dict[str, Callable[..., Any]] = {
    "sleep": sleep,
    "time": _reading("time", _wall, SECOND),
    "time_ns": _reading("time_ns", _wall, 1),
    "monotonic": _reading("monotonic", _monotonic, SECOND),
    "monotonic_ns": _reading("monotonic_ns", _monotonic, 1),
    "perf_counter": _reading("perf_counter", _monotonic, SECOND),
    "perf_counter_ns": _reading("perf_counter_ns", _monotonic, 1),
    **{
        name: _getting(name, unit)
        for name, unit in (("clock_gettime", SECOND), ("clock_gettime_ns", 1))
        if hasattr(time, name)
    },
    **{name: _converting(name) for name in ("localtime", "gmtime", "ctime")},
    "strftime": strftime,
    "asctime": asctime,
}
"""Replacements for functions of the ``time`` module, by the function's name.

A replacement uses virtual time on a controlled thread, and real time on any other thread.
"""

are_clocks(*(function for name, function in OF_TIME.items() if name != "sleep"))


class _Like(type):
    """Metaclass of a replacement class, which makes it pass for the real class.

    Type checks, ``==`` and hashes give the same results as with the real class, and calling the
    replacement creates an instance of the real class.
    """

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls._real) if cls._real else type.__instancecheck__(cls, thing)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, cls._real) if cls._real else type.__subclasscheck__(cls, kind)

    def __eq__(cls, other: object) -> bool:
        return cls is other or (cls._real is not None and cls._real is other)

    def __hash__(cls) -> int:
        return type.__hash__(cls._real or cls)

    @property
    def _real(cls) -> type | None:
        """The real class that this one stands for; None for a class that the candidate derived."""
        return cls.__bases__[0] if cls.__module__ == __name__ else None


class Date(_date, metaclass=_Like):
    """A replacement for ``datetime.date`` whose ``today`` is in virtual time."""

    def __new__(cls, *args: Any, **named: Any) -> Self:
        return _date.__new__(cls._real or cls, *args, **named)

    @classmethod
    def today(cls) -> Self:
        return cls.fromtimestamp(time.time())


class Datetime(_datetime, metaclass=_Like):
    """A replacement for ``datetime.datetime`` whose ``now`` and ``today`` are in virtual time."""

    def __new__(cls, *args: Any, **named: Any) -> Self:
        return _datetime.__new__(cls._real or cls, *args, **named)

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Self:
        now = _look()
        if now is None:
            return super().now(tz)
        # A float of seconds since 1970 cannot represent every microsecond.
        moment = cls.fromtimestamp(now // SECOND, tz)
        return moment.replace(microsecond=now % SECOND // 1_000)

    @classmethod
    def utcnow(cls) -> Self:
        return cls.now(dt.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls) -> Self:
        return cls.now()


is_harmless(Date, Datetime)


def _remake(kind: str, state: tuple[Any, ...]) -> Any:
    """Unpickle a date that was pickled while a replacement stood in place of its class."""
    return getattr(dt, kind)(*state)


def _reduce(thing: Any) -> Any:
    return _remake, (type(thing).__name__, thing.__reduce__()[1])


OF_PICKLES: dict[type, Callable[[Any], Any]] = {_date: _reduce, _datetime: _reduce}
"""Entries for ``copyreg.dispatch_table`` while ``date`` and ``datetime`` name the stand-ins."""
