"""Proxies that start at another time than the right one, or go by another clock."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

from stingy_broken import breaks
from stingy_reference import Proxy


@breaks("clocks/a-restart-measures-nothing-again")
class MeasuresTheDowntime(Proxy):
    """No filter: each restart observes every slice there is (before Kubernetes 1.22)."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started = 0


@breaks("clocks/a-start-on-the-second-loses-that-second")
class KeepsTheInstantOfItsStart(Proxy):
    """Off by one: keeps a trigger time at the very instant of its start."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started -= 1


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


@breaks("clocks/set-right-after-the-start-a-clock-lets-everything-in")
class NeverLooksAtTheClockAgain(_OnAnotherClock):
    """Reads the wall clock at its start, and goes on from there by a clock that nobody sets."""

    def _time_ns(self):
        return self._steady


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


@breaks("journey/at-another-time-the-latencies-are-the-same")
class LooksOnlyAtSecondsAfterAWeek(_OnAnotherClock):
    """Its clock has only whole seconds when the machine has been up for a week."""

    def _time_ns(self):
        now = self._wall.time_ns()
        up_for_a_week = self._wall.monotonic_ns() > 7 * 86_400 * 1_000_000_000
        return now - now % 1_000_000_000 if up_for_a_week else now


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


@breaks("clocks/the-blind-while-outlasts-the-clock-that-made-it")
class ItsStartFollowsTheClock(Proxy):
    """Moves its start when its clock is set."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._shift = clock.time_ns() - clock.monotonic_ns()

    def update(self, slice_):
        shift = self._clock.time_ns() - self._clock.monotonic_ns()
        self._tracker._started += shift - self._shift
        self._shift = shift
        return super().update(slice_)


@breaks("clocks/a-restart-measures-nothing-again")
class LetsInWhatComesAtOnce(Proxy):
    """Its filter works only once the first sync is over."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._since, self._tracker._started = self._tracker._started, 0

    def sync(self, program):
        self._tracker._started = self._since
        return super().sync(program)


@breaks("latency/what-arrives-late-is-measured-from-its-change")
class StartsAnewAtEachSync(Proxy):
    """Takes the last sync for its start."""

    def sync(self, program):
        observed = super().sync(program)
        self._tracker._started = self._clock.time_ns()
        return observed


@breaks("clocks/a-clock-not-yet-set-right-ruins-the-sum")
class StartsWithItsLists(Proxy):
    """Takes the moment at which it knows everything for its start."""

    def slices_synced(self):
        super().slices_synced()
        self._tracker._started = self._clock.time_ns()
        self._tracker._trigger_times.clear()


@breaks("skew/a-stamp-equal-to-the-start-is-left-out")
class StartsOnTheSecond(Proxy):
    """Notes its start in whole seconds."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._tracker._started -= self._tracker._started % 1_000_000_000


@breaks("clocks/whole-seconds-are-taken-as-they-come")
class WritesItsStartDown(Proxy):
    """Writes its start down, and finds it there when it is started anew on the same machine."""

    _written: ClassVar = {}

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        machine = clock.time_ns() - clock.monotonic_ns()
        self._tracker._started = self._written.setdefault(machine, self._tracker._started)
