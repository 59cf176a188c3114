"""Feedback on an attempt: the first broken rule, where, its likely cause, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stingy.guarantees import all_rules
from stingy.judging.verdict import Exit, Finding, Verdict
from stingy.reports.story import story
from stingy_kata import likeness
from stingy_kata.catching import graders
from stingy_kata.exercise import Exercise
from stingy_kata.grading import Grade, ground
from stingy_kata.marking import mark
from stingy_kata.scheduling import ORDER_BREAKS_IT, ORDER_HOLDS
from stingy_kata.script import Script
from stingy_kata.waiting import GET_IS_WOKEN
from stingy_kata.whereabouts import places

MARKS: Mapping[Finding, tuple[str, str]] = {
    Finding.PASS: ("✓", "green"),
    Finding.FAIL: ("✗", "bold red"),
    Finding.BLOCKED: ("·", "dim"),
}
UNDECIDED = ("?", "bold magenta")
HEADS: Mapping[Exit, tuple[str, str]] = {
    Exit.CONFORMS: ("✓", "bold green"),
    Exit.DOES_NOT: ("✗", "bold red"),
}

OF_THE_WORKSHOP: Mapping[str, str] = {
    ORDER_BREAKS_IT: "Your ORDER is to bring the code as it was given to hand out an item to two workers at once.",
    ORDER_HOLDS: "Your own code is not to hand out an item to two workers at once, not even in your ORDER.",
    GET_IS_WOKEN: "A Get that waits is to be woken by the Add, and not to look again and again by itself.",
}
"""Demands of the workshop beyond the rules of the specification: a sentence for each id."""


ONCE_ACCEPTED = "counts once no right one is accused"
"""Note on a wrong candidate that a learner's rules accuse, while they accuse a right one as well."""

COMMAND = "stingy-kata "
"""Prefix of suggested commands in a terminal. A web page has a button for each, and no prefix."""


def feedback(grade: Grade, attempt: Script, shown: str, command: str = COMMAND) -> Iterator[RenderableType]:
    """Yield the feedback on a graded attempt for a terminal: rules, story, mistake and next commands.

    ``shown`` is the attempt's path as seen from the current folder, and ``command`` the prefix of
    commands to type.
    """
    yield _head(grade)
    yield ""
    if grade.unreadable:
        yield Padding(Text(f"{shown}, {grade.unreadable}"), (0, 0, 1, 2))
    else:
        yield Padding(_rules(grade), (0, 0, 1, 2))
    broken = grade.first_broken
    if broken is not None:
        yield Padding(_explain(grade.exercise, broken), (0, 0, 1, 2))
    if grade.printed:
        yield Padding(Group(Text("it printed", "dim"), Text(grade.printed)), (0, 0, 1, 2))
    yield Padding(_facts(grade, attempt, shown, command), (0, 0, 0, 2))


def progress(grade: Grade) -> Iterator[RenderableType]:
    """Yield what is known while a grading goes on: the rules judged so far, and what is broken first."""
    yield Text(f"… {title(grade.exercise)}", "bold")
    yield ""
    yield Padding(_rules(grade), (0, 0, 1, 2))
    broken, judged = grade.first_broken, {verdict.rule for verdict in grade.verdicts}
    if broken is not None and broken.story:
        yield Padding(_explain(grade.exercise, broken), (0, 0, 1, 2))
    elif grade.kept and judged.issuperset(grade.exercise.card.rules):
        yield Padding(Text("The rules of the exercise are kept. Now come the others …"), (0, 0, 1, 2))


def title(exercise: Exercise) -> str:
    return f"{exercise.number:02} {exercise.name} · {exercise.card.title}"


def _head(grade: Grade) -> Text:
    mark, style = HEADS.get(grade.exit, UNDECIDED)
    return Text.assemble((f"{mark} {title(grade.exercise)}", style))


def mark_of(verdict: Verdict) -> str:
    return MARKS.get(verdict.verdict, UNDECIDED)[0]


def _rules(grade: Grade) -> RenderableType:
    table = _columns()
    for verdict in grade.verdicts:
        mark, style = MARKS.get(verdict.verdict, UNDECIDED)
        table.add_row(
            Text(mark, style), Text(verdict.rule, style if style == "dim" else ""), _note(grade, verdict)
        )
    return table


def _note(grade: Grade, verdict: Verdict) -> Text:
    if verdict.verdict is Finding.BLOCKED:
        catches = verdict.rule.startswith("catches/")
        return Text(ONCE_ACCEPTED if catches else "later: builds on what is broken", "dim")
    rules = grade.exercise.card.rules
    if verdict.rule in all_rules() and verdict.rule not in rules:
        return Text("was kept at the start" if verdict.rule in ground(rules) else "ours keeps it, too", "dim")
    return Text("")


def _explain(exercise: Exercise, broken: Verdict) -> RenderableType:
    parts: list[RenderableType] = [Text(broken.rule, "bold"), Text(_sentence(exercise, broken))]
    if broken.story:
        parts.append(Padding(story(mark(broken)), (1, 0, 0, 1)))
    return Group(*parts)


def _sentence(exercise: Exercise, broken: Verdict) -> str:
    """Return a sentence that says what the broken rule demands.

    If the verdict is not FAIL, it only says so: the demand would mislead the learner.
    """
    if broken.verdict is not Finding.FAIL:
        return "This could not be decided."
    if broken.rule in OF_THE_WORKSHOP:
        return OF_THE_WORKSHOP[broken.rule]
    if broken.rule in all_rules():
        return all_rules()[broken.rule].sentence
    what = dict(graders(exercise))[broken.rule].about
    if broken.rule.startswith("accepts/"):
        return f"This one is right, and is accused. {what}"
    return f"This one is wrong, and nothing is seen. {what}"


def _facts(grade: Grade, attempt: Script, shown: str, command: str) -> Table:
    facts = _columns()
    for name, value in _next(grade, command) if grade.kept else _describe(grade, attempt, shown, command):
        facts.add_row(Text(name, "dim"), Text(value))
    return facts


def _describe(grade: Grade, attempt: Script, shown: str, command: str) -> Iterator[tuple[str, str]]:
    broken, exercise = grade.first_broken, grade.exercise
    if broken is not None:
        yield "because", broken.because
        seen = [str(it) for it in places(mark(broken), attempt, shown)]
        if seen and exercise.card.kind != "catch" and broken.rule != ORDER_BREAKS_IT:
            yield "your code", "\n".join(seen)
    if grade.untouched:
        yield "looks like", "it is as it was given: its README says what to do, and TODO where"
    elif alike := likeness.describe(grade):
        yield "looks like", alike
    if broken is not None and broken.fault:
        yield "next", "this is a fault of stingy, not of your code: please report it"
        return
    told = ["hint"]
    told += ["replay"] if broken is not None and broken.story else []
    told += ["explain"] if broken is not None and broken.rule in all_rules() else []
    yield "next", " · ".join(f"{command}{it}" for it in told)


def _next(grade: Grade, command: str) -> Iterator[tuple[str, str]]:
    yield "now that it works", grade.exercise.card.after
    yield "next", f"{command}next · {command}solution shows ours, to compare"


def _columns() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
