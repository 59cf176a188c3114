"""Small programs that nobody thought of: what a few lanes do first, and then at once."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from stingy.language.values import Range

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Small:
    """As ``Race.play`` takes it."""

    before: str
    at_once: str


def small_programs(last: str = "") -> Range:
    """Two or three lanes with one to four operations each on the items a and b; one may end with ``last``."""

    def drawn(random: Random) -> Small:
        return _drawn(random, last)

    def strategy() -> SearchStrategy[Small]:
        from hypothesis import strategies

        return strategies.integers(0).map(lambda number: drawn(Random(number)))  # noqa: S311

    ends = f", of which one ends with {last}" if last else ""
    return Range(f"a small program of two or three lanes, drawn by the seed{ends}", strategy, drawn)


def _drawn(random: Random, last: str) -> Small:
    lanes = random.choice((2, 3, 3))
    queued = [f"add {item}" for item in "ab" if random.random() < 0.5]
    taken = [f"{random.randint(1, lanes)} get" for _ in queued if random.random() < 0.6]
    at_once = [_lane(random, sum(step.startswith(str(n)) for step in taken)) for n in range(1, lanes + 1)]
    if last:  # by a lane that nothing can keep from it
        at_once[-1] = ", ".join([*(f"add {random.choice('ab')}" for _ in range(random.randint(0, 2))), last])
    return Small("; ".join([*queued, *taken]), " | ".join(at_once))


def _lane(random: Random, held: int) -> str:
    """One to four operations, with a Done only where the lane has something in hand, or surely had a Get."""
    made: list[str] = []
    for _ in range(random.randint(1, 4)):
        op = random.choices(("add a", "add b", "add", "get", "done", "len"), (3, 3, 1, 4, 5, 2))[0]
        if op in ("done", "add") and not held:
            op = random.choice(("add a", "get"))
        held += {"get": 1, "done": -1}.get(op, 0)
        made.append(op)
    return ", ".join(made)
