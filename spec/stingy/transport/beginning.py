"""What a session begins with: the candidate's modules as they are, where they are as they were, and anew where not."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from stingy.engine.carrier import thread_time
from stingy.engine.tracing import forget_tracers
from stingy.engine.using import with_what_they_use
from stingy.language.session import Uncontrolled
from stingy.testimony import describe
from stingy.transport.edition import Edition
from stingy.transport.shortcuts import Shortcuts
from stingy.transport.slate import Slate
from stingy.transport.target import Target

BULKY = 1_500_000
"""Bytes of code: where the modules have more, they are executed anew only before somebody is accused."""
DEAR = 0.25
"""Seconds of a processor, at the best of three times: the same holds for little code that takes so long."""


class Beginning:
    """What the sessions of one candidate begin with."""

    def __init__(self, target: Target, modules: Collection[str], shortcuts: Shortcuts, *, runs: bool) -> None:
        """``target`` has just been imported, and stands in ``modules``; ``runs``: it has started threads by that, which no session can have for its own."""
        self._target = target
        self._modules = modules
        self._packages = frozenset(module.partition(".")[0] for module in modules)
        self._used: Collection[str] = ()
        self._slate = self._look()
        self._anew = runs or not self._slate.is_known
        self._edition: Edition | None = None
        self._is_bulky = False
        self._took: list[float] = []
        """Seconds of a processor, the best times first."""
        self._fails = ""
        self._shortcuts = shortcuts
        self._is_held = self._is_fresh = False
        """Whether nobody else touches the modules, and whether they have been looked at since somebody could have."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Meanwhile nobody touches the modules but in a session."""
        before, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held, self._is_fresh = before, False

    def edition(self) -> Edition | None:
        """That in which the next session is to find the modules; None where they are as they were."""
        if not self._anew and not (self._is_held and self._is_fresh) and not self._slate.is_clean():
            # Nobody has played since it was looked at: somebody has set them up so, and so they are to be.
            self._slate = self._look()
            self._fails = "they have been changed since they were imported"
        if not self._anew:
            return None
        if self._edition is None:
            self._edition = Edition(self._packages)
            self._is_bulky = self._edition.size(self._used) > BULKY
            forget_tracers()
        if self._fails and not self._shortcuts.may_inherit:
            raise Uncontrolled(
                f"its modules keep something from one session to the next, and cannot be had anew: {self._fails}"
            )
        if self._fails or (self._is_dear() and self._shortcuts.may_inherit):
            self._shortcuts.inherited = True
            return None
        return self._edition

    @property
    def files(self) -> Sequence[str]:
        """What its modules stand in."""
        files = (getattr(sys.modules.get(name), "__file__", None) for name in self._used)
        return sorted(file for file in files if file)

    def is_over(self) -> None:
        """A session is: see what it has left."""
        self._anew = self._anew or not self._slate.is_clean()
        self._is_fresh = True

    def target(self, edition: Edition | None) -> Target:
        """What is to be judged, in this edition, which is in force."""
        if edition is None:
            return self._target
        since = thread_time()
        try:
            return self._target.again()
        except Exception as error:
            self._fails = describe(error)
            raise NotAgainError from error
        finally:
            self._took = sorted([*self._took, thread_time() - since])[:3]

    def _look(self) -> Slate:
        used = with_what_they_use(self._modules, self._packages)
        self._used = used.keys()
        return Slate(used.values())

    def _is_dear(self) -> bool:
        """Whether it takes long to execute the modules. Their size tells: a clock says one thing here, and another there."""
        return self._is_bulky or (len(self._took) == 3 and self._took[0] > DEAR)


class NotAgainError(Exception):
    """The modules cannot be executed a second time."""
