"""A candidate in this process: under control where that is possible, else with real threads."""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from random import Random
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from stingy.contract import PROFILES, SECOND, Nanoseconds, Profile
from stingy.contract.kinds import is_a
from stingy.contract.ops import OPS
from stingy.engine.carrier import HAS_THREADS
from stingy.engine.cpython import doubt
from stingy.engine.escapes import importing
from stingy.engine.exploration import Threads, explore, replay
from stingy.engine.patches import Binding, bound_before, is_untouched, patched
from stingy.engine.pool import give_up
from stingy.engine.virtualtime import VirtualTime
from stingy.engine.zone import in_new_york
from stingy.language.deadline import Deadline
from stingy.language.order import Attempt, Explored, Explorer, Failure, Order, within
from stingy.language.session import (
    CANNOT_CANCEL,
    NO_OPTIONS,
    CandidateError,
    Jumped,
    NotOffered,
    Options,
    Session,
    Undecided,
)
from stingy.process.file import from_here
from stingy.process.originals import Originals
from stingy.transport import GRACE, TargetError, coroutines, in_turn
from stingy.transport.beginning import Beginning, NotAgainError
from stingy.transport.calling import Made
from stingy.transport.coroutines import Coroutines, Dawdlings
from stingy.transport.edition import Edition
from stingy.transport.realthreads import RealThreads, stop_lingering
from stingy.transport.shortcuts import Shortcuts
from stingy.transport.standin import StandIn
from stingy.transport.surroundings import STAND_INS, AwaitedReconciler, Ending, Reconciler, Surroundings
from stingy.transport.target import (
    Target,
    construct,
    lacking,
    lacking_in,
    method,
    missing,
    name_of,
    names,
    not_taken,
    requires,
    takes,
)
from stingy.transport.threads import ControlledThreads, Habits

ORDERS_TIMED = 4
"""Number of runs of a race with real threads; few, because each may have to wait in real time."""


BEGINNINGS = tuple(op.name for op in OPS.values() if op.begins)
"""Ops that a worker calls first; if one is a coroutine function, the candidate is for asyncio."""

QUEUES = tuple(PROFILES[name] for name in ("queue", "delay", "limit", "priority"))
"""Profiles of queues: if a module has one of them for asyncio, its limiters are for asyncio too."""

METHODS = frozenset(method(op) for op in OPS)

LATER = frozenset(op.name for op in OPS.values() if op.later)
"""Ops after which a candidate may wait for time to pass."""


class _Awaits(CandidateError):  # noqa: N818 - it is no error
    """A candidate that was made for threads turned out to need asyncio."""

    def __init__(self) -> None:
        super().__init__("what was made is for asyncio")


