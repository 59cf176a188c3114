"""Output to the learner: in colour on a terminal, otherwise plain text."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, RenderableType
from rich.text import Text

from stingy.reports.verbose import WIDTH


class Screen:
    def __init__(self, out: TextIO | None = None, width: int = WIDTH) -> None:
        """Write to ``out``, by default to standard output.

        ``width`` is the number of characters in a line if the output is not a terminal.
        """
        self._out = out or sys.stdout
        self._width = width
        if isinstance(self._out, io.TextIOWrapper):
            # A terminal whose encoding lacks a character must not end the command.
            self._out.reconfigure(errors="replace")
        # Only the stream decides. FORCE_COLOR, which CI systems set, does not make it a terminal.
        self.terminal = self._out.isatty()
        self._colours = self.terminal and "NO_COLOR" not in os.environ

    def show(self, parts: Iterable[RenderableType]) -> None:
        for part in parts:
            self._print(part)

    def say(self, text: str = "", style: str = "") -> None:
        self._print(Text(text, style))

    def command(self, line: str) -> None:
        """Show a command that the learner can type. It is never wrapped, so that it can be copied."""
        self._print(Text(f"  {line}", "bold"), fold=False)

    def clear(self) -> None:
        if self.terminal:
            self._out.write("\x1b[H\x1b[2J\x1b[3J")

    def _print(self, what: RenderableType, *, fold: bool = True) -> None:
        width = min(WIDTH, Console(file=self._out).width) if self.terminal else self._width
        console = Console(
            width=width,
            force_terminal=self.terminal,
            no_color=not self._colours,
            highlight=False,
            emoji=False,
            legacy_windows=False,
        )
        with console.capture() as told:
            console.print(what, soft_wrap=not fold)
        # rich pads tables with blanks up to the margin, which are useless in a log.
        self._out.writelines(f"{line.rstrip()}\n" for line in told.get().splitlines() or [""])
        self._out.flush()


def plain(parts: Iterable[RenderableType], width: int = WIDTH) -> str:
    """Return as plain text what a screen of this width, in characters, would show."""
    out = io.StringIO()
    Screen(out, width).show(parts)
    return out.getvalue()
