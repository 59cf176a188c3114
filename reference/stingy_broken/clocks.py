"""Proxies that start at another time than the right one, or go by another clock."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import Proxy


class _OnAnotherClock(Proxy):
    """Reads a clock of its own making."""

    def __init__(self, clock, ip_family="IPv4"):
        self._wall = clock
        self._since = clock.time_ns() - clock.monotonic_ns()
        super().__init__(SimpleNamespace(time_ns=self._time_ns), ip_family)

    @property
    def _steady(self):
        return self._since + self._wall.monotonic_ns()

    def _time_ns(self):
        raise NotImplementedError


@breaks("journey/where-the-clock-is-set-the-laws-foretell-every-latency")
class IgnoresTheSecondStep(_OnAnotherClock):
    """Takes the wall clock for broken once it has been set twice, and goes on by another."""

    _last = None
    _steps = 0

    def _time_ns(self):
        step = self._wall.time_ns() - self._steady
        if self._last is not None and step != self._last:
            self._steps += 1
        self._last = step
        return self._steady if self._steps > 1 else self._wall.time_ns()

    def update(self, slice_):
        self._time_ns()
        return super().update(slice_)


@breaks("clocks/a-step-while-rules-are-programmed-is-measured")
class MeasuresTheProgrammingOnASteadyClock(_OnAnotherClock):
    """Takes how long the rules took from a clock that nobody sets."""

    _frozen = None

    def _time_ns(self):
        if self._frozen is None:
            return self._wall.time_ns()
        return self._frozen + self._wall.monotonic_ns()

    def sync(self, program):
        self._frozen = self._wall.time_ns() - self._wall.monotonic_ns()
        try:
            return super().sync(program)
        finally:
            self._frozen = None


@breaks("latency/what-arrives-late-is-measured-from-its-change")
class StartsAnewAtEachSync(Proxy):
    """Takes the last sync for its start."""

    def sync(self, program):
        observed = super().sync(program)
        self._tracker._started = self._clock.time_ns()
        return observed


@breaks("clocks/whole-seconds-are-taken-as-they-come")
class WritesItsStartDown(Proxy):
    """Writes its start down, and finds it there when it is started anew on the same machine."""

    _written: ClassVar = {}

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        machine = clock.time_ns() - clock.monotonic_ns()
        self._tracker._started = self._written.setdefault(machine, self._tracker._started)


define(globals())
