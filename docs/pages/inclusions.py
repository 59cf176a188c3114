"""Resolve the inclusions of hand-written pages: comments that generated text replaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path

from pages import (
    Unsaid,
    clocks,
    exercise,
    figure,
    hostiles,
    index,
    journey,
    mutants,
    ops,
    slides,
    tryout,
    vocabulary,
)
from pages.playing import find_failure, play
from pages.words import claim, doc, leave_unsearched, source, with_issues
from stingy.guarantees import all_rules
from stingy.language.rule import Rule
from stingy.reports import FORMATS
from stingy_broken import broken_candidates
from stingy_kata.exercise import Exercise, exercises

ROOT = Path(__file__).parent.parent.parent


def resolve(page: Path) -> str:
    """Return the text of a page with each inclusion, such as ``<!-- … -->``, replaced by its content.

    Raises Unsaid if that content cannot be made.
    """
    text = with_issues(page.read_text(encoding="utf-8"))
    text = _SECTION.sub(lambda asked: _under(asked[2], ROOT / asked[1]), text)
    for asked, put in INCLUSIONS.items():
        text = re.sub(rf"<!-- {asked} -->", partial(_put, put), text)
    return text


def _put(made: Callable[..., str], asked: re.Match[str]) -> str:
    return made(*asked.groups())


_SECTION = re.compile(r"<!-- (\S+\.md): (.+?) -->")
"""Comment to replace by a section of a Markdown file: the path and the heading."""


def _guarantees() -> str:
    return leave_unsearched("\n".join(index.contents(ROOT / "docs/walks")))


def _hostiles() -> str:
    return leave_unsearched("\n".join(hostiles.table(ROOT / "lab/tests/hostile.toml")))


def _mutants() -> str:
    return leave_unsearched("\n".join(mutants.section(ROOT / "benchmarks/upstream")))


def _words() -> str:
    return leave_unsearched("\n".join(vocabulary.table()))


def _notation() -> str:
    return leave_unsearched("\n".join(vocabulary.grammar()))


def _ops() -> str:
    return leave_unsearched("\n".join(ops.table()))


def _formats() -> str:
    says = {name: doc(import_module(f"stingy.reports.{name}")) for name in FORMATS}
    return "\n".join(
        ("| format | what it is |\n|---|---|", *(f"| `{name}` | {it} |" for name, it in says.items()))
    )


def _a_queue_to_judge() -> str:
    return tryout.box(ROOT / "docs")


def _the_rule(rule: str) -> str:
    return "\n".join(source(_find_rule(rule)))


def _exercises() -> str:
    return "\n".join(map(_the_exercise, exercises()))


def _the_exercise(it: Exercise) -> str:
    generated = leave_unsearched("\n".join(exercise.describe(it)))
    return f"## `{it.name}`\n\n{generated}\n\n{with_issues(it.notes)}\n"


def _answers(name: str) -> str:
    return "\n".join(exercise.answers(name))


def _story(rule: str) -> str:
    return figure.figure(play(_find_rule(rule)), claim(_find_rule(rule)))


def _story_of(rule: str, broken: str) -> str:
    candidate = next((it for it in broken_candidates() if it.__name__ == broken), None)
    verdict = candidate and find_failure(_find_rule(rule), candidate)
    if not verdict:
        raise Unsaid(f"a page asks how {broken} fails {rule}, which it does not")
    return figure.figure(verdict.story, claim(_find_rule(rule)))


def _find_rule(rule: str) -> Rule:
    if rule not in all_rules():
        raise Unsaid(f"a page asks for the rule {rule}, which there is not")
    return all_rules()[rule]


def _under(heading: str, file: Path) -> str:
    """Return the text below a heading of level 2 of a Markdown file.

    Raises Unsaid if the file has no such heading.
    """
    _, found, rest = f"\n{file.read_text(encoding='utf-8')}".partition(f"\n## {heading}\n")
    if not found:
        raise Unsaid(f"{file.name} has no heading {heading!r}, which a page asks for")
    text = rest.partition("\n## ")[0].strip()
    return leave_unsearched(text)  # the search finds the original


INCLUSIONS: Mapping[str, Callable[..., str]] = {
    r"a queue to judge": _a_queue_to_judge,
    r"the guarantees": _guarantees,
    r"the hostile candidates": _hostiles,
    r"the mutants of upstream": _mutants,
    r"the ops": _ops,
    r"the report formats": _formats,
    r"the words of a rule": _words,
    r"how texts say what happens": _notation,
    r"the rule (\S+)": _the_rule,
    r"the exercises": _exercises,
    r"the answers of (\w+)": _answers,
    r"the story of (\S+)": _story,
    r"the story of (\S+) by (\w+)": _story_of,
    r"the deck ([\w-]+)": slides.invite,
    r"the slide (.+) of ([\w-]+)": slides.repeat,
    r"journey: (-?\d+)": journey.table,
    r"which clock is wrong": clocks.figure,
}
"""Functions that make the text to include, by the pattern of the comment that asks for it.

The groups of the pattern are the function's arguments.
"""
