"""A candidate in this process: under control where that is possible, and as it is where it is not."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from types import ModuleType
from typing import Any

from stingy.contract import PROFILES, SECOND, Nanoseconds, Profile
from stingy.engine.exploration import Threads, explore, few_orders, replay
from stingy.engine.patches import Binding, WallClock, bound_before, patched
from stingy.engine.shrinking import Program
from stingy.engine.tracing import files_of
from stingy.language.order import Attempt, Explored, Explorer
from stingy.language.session import (
    CANNOT_CANCEL,
    NO_OPTIONS,
    CandidateError,
    NotOffered,
    Options,
    Session,
)
from stingy.ops import OPS
from stingy.transport import GRACE, coroutines, enough, in_turn
from stingy.transport.calling import Made
from stingy.transport.coroutines import Coroutines, Dawdlings
from stingy.transport.realthreads import RealThreads, stop_lingering
from stingy.transport.surroundings import AwaitedReconciler, Ending, Reconciler, Surroundings
from stingy.transport.target import Target, construct, lacking, missing, name_of, names, not_taken, takes
from stingy.transport.threads import ControlledThreads, Habits
from stingy.transport.witness import Witness

ORDERS_TIMED = 4
"""How often a race is run with real threads, whose order cannot be chosen, and where each may cost real waiting."""


BEGINNINGS = tuple(op.name for op in OPS.values() if op.begins)
"""The calls that a worker begins with: they tell whether it is for asyncio."""

QUEUES = tuple(PROFILES[name] for name in ("queue", "delay", "limit", "priority"))
"""What rate limiters are for: those of a module are for asyncio if its queues are."""

LATER = frozenset(op.name for op in OPS.values() if op.later)
"""After these a candidate may wait for time to pass."""


class _Awaits(CandidateError):  # noqa: N818 - it is no error
    """What was made turned out to be for asyncio."""

    def __init__(self) -> None:
        super().__init__("what was made is for asyncio")


class InProcess:
    def __init__(self, target: str | object, seed: int = 0) -> None:
        """A candidate by its name, or the class, function or module itself."""
        self.target = target if isinstance(target, str) else name_of(target)
        WallClock.origin = _some_instant(seed)
        with patched():
            self._target = Target.named(target) if isinstance(target, str) else Target.of(target)
        self.name = self._target.name
        self.kubernetes = self._target.kubernetes
        self.controlled = True
        self.grace = GRACE
        self.share: float | None = None
        self.shrinks = True
        """Whether a failing order of a race is made as short as can be."""
        self._witnessing = False
        self._habits = Habits()
        self._refused: dict[Profile, str] = {}
        self._awaited: dict[Any, bool] = {}
        """Of each maker that has made a candidate, whether that is for asyncio."""
        self._modules = 0
        self._bindings: list[Binding] = []

    @property
    def version(self) -> str:
        return self._target.version

    @property
    def files(self) -> frozenset[str]:
        """Those that the code of its candidates stands in."""
        makers = [self._target.maker(profile) for profile in PROFILES.values()]
        return frozenset().union(*(files_of(maker) for maker in makers if isinstance(maker, type)))

    def open(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        stop_lingering()
        if self._witnessing:
            return ControlledThreads(lambda clock: Made(Witness()), (), Habits())  # noqa: ARG005
        if profile in self._refused:
            raise NotOffered(self._refused[profile])
        maker = self._target.maker(profile)
        if maker is None:
            raise NotOffered(self._refuse(profile, self._what_is_missing(profile)))
        if lacks := not_taken(maker, profile):
            raise NotOffered(self._refuse(profile, f"it cannot be made with {' and '.join(lacks)}"))

        awaited = self._awaited.get(maker, _awaits(maker, profile)) or self._is_for_awaited_queues(profile)

        def make(clock: Any) -> Made:
            surroundings = Surroundings(
                options, self._reconciler(maker, awaited=awaited) if "finish" in profile.tells else None
            )
            offered = {"clock": clock, "name": "", "ip_family": "IPv4"} | surroundings.arguments
            try:
                made = construct(maker, profile, **offered)
            except RuntimeError as error:
                if "event loop" in str(error) and not awaited:
                    raise _Awaits from error
                raise
            if lacks := missing(made, profile):
                raise NotOffered(self._refuse(profile, lacking("it", lacks)))
            if _awaits(made, profile) and not awaited:
                raise _Awaits
            if awaited and _begins(profile) and not _awaits(made, profile):
                raise CandidateError(
                    "it needs an event loop to be made, and its get is no coroutine function"
                )
            if profile.cancels and not awaited:
                raise NotOffered(self._refuse(profile, CANNOT_CANCEL))
            self._awaited[maker] = awaited
            return surroundings.around(made)

        if awaited:
            return Coroutines(make, self._bound_before())
        try:
            if self.controlled:
                return ControlledThreads(make, self._bound_before(), self._habits)
            return RealThreads(make, self.grace, waits=bool(profile.ops & LATER))
        except _Awaits:
            self._awaited[maker] = True
            return self.open(profile, options)

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:
        def explorer(attempt: Attempt, runs: int) -> Explored:
            awaited = self._is_awaited(profile)
            if not (self.controlled or awaited):
                return in_turn(0, ORDERS_TIMED, self.share)(attempt, runs)

            def keeps(without: Program) -> bool:
                with self._witness():
                    return all(attempt(order) is None for order in few_orders(without))

            if order:
                return replay(attempt, Dawdlings() if awaited else Threads(), order)
            search = coroutines.explore if awaited else explore
            return search(attempt, str(seed), enough(runs, self.share), keeps if self.shrinks else None)

        return explorer

    def _is_awaited(self, profile: Profile) -> bool:
        """Whether its calls have to be awaited; a candidate is made to see, if there has been none yet."""
        if not _begins(profile):
            return self._is_for_awaited_queues(profile)
        maker = self._target.maker(profile)
        if maker not in self._awaited:
            self.open(profile).close()
        return self._awaited[maker]

    def _is_for_awaited_queues(self, profile: Profile) -> bool:
        """Whether it is a rate limiter in a module of queues for asyncio: threads have no business there."""
        if "when" not in profile.ops or not isinstance(self._target.thing, ModuleType):
            return False
        return any(self._offers_awaited(queue) for queue in QUEUES)

    def _offers_awaited(self, profile: Profile) -> bool:
        with suppress(NotOffered, CandidateError):
            return self._target.maker(profile) is not None and self._is_awaited(profile)
        return False

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
        stop_lingering(at_once=True)

    def _bound_before(self) -> list[Binding]:
        if len(sys.modules) != self._modules:
            self._modules, self._bindings = len(sys.modules), bound_before()
        return self._bindings

    def _refuse(self, profile: Profile, why: str) -> str:
        self._refused[profile] = why
        return why

    def _reconciler(self, maker: Callable[..., Any], *, awaited: bool) -> Reconciler | AwaitedReconciler:
        ending = Ending(lambda name: self._target.beside(maker, name), limited=takes(maker, "rate_limiter"))
        return AwaitedReconciler(ending) if awaited else Reconciler(ending)

    def _what_is_missing(self, profile: Profile) -> str:
        thing = self._target.thing
        if isinstance(thing, type) and (lacks := missing(thing, profile)):
            return lacking("it", lacks)
        if profile.named and not isinstance(thing, ModuleType):
            return f"it is not called {profile.protocol}"
        found = next((found for name in names(profile) if (found := getattr(thing, name, None))), None)
        if isinstance(found, type):
            return lacking(found.__name__, missing(found, profile))
        return f"the module has neither {profile.maker} nor {profile.protocol}"


def _begins(profile: Profile) -> bool:
    return not profile.ops.isdisjoint(BEGINNINGS)


def _awaits(thing: Any, profile: Profile) -> bool:
    """Whether a class, or what was made, is for asyncio: the call that a worker begins with decides."""
    return any(
        inspect.iscoroutinefunction(getattr(thing, op, None)) for op in BEGINNINGS if op in profile.ops
    )


def _some_instant(seed: int) -> Nanoseconds:
    """A moment in 2023 or 2024: another one for each seed, so that no candidate can know it."""
    return 1_672_531_200 * SECOND + Random(seed).randrange(2 * 365 * 86_400 * SECOND)  # noqa: S311
