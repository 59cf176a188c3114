"""All small programs: steps of a few lanes before a race, then calls at once.

Programs chosen by hand miss cases. So every program of a size is made, except those that differ
from another only by swapped lanes or items, and those that add nothing new: see
``Calls.has_point``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, permutations, product, zip_longest
from math import gcd, prod
from random import Random

from stingy.language.values import Range

ITEMS = ("a", "b")
OTHER: Mapping[str, str] = {"a": "b", "b": "a"}

NOWHERE, QUEUED = "nowhere", "queued"

Lane = tuple[str, ...]
"""The calls of one lane, in order."""
Beginning = tuple[str | int, ...]
"""Where each item is when the race begins: nowhere, queued, or held by the lane of this number."""


@dataclass(frozen=True)
class Small:
    """A small program of a race, as the two texts that ``Race.play`` takes."""

    before: str
    at_once: str


@dataclass(frozen=True)
class Size:
    lanes: int
    calls: int
    """Limit of calls for each lane."""

    def __str__(self) -> str:
        return f"{self.lanes} × {self.calls}"


SMALL = Size(2, 1)
"""The smallest programs, all of which are run first."""
LARGER = (Size(3, 1), Size(2, 2), Size(2, 3), Size(3, 2))
"""Sizes of the programs to run after that, in turn, as long as there is time."""


@dataclass(frozen=True)
class Arranged:
    """A small program before it is written: where the items are first, and the calls of each lane."""

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
        """Yield the equivalent programs: with lanes or items swapped, and the program itself."""
        # With both items queued, swapping them would change their order in the queue.
        renamed = (False,) if self.begins == (QUEUED, QUEUED) else (False, True)
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
        """True if this program has the least key of all equivalent ones: only that one is run."""
        return all(self.key <= other.key for other in self.likenesses())

    @property
    def key(self) -> tuple[tuple[str, ...], tuple[Lane, ...]]:
        return tuple(map(str, self.begins)), self.lanes


@dataclass(frozen=True)
class Calls:
    """The calls that programs are made of, in addition to Get and Done."""

    adds: tuple[str, ...] = ("add {}",)
    """Ways to add an item; ``{}`` is the item."""
    looks: tuple[str, ...] = ()
    """Calls that change nothing."""
    once: str = ""
    """A call that each program has once, on a lane without a Get before it; empty for none."""
    needs: str = ""
    """A call that each program must contain, with a Get too if ``hands_out``; empty for none."""
    hands_out: bool = True
    """True if added items can be handed out and then need a Done."""

    def programs(self, size: Size) -> Iterator[Small]:
        """Yield all small programs of a size (numbers of lanes and calls)."""
        return (made for n in range(self._raw(size)) if (made := self._program(size, n)))

    def shuffle(self, size: Size, random: Random) -> Iterator[Small]:
        """Yield all small programs of a size, each once, in random order."""
        raw = self._raw(size)
        step = next(step for step in iter(lambda: random.randrange(1, raw + 1), None) if gcd(step, raw) == 1)
        first = random.randrange(raw)
        return (made for n in range(raw) if (made := self._program(size, (first + n * step) % raw)))

    def list_all(self, seed: str) -> Iterator[Small]:
        """Yield all programs of the smallest size, then larger ones of each size in turn, at random."""
        random = Random(seed)  # noqa: S311 - not for security
        yield from self.shuffle(SMALL, random)
        larger = [self.shuffle(size, random) for size in LARGER]
        for together in zip_longest(*larger):
            yield from filter(None, together)

    def has_point(self, program: Arranged, size: Size) -> bool:
        """Return True if a program can show something that no other program of this size shows.

        It cannot if

        - it lacks ``once`` or ``needs``, or only looks,
        - no item is ever present to be got,
        - it adds the item in hand, though only one item is ever present: a program that adds this
          item by name covers it,
        - an item is queued at the start though a lane has room for one more call: the program with
          that Add in the race covers it,
        - an item is queued at the start, and the program has neither a Get nor an Add of it,
        - there are more than two lanes, and an item is held but neither finished nor added.
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
        """Return the program of this size with this number; None if another program covers it."""
        block = next(block for block in _blocks(self, size) if number < block.end)
        lanes = []
        for choice in block.lanes:
            number, n = divmod(number, len(choice))
            lanes.append(choice[n])
        program = Arranged(block.begins, tuple(lanes))
        return program.write() if self.has_point(program, size) and program.is_first else None

    def _raw(self, size: Size) -> int:
        """Return how many programs of this size can be numbered, including redundant ones."""
        return _blocks(self, size)[-1].end


@dataclass(frozen=True)
class Programs(Range):
    """The range of all small programs that can be made of these calls."""

    calls: Calls = field(kw_only=True)


def programs_of(calls: Calls) -> Programs:
    """Return the range of all small programs with these calls, on the items a and b."""

    one = calls.once or calls.needs.format("a or b")
    ends = f", one of which calls {one}" if one else ""
    words = f"a program of two lanes with up to three calls each, or of three with up to two{ends}"
    return Programs(words, list_all=calls.list_all, calls=calls)


def beside_each_other(each: str, other: str) -> Range:
    """Return a range of programs with two lanes, of one to three calls each.

    One lane makes the call ``each``, for the items a and b; the other makes the call ``other``.
    """

    def list_all(seed: str) -> Iterator[Small]:
        items = chain.from_iterable(product(ITEMS, repeat=n) for n in (1, 2, 3))
        lanes = [[each.format(item) for item in some] for some in items if some[0] == ITEMS[0]]
        programs = [
            Small("", f"{', '.join(lane)} | {', '.join([other] * n)}") for lane in lanes for n in (1, 2, 3)
        ]
        Random(seed).shuffle(programs)  # noqa: S311 - not for security
        return iter(sorted(programs, key=lambda program: program.at_once.count(",")))

    words = f"one to three times {each.format('a or b')}, and at once one to three times {other}"
    return Range(words, list_all=list_all)


@dataclass(frozen=True)
class Block:
    """All small programs of one size that begin with the items in the same places."""

    begins: Beginning
    lanes: Sequence[Sequence[Lane]]
    """For each lane, all the programs it can run."""
    end: int
    """Number of programs up to the end of this block."""


@cache
def _blocks(calls: Calls, size: Size) -> Sequence[Block]:
    blocks: list[Block] = []
    places = (NOWHERE, QUEUED, *range(1, size.lanes + 1)) if calls.hands_out else (NOWHERE,)
    for begins in product(places, repeat=len(ITEMS)):
        lanes = [_lanes(calls, _held(begins, lane), size.calls) for lane in range(1, size.lanes + 1)]
        blocks.append(Block(begins, lanes, (blocks[-1].end if blocks else 0) + prod(map(len, lanes))))
    return blocks


GET, DONE, AGAIN = "get", "done", "add"
"""``done`` and ``add`` without an item mean the item that the lane got first of those it holds."""


@cache
def _lanes(calls: Calls, held: frozenset[str], most: int) -> Sequence[Lane]:
    """Return all programs of up to ``most`` calls for a lane that holds these items at the start."""

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
