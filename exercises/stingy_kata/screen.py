"""What a learner sees: in colour on a terminal, as plain text anywhere else."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, RenderableType
from rich.text import Text

from stingy.reports.terminal import WIDTH


class Screen:
    def __init__(self, out: TextIO | None = None, width: int = WIDTH) -> None:
        """``width``, in characters, where it is not a terminal."""
        self._out = out or sys.stdout
        self._width = width
        if isinstance(self._out, io.TextIOWrapper):
            self._out.reconfigure(
                errors="replace"
            )  # a mark that a terminal does not know is no reason to fall over
        # Asked of the stream and of nothing else: a pipeline that sets FORCE_COLOR is no terminal.
        self.terminal = self._out.isatty()
        self._colours = self.terminal and "NO_COLOR" not in os.environ

    def show(self, parts: Iterable[RenderableType]) -> None:
        for part in parts:
            self._print(part)

    def say(self, text: str = "", style: str = "") -> None:
        self._print(Text(text, style))

    def command(self, line: str) -> None:
        """A line to type: never folded, so that it can be copied."""
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
        # rich fills tables with blanks up to the margin, which nobody wants in a log.
        self._out.writelines(f"{line.rstrip()}\n" for line in told.get().splitlines() or [""])
        self._out.flush()


def plain(parts: Iterable[RenderableType], width: int = WIDTH) -> str:
    """The same as text, as a log has it."""
    out = io.StringIO()
    Screen(out, width).show(parts)
    return out.getvalue()
