"""A candidate in this process: under control where that is possible, and as it is where it is not."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from stingy.contract import SECOND, Nanoseconds, Profile
from stingy.engine.exploration import explore, few_orders, replay
from stingy.engine.patches import Binding, WallClock, bound_before, patched
from stingy.engine.shrinking import Program
from stingy.language.order import Attempt, Explored, Explorer
from stingy.language.session import CandidateError, NotOffered, Session
from stingy.transport import GRACE, enough, in_turn
from stingy.transport.realthreads import RealThreads
from stingy.transport.target import Target, construct, lacking, missing
from stingy.transport.threads import ControlledThreads, Habits
from stingy.transport.witness import Witness

ORDERS_TIMED = 4
"""How often a race is run with real threads, whose order cannot be chosen, and where each may cost real waiting."""


class InProcess:
    def __init__(self, target: str, seed: int = 0) -> None:
        self.target = target
        WallClock.origin = _some_instant(seed)
        with patched():
            self._target = Target(target)
        self.name = self._target.name
        self.controlled = True
        self.grace = GRACE
        self.share: float | None = None
        self.shrinks = True
        """Whether a failing order of a race is made as short as can be."""
        self._witnessing = False
        self._habits = Habits()
        self._refused: dict[str, str] = {}
        self._modules = 0
        self._bindings: list[Binding] = []

    @property
    def version(self) -> str:
        return self._target.version

    def open(self, profile: Profile) -> Session:
        if self._witnessing:
            return ControlledThreads(lambda clock: Witness(), (), Habits())  # noqa: ARG005
        if profile.name in self._refused:
            raise NotOffered(self._refused[profile.name])
        maker = self._target.maker(profile)
        if maker is None:
            raise NotOffered(self._refuse(profile, self._what_is_missing(profile)))

        def make(clock: Any) -> Any:
            made = construct(maker, clock=clock, name="", ip_family="IPv4")
            if lacks := missing(made, profile):
                raise NotOffered(self._refuse(profile, lacking("it", lacks)))
            if inspect.iscoroutinefunction(getattr(made, "get", None)):
                raise CandidateError("get is a coroutine function: asyncio candidates cannot be judged yet")
            return made

        if self.controlled:
            return ControlledThreads(make, self._bound_before(), self._habits)
        return RealThreads(make, self.grace)

    def explorer(self, seed: int, order: str = "") -> Explorer:
        if not self.controlled:
            return in_turn(0, ORDERS_TIMED, self.share)
        if order:
            return lambda attempt, runs: replay(attempt, order)  # noqa: ARG005

        def explorer(attempt: Attempt, runs: int) -> Explored:
            def keeps(without: Program) -> bool:
                with self._witness():
                    return all(attempt(order) is None for order in few_orders(without))

            return explore(attempt, str(seed), enough(runs, self.share), keeps if self.shrinks else None)

        return explorer

    @contextmanager
    def _witness(self) -> Iterator[None]:
        """Open witnesses in the candidate's place."""
        self._witnessing = True
        try:
            yield
        finally:
            self._witnessing = False

    def release_control(self) -> bool:
        if self.controlled and not self._habits.spins:
            self._habits.spins = True  # perhaps it only waits in a loop: that can be followed, at a price
            return True
        had, self.controlled = self.controlled, False
        return had

    def close(self) -> None:
        ControlledThreads.dismiss_spare_threads()

    def _bound_before(self) -> list[Binding]:
        if len(sys.modules) != self._modules:
            self._modules, self._bindings = len(sys.modules), bound_before()
        return self._bindings

    def _refuse(self, profile: Profile, why: str) -> str:
        self._refused[profile.name] = why
        return why

    def _what_is_missing(self, profile: Profile) -> str:
        thing = self._target.thing
        if isinstance(thing, type):
            return lacking("it", missing(thing, profile))
        found = getattr(thing, profile.maker, None) or getattr(thing, profile.protocol, None)
        if isinstance(found, type):
            return lacking(found.__name__, missing(found, profile))
        return f"the module has neither {profile.maker} nor {profile.protocol}"


def _some_instant(seed: int) -> Nanoseconds:
    """A moment in 2023 or 2024: another one for each seed, so that no candidate can know it."""
    return 1_672_531_200 * SECOND + Random(seed).randrange(2 * 365 * 86_400 * SECOND)  # noqa: S311
