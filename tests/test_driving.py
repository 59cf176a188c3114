"""A puzzle: whoever says who goes next is told where each lane stands, and a promise is called broken once it is, and not before."""

from collections import Counter

import pytest
from msgspec.structs import replace

from stingy.language.account import Held
from stingy_kata.driving import played
from stingy_kata.exercise import find_exercise
from stingy_kata.puzzle import find_puzzle, puzzles

MENDED = {"changes": (), "of": "solution"}
WITH_BOTH_ADDED = ("producer", "producer")
WITH_A_DRAIN_THAT_WAITS = ("producer", "worker 1", "drainer")


def ends(puzzle, begins=()):
    """How each way of playing it ends: where a promise is broken, or nobody can go on."""
    with played(puzzle) as drive:
        ahead = [begins]
        while ahead:
            position = drive(ahead.pop())
            if position.broken or not position.choices:
                yield position
            else:
                ahead += [(*position.order, choice) for choice in position.choices]


@pytest.mark.parametrize("puzzle", puzzles(), ids=lambda it: it.name)
def test_its_order_does_it_and_no_turn_less(puzzle):
    with played(puzzle) as drive:
        *before, last = [drive(puzzle.order[:n]) for n in range(len(puzzle.order) + 1)]

    assert last.broken
    assert not any(it.broken for it in before)
    assert [it.order for it in before] == [puzzle.order[:n] for n in range(len(before))]
    assert all(choice in it.choices for it, choice in zip(before, puzzle.order, strict=True))


def test_two_workers_hold_the_item_in_every_order_that_is_called_broken_and_in_no_other():
    found = list(ends(find_puzzle("workers")))

    both = [sum("a" in lane.holds for lane in it.lanes) == 2 for it in found]
    assert both == [bool(it.broken) for it in found]
    assert Counter(both) == {True: 42, False: 34}


def test_a_drain_sleeps_for_ever_in_every_order_that_is_called_broken_and_in_no_other():
    found = list(ends(find_puzzle("asleep")))

    asleep = [not it.sets["processing"] and it.lanes[-1].waits for it in found]
    assert asleep == [bool(it.broken) for it in found]
    assert Counter(asleep) == {True: 2, False: 10}


def test_a_drain_returns_while_an_item_is_held_in_every_order_that_is_called_broken_and_in_no_other():
    found = list(ends(find_puzzle("early"), WITH_BOTH_ADDED))

    early = [it.lanes[-1].says == "is through" and it.sets["processing"] != [] for it in found]
    assert early == [bool(it.broken) for it in found]
    assert Counter(early)[True] == 8


def test_a_worker_that_goes_home_because_a_drain_has_begun_is_accused_of_nothing():
    """Though that drain has not returned."""
    found = list(ends(find_puzzle("early"), WITH_A_DRAIN_THAT_WAITS))

    assert found
    assert not any(it.broken for it in found)


@pytest.mark.parametrize(
    ("name", "begins"),
    [("workers", ()), ("asleep", ()), ("early", WITH_BOTH_ADDED), ("early", WITH_A_DRAIN_THAT_WAITS)],
)
def test_nothing_breaks_what_is_mended(name, begins):
    assert not any(it.broken for it in ends(replace(find_puzzle(name), **MENDED), begins))


def test_the_sets_are_those_of_the_code_and_beside_the_story_those_of_a_right_queue():
    """In the gap of this Get the item is in none of the code's sets, and a right queue still has it."""
    with played(find_puzzle("workers")) as drive:
        found = drive(["producer", "worker 1"])

    assert found.sets == {"queue": [], "dirty": [], "processing": []}
    assert found.story[-1].held == Held(("a",), ("a",), ())
    producer, worker, other = found.lanes
    assert (worker.call, worker.says) == ("get", f"stands before line {worker.line}: with self._changed:")
    assert (producer.call, other.says, other.line) == ("add", "has not begun", 0)


def test_who_waits_and_who_was_woken_is_told():
    with played(find_puzzle("early")) as drive:
        waits = drive(find_puzzle("early").order[:5]).lanes[-1]
        woken = drive(find_puzzle("early").order[:6]).lanes[-1]

    assert (waits.can, waits.waits, waits.says) == (
        False,
        True,
        f"waits to be woken in line {waits.line}: self._idle.wait()",
    )
    assert (woken.can, woken.waits, woken.says) == (
        True,
        False,
        f"was woken in line {woken.line}: self._idle.wait()",
    )


def test_a_turn_that_cannot_be_taken_is_passed_over():
    """As in a link that somebody has written by hand."""
    with played(find_puzzle("asleep")) as drive:
        found = drive(["producer", "producer", "nobody", "worker"])

    assert found.order == ("producer", "worker")


def test_the_order_that_is_found_is_what_the_exercise_asks_for():
    """A turn is the same in both."""
    from stingy_kata.scheduling import _play

    puzzle = find_puzzle("workers")

    assert _play(puzzle.order, find_exercise("workers").start)[0]
