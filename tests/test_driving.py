"""Puzzles: each turn shows the state of the lanes, and the turn that breaks a promise reports it."""

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
    """Yield the final position of each way to play a puzzle: a promise is broken, or no lane can continue."""
    with played(puzzle) as drive:
        ahead = [begins]
        while ahead:
            position = drive(ahead.pop())
            if position.broken or not position.choices:
                yield position
            else:
                ahead += [(*position.order, choice) for choice in position.choices]


@pytest.mark.parametrize("puzzle", puzzles(), ids=lambda it: it.name)
def test_the_order_of_a_puzzle_breaks_its_promise_with_its_last_turn(puzzle):
    with played(puzzle) as drive:
        *before, last = [drive(puzzle.order[:n]) for n in range(len(puzzle.order) + 1)]

    assert last.broken
    assert not any(it.broken for it in before)
    assert [it.order for it in before] == [puzzle.order[:n] for n in range(len(before))]
    assert all(choice in it.choices for it, choice in zip(before, puzzle.order, strict=True))


def both_hold(position):
    return sum("a" in lane.holds for lane in position.lanes) == 2


def is_asleep(position):
    return not position.sets["processing"] and position.lanes[-1].waits


def is_through_early(position):
    return position.lanes[-1].says == "is through" and position.sets["processing"] != []


@pytest.mark.parametrize(
    ("name", "begins", "happens", "times"),
    [
        ("workers", (), both_hold, {True: 42, False: 34}),
        ("asleep", (), is_asleep, {True: 2, False: 10}),
        ("early", WITH_BOTH_ADDED, is_through_early, {True: 8}),
    ],
)
def test_an_order_is_called_broken_exactly_if_its_promise_is(name, begins, happens, times):
    found = list(ends(find_puzzle(name), begins))
    happened = [happens(it) for it in found]
    assert happened == [bool(it.broken) for it in found]
    assert {it: happened.count(it) for it in times} == times


def test_a_worker_may_go_home_before_a_drain_returns():
    found = list(ends(find_puzzle("early"), WITH_A_DRAIN_THAT_WAITS))

    assert found
    assert not any(it.broken for it in found)


@pytest.mark.parametrize(
    ("name", "begins"),
    [("workers", ()), ("asleep", ()), ("early", WITH_BOTH_ADDED), ("early", WITH_A_DRAIN_THAT_WAITS)],
)
def test_no_order_breaks_mended_code(name, begins):
    assert not any(it.broken for it in ends(replace(find_puzzle(name), **MENDED), begins))


def test_a_story_shows_the_sets_of_a_right_queue_beside_those_of_the_code():
    """At the position tested, in the gap of a Get, the item is in none of the code's own sets."""
    with played(find_puzzle("workers")) as drive:
        found = drive(["producer", "worker 1"])

    assert found.sets == {"queue": [], "dirty": [], "processing": []}
    assert found.story[-1].held == Held(("a",), ("a",), ())
    producer, worker, other = found.lanes
    assert (worker.call, worker.says) == ("get", f"stands before line {worker.line}: with self._changed:")
    assert (producer.call, other.says, other.line) == ("add", "has not begun", 0)


def test_waiting_and_woken_lanes_are_told_apart():
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


def test_a_turn_that_cannot_be_taken_is_skipped():
    """A hand-written link to a puzzle may name a lane that cannot run."""
    with played(find_puzzle("asleep")) as drive:
        found = drive(["producer", "producer", "nobody", "worker"])

    assert found.order == ("producer", "worker")


def test_an_order_of_a_puzzle_solves_the_exercise():
    from stingy_kata.scheduling import _play

    puzzle = find_puzzle("workers")

    assert _play(puzzle.order, find_exercise("workers").start)[0]
