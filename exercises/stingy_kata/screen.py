"""What a learner sees: in colour on a terminal, as plain text anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stingy.guarantees import all_rules
from stingy.reports.story import story
from stingy.reports.terminal import STYLES, WIDTH
from stingy.verdict import Finding, Verdict
from stingy_kata.exercise import Exercise

if TYPE_CHECKING:
    from stingy_kata.grading import Grade

WORDS: Mapping[Finding, str] = {
    Finding.PASS: "kept",
    Finding.FAIL: "broken",
    Finding.KNOWN_FAIL: "known to be broken",
    Finding.UNEXPECTED_PASS: "kept unexpectedly",
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
        self._print(Text(text, style))

    def command(self, line: str) -> None:
        """A line to type: never folded, so that it can be copied."""
        self._print(Text(f"  {line}", "bold"), fold=False)

    def heading(self, title: str, beside: str) -> None:
        self._print(Text.assemble((title, "bold"), f"  {beside}"), fold=False)
        self.say()

    def exercises(self, states: Iterable[tuple[Exercise, str]]) -> None:
        table = _columns()
        for n, (exercise, state) in enumerate(states, 1):
            table.add_row(str(n), Text(exercise.name, "bold"), exercise.title, state)
        self._print(table)

    def grade(self, grade: Grade) -> None:
        """A line for each rule."""
        self.heading(grade.exercise.title, str(grade.attempt))
        if grade.unreadable:
            self.say(grade.unreadable, "bold red")
        else:
            self._print(_rules(grade))
        if any(verdict.verdict is Finding.BLOCKED for verdict in grade.verdicts):
            self.say("\n  What is blocked is judged once the rules that it builds on are kept.", "dim")
        self.say()

    def broken(self, verdict: Verdict) -> None:
        """The sentence, the story, and what was expected."""
        # Where nothing was found out about the rule, what it says would lead astray.
        rule = all_rules()[verdict.rule] if verdict.verdict is Finding.FAIL else None
        told: list[RenderableType] = [rule.sentence, ""] if rule else []
        if verdict.story:
            told += [Padding(story(verdict.story), (0, 0, 0, 2)), ""]
        facts = _columns()
        facts.add_row("because", verdict.because)
        for hint in rule.hints if rule else ():
            facts.add_row("check", hint)
        self._print(Text.assemble(_word(verdict), "  ", (verdict.id, "bold")))
        self._print(Padding(Group(*told, facts), (1, 0, 1, 4)))

    def _print(self, what: RenderableType, *, fold: bool = True) -> None:
        with self._console.capture() as told:
            self._console.print(what, soft_wrap=not fold)
        # rich fills tables with blanks up to the margin, which nobody wants in a log.
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in told.get().splitlines())


def _word(verdict: Verdict) -> Text:
    return Text(WORDS[verdict.verdict], STYLES[verdict.verdict])


def _rules(grade: Grade) -> Table:
    table = _columns()
    for verdict in grade.verdicts:
        note = "" if verdict.rule in grade.exercise.rules else "was kept at the start"
        table.add_row("", _word(verdict), verdict.id, Text(note, "dim"))
    return table


def _columns() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