class InProcess:
    """A candidate that is imported into this process."""

    def __init__(self, target: str | object, seed: int = 0, *, timed: bool = False) -> None:
        """Import ``target`` if it is a string; else use it as the class, function or module itself.

        ``seed`` determines the first reading of the candidate's clock. ``timed``: run it on real threads. Raises
        TargetError if it is to be controlled, and the engine does not know this Python.
        """
        self.target = target if isinstance(target, str) else name_of(target)
        if not timed and (unknown := doubt()):
            raise TargetError(f"{self.target} cannot be judged: {unknown}")
        VirtualTime.wall_origin = _some_instant(seed)
        with patched(), in_new_york(), importing() as started, Originals() as originals:
            self._target = Target.named(target) if isinstance(target, str) else Target.of(target)
        if originals.replaced:
            raise CandidateError(
                f"{self.target} cannot be judged: while being imported, it replaced {originals.replaced}"
            )
        self.name = self._target.name
        self.kubernetes = self._target.kubernetes
        self.controlled = not timed
        self.grace = GRACE
        self.share: float | None = None
        self.limit = inf
        self.shrinks = True
        self._stand_in = StandIn()
        self.shortcuts = Shortcuts()
        self._habits = Habits(shortcuts=self.shortcuts)
        self._refused: dict[Profile, str] = {}
        self._makers: dict[Profile, Callable[..., Any]] = {}
        self._seen: WeakKeyDictionary[type, dict[Profile, tuple[Sequence[str], bool]]] = WeakKeyDictionary()
        self._awaited: dict[Any, bool] = {}
        """For each maker that has made a candidate: True if the candidate is for asyncio."""
        self._modules = 0
        self._bindings: list[Binding] = []
        # Modules are executed anew only for a target given as a string: an object that was passed
        # in is judged itself. A module without a spec cannot be executed anew.
        modules = (
            self._modules_of_its_own() if isinstance(target, str) and self._target.module.__spec__ else ()
        )
        self._beginning = Beginning(self._target, modules, self.shortcuts, runs=bool(started and modules))
        if modules:
            for thread in started:
                give_up(thread)

    @property
    def version(self) -> str:
        return self._target.version

    @property
    def thing(self) -> object:
        """The object under test: a class, a function that makes a candidate, or a module."""
        return self._target.thing

    @property
    def files(self) -> Sequence[str]:
        return self._beginning.files

    def place(self, op: str) -> str:
        for kind in self._seen:
            code = getattr(inspect.unwrap(getattr(kind, method(op), _nothing)), "__code__", None)
            if code is not None and code is not _nothing.__code__:
                return f"{from_here(code.co_filename)}:{code.co_firstlineno}"
        return ""

    @contextmanager
    def held(self, deadline: Deadline) -> Iterator[None]:  # noqa: ARG002 - nothing ends what this process does
        self._makers.clear()
        if not self.controlled:
            yield
            return
        # No bindings are passed, so that the names in the candidate's modules stay as they are:
        # between sessions, these modules are compared with their snapshot.
        with patched(), self._beginning.held():
            yield

    def open(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        stop_lingering()
        if self._stand_in.is_there:
            return self._stand_in.open()
        meant = self._maker(profile)
        known = self._awaited.get(meant)
        awaited = known if known is not None else _awaits(meant, profile)
        awaited = awaited or self._is_for_awaited_queues(profile)
        making = _Making(self, profile, options, meant, self._beginning.edition(), awaited)
        if awaited and (unknown := doubt()):
            raise Undecided(f"it is for asyncio, whose loop stingy has to control: {unknown}")
        if not (HAS_THREADS or awaited or self.controlled):
            raise Undecided(
                "it does something that cannot be controlled, so it cannot be judged in a browser: "
                "use the command stingy run"
            )
        try:
            return self._begin(making)
        except _Awaits:
            self._awaited[meant] = True
            return self.open(profile, options)
        except NotAgainError:
            return self.open(profile, options)

    def _begin(self, making: _Making) -> Session:
        """Return a new session: on an event loop, on controlled threads, or on real threads."""
        around = self._in(making.edition)
        if making.awaited:
            return Coroutines(making.make, self._bound_before(), self._habits, around)
        if self.controlled:
            beside = making.make_another if making.edition else None
            return ControlledThreads(making.make, self._bound_before(), self._habits, around, beside)
        return RealThreads(making.make, self.grace, around, waits=bool(making.profile.ops & LATER))

    def _maker(self, profile: Profile) -> Callable[..., Any]:
        """Return the class or function that makes candidates of this profile.

        Raises NotOffered if there is none.
        """
        if profile in self._refused:
            raise NotOffered(self._refused[profile])
        if profile not in self._makers:
            meant = self._target.maker(profile)
            if meant is None:
                raise NotOffered(self._refuse(profile, self._what_is_missing(profile)))
            if lacks := not_taken(meant, profile):
                raise NotOffered(self._refuse(profile, f"it cannot be made with {' and '.join(lacks)}"))
            self._makers[profile] = meant
        return self._makers[profile]

    def _look_at(self, made: Any, profile: Profile) -> tuple[Sequence[str], bool]:
        """Return the methods of the profile that ``made`` lacks, and True if it is for asyncio.

        The answer is cached by class, unless methods are set on the object itself.
        """
        seen = self._seen.setdefault(type(made), {})
        if not METHODS.isdisjoint(getattr(made, "__dict__", ())):
            return missing(made, profile), _awaits(made, profile)
        if profile not in seen:
            seen[profile] = missing(made, profile), _awaits(made, profile)
        return seen[profile]

    @contextmanager
    def _in(self, edition: Edition | None) -> Iterator[None]:
        """Until the block ends, run a session with the modules of this edition, in New York.

        With None, the modules are used as they are. Afterwards, check whether the session has left
        state in them.
        """
        try:
            with in_new_york(), edition.in_force() if edition else nullcontext():
                yield
        finally:
            self._beginning.is_over()
            if self._habits.escapes:
                gc.collect()  # an uncontrolled process or thread may end when its owner is freed

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:
        def explorer(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
            awaited = self._is_awaited(profile)
            if not (self.controlled or awaited):
                return in_turn(0, ORDERS_TIMED, self.share)(attempt, runs, small=small)

            if order:
                return replay(attempt, Dawdlings() if awaited else Threads(), order)
            search = coroutines.explore if awaited else explore
            budget = within(runs, self.share, small=small)
            surely = self._on_sure_ground(attempt)
            return search(surely, str(seed), budget, self._stand_in.keeps(attempt) if self.shrinks else None)

        return explorer

    def _is_awaited(self, profile: Profile) -> bool:
        """Return True if candidates of this profile need asyncio; make one if not yet known."""
        if not _begins(profile):
            return self._is_for_awaited_queues(profile)
        maker = self._target.maker(profile)
        if maker not in self._awaited:
            self.open(profile).close()
        return self._awaited[maker]

    def _is_for_awaited_queues(self, profile: Profile) -> bool:
        """Return True for a rate limiter in a module of queues that need asyncio.

        Such a limiter is called on an event loop, and needs no threads.
        """
        if "when" not in profile.ops or not is_a(self._target.thing, ModuleType):
            return False
        return any(self._offers_awaited(queue) for queue in QUEUES)

    def _offers_awaited(self, profile: Profile) -> bool:
        with suppress(NotOffered, CandidateError):
            return self._target.maker(profile) is not None and self._is_awaited(profile)
        return False

    def _on_sure_ground(self, attempt: Attempt) -> Attempt:
        """Wrap an attempt so that a failure after a jump of virtual time raises Jumped.

        Such a failure is neither reported nor shortened: the rule has to be run without jumps.
        """

        def surely(order: Order) -> Failure | None:
            self.shortcuts.jumped = False
            failure = attempt(order)
            if failure is not None and self.shortcuts.jumped:
                raise Jumped
            return failure

        return surely

    def release_control(self) -> bool:
        if self.controlled and not (self._habits.hides or self._habits.escapes):
            # Perhaps the candidate only waits in a busy loop. The scheduler can control that if all
            # of the code is traced all the time, which is slow.
            self._habits.spins = self._habits.hides = True
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

    def _kinds(self) -> list[type]:
        """Return those makers of the candidate (for any profile) that are classes."""
        makers = [self._target.maker(profile) for profile in PROFILES.values()]
        return [maker for maker in makers if is_a(maker, type)]

    def _modules_of_its_own(self) -> frozenset[str]:
        """Return names of the modules with the candidate's code: the target's, and its base classes'.

        Modules of the standard library, of stingy and of its dependencies are left out.
        """
        modules = {
            self._target.module.__name__,
            *(base.__module__ for kind in self._kinds() for base in kind.__mro__),
        }
        return frozenset(module for module in modules if not is_untouched(module))

    def _what_is_missing(self, profile: Profile) -> str:
        thing = self._target.thing
        if is_a(thing, type) and (lacks := lacking_in(thing, profile)):
            return lacking("it", lacks)
        if profile.named and not is_a(thing, ModuleType):
            return f"it is not called {profile.protocol}"
        found = next((found for name in names(profile) if (found := getattr(thing, name, None))), None)
        if is_a(found, type):
            return lacking(found.__name__, missing(found, profile))
        return f"the module has neither {profile.maker} nor {profile.protocol}"


@dataclass(frozen=True)
class _Making:
    """The settings with which a session makes its candidate."""

    candidate: InProcess
    profile: Profile
    options: Options
    meant: Callable[..., Any]
    """The maker from the first import of the modules."""
    edition: Edition | None
    """Import finder that executes the modules anew for this session; None to use them as is."""
    awaited: bool
    """True if the candidate is known to be for asyncio; ``make`` may still find out that it is."""

    def make(self, clock: Any) -> Made:
        """Make the candidate under test. Raises _Awaits if it turns out to need asyncio."""
        surroundings, make_one = self._set_out(clock)
        made = make_one()
        by, profile = self.candidate, self.profile
        lacks, awaits = by._look_at(made, profile)
        if lacks:
            raise NotOffered(by._refuse(profile, lacking("it", lacks)))
        if awaits and not self.awaited:
            raise _Awaits
        if self.awaited and _begins(profile) and not awaits:
            raise CandidateError("it needs an event loop to be made, but its get is not a coroutine function")
        if profile.cancels and not self.awaited:
            raise NotOffered(by._refuse(profile, CANNOT_CANCEL))
        by._awaited[self.meant] = self.awaited
        return surroundings.around(made)

    def make_another(self, clock: Any) -> Any:
        """Make another candidate of the same modules, and add an item to it.

        The candidate under test must not notice that item.
        """
        another = self._set_out(clock)[1]()
        added = self.candidate._habits.added
        if "add" in self.profile.ops and added is not None:
            with suppress(Exception):  # a failing Add is found on the candidate under test
                another.add(added)
        return another

    def _set_out(self, clock: Any) -> tuple[Surroundings, Callable[[], Any]]:
        """Return the test doubles around a candidate, and a function that makes the candidate."""
        target = self.candidate._beginning.target(self.edition)
        maker = self.meant if self.edition is None else target.maker(self.profile) or self.meant
        finishes = "finish" in self.profile.tells
        reconciler = _reconciler(target, maker, awaited=self.awaited) if finishes else None
        surroundings = Surroundings(self.options, reconciler)
        stand_ins = {name: make() for name, make in STAND_INS.items() if requires(maker, name)}
        offered = {"clock": clock, "name": "", "ip_family": "IPv4"} | stand_ins | surroundings.arguments
        return surroundings, partial(self._construct, maker, offered)

    def _construct(self, maker: Callable[..., Any], offered: Mapping[str, Any]) -> Any:
        try:
            return construct(maker, **offered)
        except RuntimeError as error:
            if "event loop" in str(error) and not self.awaited:
                raise _Awaits from error
            raise


def _reconciler(
    target: Target, maker: Callable[..., Any], *, awaited: bool
) -> Reconciler | AwaitedReconciler:
    limited = takes(maker, "rate_limiter")
    ending = Ending(lambda name: target.beside(maker, name), limited=limited, awaited=awaited)
    return AwaitedReconciler(ending) if awaited else Reconciler(ending)


def _nothing() -> None:
    """Take the place of a method that a class does not have."""


def _begins(profile: Profile) -> bool:
    return not profile.ops.isdisjoint(BEGINNINGS)


def _awaits(thing: Any, profile: Profile) -> bool:
    """Return True if a candidate needs asyncio: a worker's first op is a coroutine function."""
    return any(
        inspect.iscoroutinefunction(getattr(thing, op, None)) for op in BEGINNINGS if op in profile.ops
    )


def _some_instant(seed: int) -> Nanoseconds:
    """Return an instant in 2023 or 2024, in nanoseconds.

    It depends on the seed, so that no candidate can be written for one fixed instant.
    """
    return 1_672_531_200 * SECOND + Random(seed).randrange(2 * 365 * 86_400 * SECOND)  # noqa: S311
