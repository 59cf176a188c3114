"""Text about an exercise of the workshop, for pages of guarantees and for the trainer's guide."""

from __future__ import annotations

from pages import Lines, Unsaid, play
from pages.words import begin, fold, with_issues
from stingy_kata.exercise import ASKED, Card, Exercise, exercises
from stingy_kata.schedule import plans


def find_exercise(name: str) -> Exercise:
    for exercise in exercises():
        if exercise.name == name:
            return exercise
    there = ", ".join(exercise.name for exercise in exercises())
    raise Unsaid(f"there is no exercise {name!r}; there is: {there}")


def offer(name: str) -> Lines:
    """Yield Markdown that names an exercise, for the page of the guarantee that the exercise teaches."""
    card = find_exercise(name).card
    yield (
        f"The workshop has an exercise about it: *{card.title}*, {card.minutes} minutes. [Do it in the page](../kata.md#{name}), "
        f"or in a terminal:\n"
    )
    yield f"```console\n$ stingy-kata go {name}\n```\n"
    yield from play.offer(name, "../")


def say_how_long(card: Card) -> str:
    return f"{card.minutes} min and {card.review_minutes} min of review"


def describe(exercise: Exercise) -> Lines:
    """Yield an exercise's length, misconception and common mistakes in Markdown, for the trainer's guide."""
    card = exercise.card
    yield f"*{card.title}*: {say_how_long(card)}, {card.difficulty}, [the rules](guarantees/{card.docs}.md).\n"
    yield f"It gets at: *{card.misconception}*\n"
    yield from play.offer(exercise.name, "")
    replies = (f"- `{mistake.name}`: {with_issues(mistake.says)}" for mistake in exercise.mistakes)
    yield from fold("failure", "Wrong answers that you will see, and what to reply", replies)
    yield f"When it passes, ask: *{with_issues(card.after)}*\n"


def answers(name: str) -> Lines:
    """Yield a Markdown table of a plan's exercises, with each question and its answer, in the plan's order.

    For the name ``other``, yield that of all exercises that are not in the plan for ninety minutes.
    """
    ninety = plans()["ninety"].exercises
    names = (
        [it.name for it in exercises() if it.name not in ninety]
        if name == "other"
        else plans()[name].exercises
    )
    yield "| Exercise | Before it | When it passes |\n|---|---|---|"
    for exercise in map(find_exercise, names):
        before, answer, afterwards = map(exercise.note, ASKED)
        if not (before and answer and afterwards):
            raise Unsaid(
                f"trainer.md of {exercise.name} lacks a question or an answer: stingy-kata dev check"
            )
        yield f"| `{exercise.name}` | {_reply(before, answer)} | {_reply(exercise.card.after, afterwards)} |"


def _reply(question: str, answer: str) -> str:
    told = f"*{begin(question)}*<br>{begin(answer)}"
    return with_issues(told).replace("|", "&#124;")
