"""What a session begins with: the candidate's modules as they are, where they are as they were, and anew where not."""

from __future__ import annotations

from collections.abc import Collection
from time import thread_time

from stingy.engine.tracing import tracer
from stingy.language.session import Uncontrolled
from stingy.testimony import described
from stingy.transport.edition import Edition, modules_of
from stingy.transport.slate import Slate
from stingy.transport.target import Target

DEAR = 0.02
"""Seconds of a processor: where the modules take longer to be executed, that is done only before somebody is accused."""


class Beginning:
    """What the sessions of one candidate begin with."""

    def __init__(self, target: Target, packages: Collection[str], *, runs: bool) -> None:
        """``target`` has just been imported; ``runs``: it has started threads by that, which no session can have for its own."""
        self._target = target
        self._packages = packages
        self._slate = Slate(modules_of(packages).values())
        self._anew = runs or not self._slate.is_known
        self._edition: Edition | None = None
        self._takes = 0.0
        self._fails = ""
        self.leaks = False
        """Whether sessions have begun with what others had left."""
        self.insists = False
        """Whether none is to, whatever that costs."""

    def edition(self) -> Edition | None:
        """That in which the next session is to find the modules; None where they are as they were."""
        if not self._anew and not self._slate.is_clean():
            # Nobody has played since it was looked at: somebody has set them up so, and so they are to be.
            self._slate = Slate(modules_of(self._packages).values())
            self._fails = "they have been changed since they were imported"
        if not self._anew:
            return None
        if self._edition is None:
            self._edition = Edition(self._packages)
            tracer.cache_clear()  # it knows of no code but what there was
        if self.insists and self._fails:
            raise Uncontrolled(
                f"its modules keep something from one session to the next, and cannot be had anew: {self._fails}"
            )
        if self._fails or (self._takes > DEAR and not self.insists):
            self.leaks = True
            return None
        return self._edition

    def is_over(self) -> None:
        """A session is: see what it has left."""
        self._anew = self._anew or not self._slate.is_clean()

    def target(self, edition: Edition | None) -> Target:
        """What is to be judged, in this edition, which is in force."""
        if edition is None:
            return self._target
        since = thread_time()
        try:
            return self._target.again()
        except Exception as error:
            self._fails = described(error)
            raise NotAgainError from error
        finally:
            self._takes = max(self._takes, thread_time() - since)


class NotAgainError(Exception):
    """The modules cannot be executed a second time."""
