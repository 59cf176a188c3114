"""Guard of the exit status: a candidate that ends this process must not choose it.

``os._exit`` ends a process at once, and 0 would say that the candidate conforms.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from stingy.process.originals import APART

ENDED = 3
"""Exit status of a run that a candidate has ended.

The same as ``Exit.CANDIDATE_ERROR`` of ``stingy.judging.verdict``, whose import takes longer.
"""
SAID = (
    "Error: the candidate ended the process of the run, before there was a report: " + APART + "\n"
).encode()

_exit = os._exit
_write = os.write


class Guard:
    """Stands in for ``os._exit`` from the import of a candidate on."""

    def __init__(self) -> None:
        self._owner = 0
        """Id of the process that is guarded; a fork of it ends as usual."""
        self.status: int | None = None
        """The status of the run, once it is decided; the candidate cannot change it in ``atexit``."""
        self.uncover: Callable[[], object] = lambda: None
        """Ends the capture of standard error, so that its last line is shown."""

    def begin(self) -> None:
        """Guard this process until it ends, or until ``end``."""
        self._owner, self.status = os.getpid(), None
        os._exit = self._end_process

    def end(self) -> None:
        os._exit = _exit

    def _end_process(self, status: int) -> NoReturn:
        if os.getpid() != self._owner:
            _exit(status)
        if self.status is None:
            with suppress(Exception):
                self.uncover()
                _write(2, SAID)
        _exit(ENDED if self.status is None else self.status)


GUARD = Guard()
