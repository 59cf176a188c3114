"""The candidate's methods that the important steps of a story called."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from stingy.language.account import TO_RETURN, Line, find_wrong
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
    wrong = find_wrong(story)
    if wrong is None:  # no model says which step is wrong: the last call is the one that showed it
        wrong = next((n for n in reversed(range(len(story))) if story[n].op), None)
    if wrong is None:
        return ()
    steps = [n for n in (_find_cause(story, wrong), wrong) if n is not None and story[n].op]
    named = [(n + 1, method(story[n].op)) for n in steps]
    return [Place(n, name, methods[name]) for n, name in named if name in methods]


def _find_cause(story: Sequence[Line], row: int) -> int | None:
    """Return the index of the step that may have caused the wrong one, which is in this row."""
    wrong = story[row]
    items = {line.item for line in story}
    about = wrong.item or _item(wrong.outcome, items) or _item(wrong.expected, items)
    by_item = about is not None and not (wrong.item is None and wrong.op and wrong.op not in KNOWN)
    for n in reversed(range(row)):
        line = story[n]
        if about in (line.item, _item(line.outcome, items)) if by_item else line.op not in ("", wrong.op):
            return n
    return None


def _item(text: str, items: Collection[str | None]) -> str | None:
    """Return the item of an outcome such as ``to return 'a'``; None if it has none.

    It is a value of the story, which is shown as it is, or the first quoted name.
    """
    if (said := text.removeprefix(TO_RETURN)) in items:
        return said
    _, quote, rest = text.partition("'")
    return rest.partition("'")[0] if quote else None
