"""The line on a terminal that shows the progress of a run."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

from stingy.judging.verdict import Verdict


class Progress:
    """The progress line, shown on standard error if a run takes longer than ``PATIENCE`` seconds.

    ``of``: number of verdicts to come; 0 if unknown.
    """

    PATIENCE = 2.0

    def __init__(self, of: int = 0) -> None:
        self.of = of
        self._done = 0
        self._runs = 0
        self._clock = time.monotonic
        self._since = self._clock()
        self._shown = False
        self._stream = sys.stderr  # a candidate in this process may replace it

    def tell(self, verdict: Verdict) -> None:
        self._done += 1
        self._runs += verdict.runs
        elapsed = self._clock() - self._since
        if self._stream.isatty() and elapsed > self.PATIENCE:
            self._shown = True
            of = f" of {self.of}" if self.of else ""
            far = f"{self._done}{of} · {elapsed:.0f} s · {self._runs:,} runs"
            self._write(f"\r\x1b[K{far} · {verdict.profile} · {verdict.rule}"[:100])

    def clear(self) -> None:
        if self._shown:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        """Write the text to standard error; ignore a failure, so that reports are written all the same."""
        with suppress(OSError):
            self._stream.write(text)
            self._stream.flush()
