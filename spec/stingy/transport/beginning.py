"""Decides whether a session uses the candidate's modules as they are, or executes them anew."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from stingy.contract.testimony import describe
from stingy.engine.carrier import thread_time
from stingy.engine.tracing import forget_tracers
from stingy.engine.using import with_what_they_use
from stingy.language.session import Uncontrolled
from stingy.transport.edition import Edition
from stingy.transport.shortcuts import Shortcuts
from stingy.transport.slate import Slate
from stingy.transport.target import Target

BULKY = 1_500_000
"""Bytes of a candidate's code: if it has more, it is executed anew only to confirm a failure."""
DEAR = 0.25
"""Processor seconds to execute the modules, in the fastest of at least three executions.

Slower modules are executed anew only to confirm a failure.
"""


class Beginning:
    """Decides before each session whether to execute the candidate's modules anew.

    That is necessary if an earlier session has left state in them.
    """

    def __init__(self, target: Target, modules: Collection[str], shortcuts: Shortcuts, *, runs: bool) -> None:
        """Take a snapshot of ``modules``, which contain the code of the just imported ``target``.

        ``runs``: True if the import started threads. No session can own these, so each session
        executes the modules anew.
        """
        self._target = target
        self._modules = modules
        self._packages = frozenset(module.partition(".")[0] for module in modules)
        self._used: Collection[str] = ()
        self._slate = self._look()
        self._anew = runs or not self._slate.is_known
        self._edition: Edition | None = None
        self._is_bulky = False
        self._took: list[float] = []
        """Processor seconds of the three fastest executions, fastest first."""
        self._fails = ""
        self._shortcuts = shortcuts
        self._is_held = self._is_fresh = False
        """``_is_held``: at present, only sessions change the modules.

        ``_is_fresh``: the modules were compared with their snapshot when the last session ended.
        """

    @contextmanager
    def held(self) -> Iterator[None]:
        """Until the block ends, trust that only sessions change the candidate's modules."""
        before, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held, self._is_fresh = before, False

    def edition(self) -> Edition | None:
        """Return an import finder that executes the modules anew for the next session.

        None if the session can use the modules as they are. Raises Uncontrolled if they must be
        executed anew to confirm a failure, but that is impossible.
        """
        if not self._anew and not (self._is_held and self._is_fresh) and not self._slate.is_clean():
            # No session ran since the last comparison, so the caller changed the modules on
            # purpose: from now on, they are compared with this state.
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
                f"its modules keep state from one session to the next, and cannot be imported again: {self._fails}"
            )
        if self._fails or (self._is_dear() and self._shortcuts.may_inherit):
            self._shortcuts.inherited = True
            return None
        return self._edition

    @property
    def files(self) -> Sequence[str]:
        """Files of the candidate's modules, and of modules in the same packages that these use."""
        files = (getattr(sys.modules.get(name), "__file__", None) for name in self._used)
        return sorted(file for file in files if file)

    def is_over(self) -> None:
        """Record that a session has ended, and check whether it left state in the modules."""
        self._anew = self._anew or not self._slate.is_clean()
        self._is_fresh = True

    def target(self, edition: Edition | None) -> Target:
        """Return the object under test, imported again if ``edition`` is not None.

        The edition must then be in force, so that the import executes the modules anew. Raises
        NotAgainError if that fails.
        """
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
        """Return True if executing the candidate's modules again takes long.

        Their size is checked first, because measured times differ from machine to machine.
        """
        return self._is_bulky or (len(self._took) == 3 and self._took[0] > DEAR)


class NotAgainError(Exception):
    """The candidate's modules cannot be executed a second time."""
