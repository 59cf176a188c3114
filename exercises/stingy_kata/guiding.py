"""Output of the commands ``hint`` and ``list``."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stingy_kata.exercise import RUNGS, Exercise
from stingy_kata.workshop import Workshop

STYLES = {"done": "green", "changed since done": "yellow", "skipped": "dim", "to do": ""}


def hint(exercise: Exercise, rung: int) -> Iterator[RenderableType]:
    yield Text(f"{exercise.name} · hint {rung} of {len(RUNGS)} · {RUNGS[rung - 1]}", "bold")
    yield Padding(Markdown(exercise.hints[rung - 1], code_theme="bw"), (1, 0, 1, 2))


def list_exercises(workshop: Workshop) -> Iterator[RenderableType]:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for exercise in workshop.exercises:
        standing = workshop.standing(exercise)
        rungs = workshop.state.rungs.get(exercise.name, 0)
        notes = [
            *([f"{rungs} hint{'s' * (rungs > 1)}"] if rungs else []),
            *(["solution read first"] if exercise.name in workshop.state.given_up else []),
        ]
        table.add_row(
            Text("▸" if exercise == workshop.current else " ", "bold"),
            Text(f"{exercise.number:02}", "dim"),
            Text(exercise.name, "bold"),
            exercise.card.title,
            Text(f"{exercise.card.minutes} min", "dim"),
            Text(standing, STYLES[standing]),
            Text(", ".join(notes), "dim"),
        )
    yield table
