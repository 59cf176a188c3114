"""Small programs, all of them: what a few lanes do first, and then at once.

Whoever chooses programs by hand forgets some. So every program of a size is made, but for those that differ from
another only in which lane or which item is which, and for those that say nothing new: see ``Calls.has_point``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, permutations, product, zip_longest
from math import gcd, prod
from random import Random
from typing import TYPE_CHECKING

from stingy.language.values import Range

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

ITEMS = ("a", "b")
OTHER: Mapping[str, str] = {"a": "b", "b": "a"}

NOWHERE, QUEUED = "nowhere", "queued"

Lane = tuple[str, ...]
"""What a lane calls, one after the other."""
Beginning = tuple[str | int, ...]
"""Where each item is when the lanes begin: nowhere, queued, or in the hands of a lane, by its number."""


@dataclass(frozen=True)
class Small:
    """As ``Race.play`` takes it."""

    before: str
    at_once: str


@dataclass(frozen=True)
class Size:
    lanes: int
    calls: int
    """Of each lane, at most."""

    def __str__(self) -> str:
        return f"{self.lanes} × {self.calls}"


SMALL = Size(2, 1)
"""Few enough to be run one and all, before any other."""
LARGER = (Size(3, 1), Size(2, 2), Size(2, 3), Size(3, 2))
"""What is drawn from in turn, as far as there is time."""


@dataclass(frozen=True)
class Arranged:
    """A program in its parts."""

    begins: Beginning
    lanes: tuple[Lane, ...]

    def write(self) -> Small:
        held = [
            f"add {item}; {place} get"
            for item, place in zip(ITEMS, self.begins, strict=True)
            if isinstance(place, int)
        ]
        queued = [f"add {item}" for item, place in zip(ITEMS, self.begins, strict=True) if place == QUEUED]
        return Small("; ".join(held + queued), " | ".join(map(", ".join, self.lanes)))

    def likenesses(self) -> Iterator[Arranged]:
        """The same with lanes, or items, in each other's place; this one is among them."""
        renamed = (False,) if self.begins == (QUEUED, QUEUED) else (False, True)  # one of the two is first
        for order in permutations(range(len(self.lanes))):
            number = {old + 1: new + 1 for new, old in enumerate(order)}
            begins = tuple(
                number.get(place, place) if isinstance(place, int) else place for place in self.begins
            )
            lanes = tuple(self.lanes[old] for old in order)
            for other in renamed:
                yield (
                    Arranged(begins[::-1], tuple(map(_rename, lanes))) if other else Arranged(begins, lanes)
                )

    @property
    def is_first(self) -> bool:
        """Whether it is the one of its likenesses that stands for all."""
        return all(self.key <= other.key for other in self.likenesses())

    @property
    def key(self) -> tuple[tuple[str, ...], tuple[Lane, ...]]:
        return tuple(map(str, self.begins)), self.lanes


@dataclass(frozen=True)
class Calls:
    """Of which calls programs are made, besides Get and Done."""

    adds: tuple[str, ...] = ("add {}",)
    """The ways to add an item."""
    looks: tuple[str, ...] = ()
    """Calls that change nothing."""
    once: str = ""
    """What is called once in each program, by a lane that cannot be waiting for an item then."""
    needs: str = ""
    """What each program has to have; and a Get, if there is one."""
    hands_out: bool = True
    """Whether what is added can be got, and has to be finished with."""

    def programs(self, size: Size) -> Iterator[Small]:
        """All of a size."""
        return (made for n in range(self._raw(size)) if (made := self._program(size, n)))

    def shuffle(self, size: Size, random: Random) -> Iterator[Small]:
        """The same, each of them once, in an order at random."""
        raw = self._raw(size)
        step = next(step for step in iter(lambda: random.randrange(1, raw + 1), None) if gcd(step, raw) == 1)
        first = random.randrange(raw)
        return (made for n in range(raw) if (made := self._program(size, (first + n * step) % raw)))

    def list_all(self, seed: str) -> Iterator[Small]:
        """The smallest, one and all; then, in turn, one of each larger size, at random, until there is none left."""
        random = Random(seed)  # noqa: S311 - no secret
        yield from self.shuffle(SMALL, random)
        larger = [self.shuffle(size, random) for size in LARGER]
        for together in zip_longest(*larger):
            yield from filter(None, together)

    def has_point(self, program: Arranged, size: Size) -> bool:
        """Whether the program says something that no other does.

        Not so if nothing is ever there to be got; if an item is queued that nobody could meet; if "what it has in
        hand" can but be one item, and so could be named; and if something is queued at the beginning though a lane
        could as well add it then, as it has room: orders in which it does so first are among the others'. What is
        in hand, and neither finished with nor added, is there beside one other lane, and not beside two.
        """
        calls = list(chain.from_iterable(program.lanes))
        if self.once and calls.count(self.once) != 1:
            return False
        if self.needs and not any(call in calls for call in _of_each((self.needs,))):
            return False
        if self.needs and self.hands_out and GET not in calls:
            return False
        if all(call in self.looks for call in calls):
            return False
        added = [any(call in calls for call in _of_each(self.adds, item)) for item in ITEMS]
        present = [place != NOWHERE or add for place, add in zip(program.begins, added, strict=True)]
        if not any(present) or (AGAIN in calls and not all(present)):
            return False
        queued = [n for n, place in enumerate(program.begins) if place == QUEUED]
        if queued and any(len(lane) < size.calls for lane in program.lanes):
            return False
        held = [n for n, place in enumerate(program.begins) if isinstance(place, int)]
        if size.lanes > 2 and any(not added[n] and f"done {ITEMS[n]}" not in calls for n in held):
            return False
        return GET in calls or all(added[n] for n in queued)

    def _program(self, size: Size, number: int) -> Small | None:
        """The one of this number, of all that can be put together; None if another stands for it, or none need."""
        block = next(block for block in _blocks(self, size) if number < block.end)
        lanes = []
        for choice in block.lanes:
            number, n = divmod(number, len(choice))
            lanes.append(choice[n])
        program = Arranged(block.begins, tuple(lanes))
        return program.write() if self.has_point(program, size) and program.is_first else None

    def _raw(self, size: Size) -> int:
        """How many can be put together, alike or not."""
        return _blocks(self, size)[-1].end


