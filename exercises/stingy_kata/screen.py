"""What a learner sees: in colour on a terminal, as plain text anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stingy.guarantees import all_rules
from stingy.reports.terminal import STYLES, WIDTH
from stingy.verdict import Finding, Verdict
from stingy_kata.exercise import Exercise

WORDS: Mapping[Finding, str] = {
    Finding.PASS: "kept",
    Finding.FAIL: "broken",
    Finding.NOT_OFFERED: "not offered",
    Finding.BLOCKED: "blocked",
    Finding.INCONCLUSIVE: "undecided",
    Finding.ERROR: "error",
}


class Screen:
    def __init__(self) -> None:
        # Asked of the stream and of nothing else: a pipeline that sets FORCE_COLOR is no terminal.
        terminal = sys.stdout.isatty()
        width = min(WIDTH, Console().width) if terminal else WIDTH
        self._console = Console(
            width=width, force_terminal=terminal, markup=False, highlight=False, emoji=False
        )

    def say(self, text: str = "", style: str = "") -> None:
        self._console.print(text, style=style or None)

    def command(self, line: str) -> None:
        """A line to type: never folded, so that it can be copied."""
        self._console.print(Text(f"  {line}", "bold"), soft_wrap=True)

    def heading(self, title: str, beside: str = "") -> None:
        self._console.print(Text.assemble((title, "bold"), f"  {beside}" if beside else ""), soft_wrap=True)
        self.say()

    def exercises(self, states: Iterable[tuple[Exercise, str]]) -> None:
        table = _columns()
        for n, (exercise, state) in enumerate(states, 1):
            table.add_row(str(n), Text(exercise.name, "bold"), exercise.title, state)
        self._console.print(table)

    def rules(self, verdicts: Iterable[Verdict], asked: Iterable[str]) -> None:
        """A line for each; ``asked`` are those of the exercise."""
        table = _columns()
        for verdict in verdicts:
            word = Text(WORDS[verdict.verdict], STYLES[verdict.verdict])
            note = "" if verdict.rule in asked else "kept as given"
            table.add_row("", word, verdict.id, Text(note, "dim"))
        self._console.print(table)

    def broken(self, verdict: Verdict) -> None:
        """The sentence, the story, and what was expected."""
        rule = all_rules()[verdict.rule]
        facts = _columns()
        facts.add_row("because", verdict.because)
        for hint in rule.hints:
            facts.add_row("check", hint)
        parts: list[RenderableType] = [rule.sentence, ""]
        if verdict.story:
            parts += [Padding(_story(verdict.story), (0, 0, 1, 2))]
        word = WORDS[verdict.verdict]
        self._console.print(Text.assemble((word, STYLES[verdict.verdict]), "  ", (verdict.id, "bold")))
        self._console.print(Padding(Group(*parts, facts), (1, 0, 1, 4)))


def _story(steps: Iterable[str]) -> Table:
    table = _columns()
    for n, step in enumerate(steps, 1):
        who, _, did = step.partition(": ")
        table.add_row(Text(str(n), "dim"), Text(who, "cyan"), did)
    return table


def _columns() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
