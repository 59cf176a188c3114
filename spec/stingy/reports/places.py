"""The candidate's methods that the important steps of a story called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stingy.language.account import Line
from stingy.language.model import KNOWN
from stingy.transport.target import method


@dataclass(frozen=True)
class Place:
    """A step of a story, and the candidate's method that the step called."""

    step: int
    """The number of the step in its story, from 1."""
    method: str
    where: str
    """Place of the method's ``def``, such as ``queue.py:17``."""

    def __str__(self) -> str:
        return f"step {self.step}: {self.method}(), {self.where}"


def find_places(story: Sequence[Line], methods: Mapping[str, str]) -> Sequence[Place]:
    """Return up to two places: of the step that may have caused the failure, and of the wrong step.

    The wrong step is the first one that is marked, or else the last call. The cause is the last
    earlier step about the same item. For a call that is about no item, such as a checkout or a
    sync, it is the last earlier call of another op. ``methods``: where each method is, by its name;
    steps of other methods are left out.
    """
    numbered = list(enumerate(story, 1))
    wrong = next(((n, line) for n, line in numbered if line.expected), None)
    # If no model says which step is wrong, the last call is the one that showed it.
    wrong = wrong or next(((n, line) for n, line in reversed(numbered) if line.op), None)
    if wrong is None:
        return ()
    steps = [*_before(numbered[: wrong[0] - 1], wrong[1]), wrong]
    named = [(n, method(line.op)) for n, line in steps if line.op]
    return [Place(n, name, methods[name]) for n, name in named if name in methods]


def _before(earlier: Sequence[tuple[int, Line]], wrong: Line) -> Iterator[tuple[int, Line]]:
    about = wrong.item or _item(wrong.outcome) or _item(wrong.expected)
    for n, line in reversed(earlier):
        if about is None or (wrong.item is None and wrong.op and wrong.op not in KNOWN):
            near = line.op not in ("", wrong.op)
        else:
            near = about in (line.item, _item(line.outcome))
        if near:
            yield n, line
            return


def _item(text: str) -> str | None:
    """Return the first quoted item of an outcome such as ``to return 'a'``; None if it has none."""
    _, quote, rest = text.partition("'")
    return rest.partition("'")[0] if quote else None