@dataclass(frozen=True)
class Programs(Range):
    """Small programs that are made of these calls."""

    calls: Calls = field(kw_only=True)


def programs_of(calls: Calls) -> Programs:
    """Two lanes with up to three calls each, and three with up to two, on the items a and b."""

    def strategy() -> SearchStrategy[Small]:
        from hypothesis import strategies

        return strategies.integers(0).map(lambda number: next(calls.list_all(str(number))))

    one = calls.once or calls.needs.format("a or b")
    ends = f", one of which calls {one}" if one else ""
    words = f"a program of two lanes with up to three calls each, or of three with up to two{ends}"
    return Programs(words, strategy, calls.list_all, calls=calls)


def beside_each_other(each: str, other: str) -> Range:
    """A lane with one to three of the one call, on the items a and b, and another with one to three of the other."""

    def list_all(seed: str) -> Iterator[Small]:
        items = chain.from_iterable(product(ITEMS, repeat=n) for n in (1, 2, 3))
        lanes = [[each.format(item) for item in some] for some in items if some[0] == ITEMS[0]]
        programs = [
            Small("", f"{', '.join(lane)} | {', '.join([other] * n)}") for lane in lanes for n in (1, 2, 3)
        ]
        Random(seed).shuffle(programs)  # noqa: S311 - no secret
        return iter(sorted(programs, key=lambda program: program.at_once.count(",")))

    def strategy() -> SearchStrategy[Small]:
        from hypothesis import strategies

        return strategies.sampled_from(list(list_all("")))

    words = f"one to three times {each.format('a or b')}, and at once one to three times {other}"
    return Range(words, strategy, list_all)


@dataclass(frozen=True)
class Block:
    """The programs that begin in the same way."""

    begins: Beginning
    lanes: Sequence[Sequence[Lane]]
    """What each lane can call."""
    end: int
    """How many there are up to here."""


@cache
def _blocks(calls: Calls, size: Size) -> Sequence[Block]:
    blocks: list[Block] = []
    places = (NOWHERE, QUEUED, *range(1, size.lanes + 1)) if calls.hands_out else (NOWHERE,)
    for begins in product(places, repeat=len(ITEMS)):
        lanes = [_lanes(calls, _held(begins, lane), size.calls) for lane in range(1, size.lanes + 1)]
        blocks.append(Block(begins, lanes, (blocks[-1].end if blocks else 0) + prod(map(len, lanes))))
    return blocks


GET, DONE, AGAIN = "get", "done", "add"
"""Done of what the lane has had longest of what it got, and an Add of it, name no item."""


@cache
def _lanes(calls: Calls, held: frozenset[str], most: int) -> Sequence[Lane]:
    """All that a lane can call which has these items at the beginning."""

    def longer(lane: Lane, held: frozenset[str], got: int) -> Iterator[Lane]:
        if lane:
            yield lane
        if len(lane) == most:
            return
        for call in (*_of_each(calls.adds), *calls.looks):
            yield from longer((*lane, call), held, got)
        if calls.hands_out:
            yield from longer((*lane, GET), held, got + 1)
        if got:
            yield from longer((*lane, AGAIN), held, got)
            yield from longer((*lane, DONE), held, got - 1)
        for item in sorted(held):
            yield from longer((*lane, f"done {item}"), held - {item}, got)
        if calls.once and GET not in lane and calls.once not in lane:
            yield from longer((*lane, calls.once), held, got)

    return tuple(longer((), held, 0))


def _held(begins: Beginning, lane: int) -> frozenset[str]:
    return frozenset(item for item, place in zip(ITEMS, begins, strict=True) if place == lane)


def _of_each(adds: Sequence[str], *items: str) -> Sequence[str]:
    return tuple(add.format(item) for item in items or ITEMS for add in adds)


@cache
def _rename(lane: Lane) -> Lane:
    return tuple(
        " ".join(OTHER.get(word, word) if n == 1 else word for n, word in enumerate(call.split()))
        for call in lane
    )
