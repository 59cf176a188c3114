"""The choices that drawn values are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

EDGES = 8
"""One number in this many is at an end of its range, or next to it."""


Choose = Callable[[int, Callable[[Random], int]], int]
"""Makes a choice: a number from 0 to the first argument. The second draws one, given random numbers."""


class Choices:
    """A source of choices, recorded as they are made.

    Values are functions of choices. Fewer and smaller choices make a simpler value, so all kinds of
    values are simplified in the same way.
    """

    def __init__(self, choose: Choose) -> None:
        self._source = choose
        self.made: list[int] = []

    @property
    def size(self) -> tuple[int, list[int]]:
        """Sort key: the simpler choices have the smaller one."""
        return len(self.made), self.made

    def pick(self, things: Sequence[T]) -> T:
        """Choose one of these things, all equally likely; the first is the simplest."""
        return things[self._choose(len(things) - 1, lambda random: random.randrange(len(things)))]

    def number(self, least: int, most: int) -> int:
        """Choose a number; the one nearest to zero is the simplest.

        Both ends, and numbers near the simplest one, are more likely than others.
        """
        if most < 0 or (least < 0 and self.pick((False, True))):
            return -self.number(max(0, -most), -least)
        least = max(0, least)
        return least + self._choose(most - least, lambda random: _number(random, most - least))

    def repeat(self, element: Callable[[], T], least: int, most: int, simplest: int) -> list[T]:
        """Choose a list of ``least`` to ``most`` elements; all lengths are equally likely.

        A failing list may be simplified to ``simplest`` elements.
        """
        chosen: list[T] = []

        def goes_on(random: Random) -> int:
            return int(len(chosen) < least or random.randrange(most - len(chosen) + 1) > 0)

        while len(chosen) < most:
            if not self._choose(1, goes_on) and len(chosen) >= simplest:
                break
            chosen.append(element())
        return chosen

    def _choose(self, most: int, draw: Callable[[Random], int]) -> int:
        self.made.append(self._source(most, draw))
        return self.made[-1]


def simplest() -> Choices:
    """Return a source of the simplest choices: zeros."""
    return Choices(lambda _, __: 0)


def drawn_from(random: Random) -> Choices:
    """Return a source of choices that are drawn from these random numbers."""
    return Choices(lambda _, draw: draw(random))


def repeated(made: Iterable[int]) -> Choices:
    """Return a source of choices that were made before."""
    again = iter(made)
    return Choices(lambda _, __: next(again))


def _number(random: Random, most: int) -> int:
    if not random.randrange(EDGES):
        return random.choice((0, min(1, most), max(0, most - 1), most))
    if random.randrange(2):  # otherwise, nearly all numbers would be as long as the longest
        most = min(most, (1 << random.randint(0, most.bit_length())) - 1)
    return random.randint(0, most)
