"""Hand-written texts of a guarantee's page, from ``docs/walks/<guarantee>.toml``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from pages import Unsaid
from stingy.guarantees import all_rules


class Predict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to the reader of a story: what comes next? The rest of the story has the answer."""

    rule: str
    after: int
    """Number of lines of its story that are shown before the question."""
    question: str
    options: tuple[str, ...]
    says: str
    """Explanation of the answer."""
    case: str = ""
    """Name of a row, if the rule has a table; empty: the first."""


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that a user has really asked, its answer, and a link to the place of the question."""

    question: str
    answer: str
    link: str


class Walk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hand-written texts of one guarantee's page, as read from a TOML file."""

    promise: str
    not_promised: tuple[str, ...]
    why: str
    """The bug that occurs without this guarantee."""
    watch: str
    """Id of the rule whose story is shown step by step."""
    predict: Predict
    asked: tuple[Asked, ...]
    watch_case: str = ""
    figure: Literal["", "clocks", "filtering"] = ""
    """Name of a figure of its own, which comes before the story; empty if there is none."""
    exercise: str = ""
    """Name of an exercise of the workshop; if none fits, ``try_`` says what to try instead."""
    try_: str = msgspec.field(default="", name="try")


def walk(guarantee: str, folder: Path) -> Walk:
    file = folder / f"{guarantee}.toml"
    try:
        read = msgspec.toml.decode(file.read_bytes(), type=Walk)
    except FileNotFoundError:
        raise Unsaid(f"docs/walks/{file.name} is missing: {guarantee} has no page without it") from None
    except msgspec.DecodeError as error:
        raise Unsaid(f"docs/walks/{file.name}: {error}") from None
    for fault in _faults(read, guarantee):
        raise Unsaid(f"docs/walks/{file.name}: {fault}")
    return read


def _faults(read: Walk, guarantee: str) -> Iterator[str]:
    said = {"promise": read.promise, "not_promised": read.not_promised, "why": read.why, "asked": read.asked}
    yield from (f"{name} says nothing" for name, words in said.items() if not words)
    if not (read.exercise or read.try_):
        yield "name an exercise, or say what to try"
    for rule in (read.watch, read.predict.rule):
        if rule not in all_rules():
            yield f"there is no rule {rule}"
        elif not rule.startswith(f"{guarantee}/"):
            yield f"{rule} belongs to another guarantee"
    if len(read.predict.options) < 2:
        yield "predict.options: whoever is asked needs something to choose from"
    for asked in read.asked:
        if not asked.link.startswith("https://"):
            yield f"{asked.question!r} has no link to where it was asked"
