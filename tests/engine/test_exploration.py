"""Orders of a race: all if they are few, samples otherwise, the same for the same seed. A failing one is shortened."""

import sys
from functools import partial

import pytest

from scheduling import did, scheduled
from stingy.contract import SECOND
from stingy.engine.exploration import Threads, explore, replay
from stingy.engine.reduction import Reduction
from stingy.engine.scheduler import Fair
from stingy.engine.systematic import Systematic
from stingy.engine.tracing import tracer
from stingy.language.order import Budget, Failure, Order, parse_order
from world import World

PROGRAM = {"a": ["say", "count"], "b": ["count", "say"], "c": ["copy", "say_locked"]}


def attempt(order, fails=lambda world: False, program=PROGRAM, seen=None):
    """Run the program in this order; return a Failure if ``fails`` is true of the World after it."""
    with scheduled() as scheduler:
        world = did(scheduler, World)
        scheduler.follow(order.turns, tracer(World))
        for lane, steps in program.items():
            kept = [partial(getattr(world, it), lane) for n, it in enumerate(steps) if order.keeps(lane, n)]
            if kept:
                scheduler.start(lane, partial(list, map(partial.__call__, kept)))
        scheduler.settle(SECOND)
        order.trail, order.exact = tuple(scheduler.record.trail), scheduler.record.exact
        scheduler.follow(Fair())
    if seen is not None:
        seen.append((order.trail, world.number))
    return Failure(AssertionError(), 1) if fails(world) else None


def lost_count(world):
    return world.number == 1


def test_a_small_race_is_run_in_every_order():
    program = {"a": ["count"], "b": ["count_locked"]}
    seen = []
    found = explore(partial(attempt, program=program, seen=seen), "1", Budget(500))
    assert found.exhaustive
    assert found.failure is None
    assert {number for _, number in seen} == {1, 2}
    assert found.runs == len(seen) < 30


def test_a_large_race_is_sampled():
    found = explore(attempt, "1", Budget(10))
    assert not found.exhaustive
    assert 10 <= found.runs <= 30, (
        "twice as many if that looks like all of them, and then as many are drawn as ever"
    )


def test_a_race_with_sleeps_is_run_in_every_order():
    program = {"a": ["doze", "count"], "b": ["count", "doze"]}
    seen = []
    found = explore(partial(attempt, program=program, seen=seen), "1", Budget(500))
    assert found.exhaustive
    assert {number for _, number in seen} == {2, 3, 4}


def test_a_search_near_its_end_gets_all_runs():
    program = {"a": ["say_locked", "count_locked"], "b": ["count_locked", "say_locked"]}
    search, whole = Reduction(), 0
    while search.open:
        order = Order(whole, Systematic(search))
        attempt(order, program=program)
        search.learn(order.turns, exact=order.exact)
        whole += 1
    found = explore(partial(attempt, program=program), "1", Budget(whole * 2))
    assert found.exhaustive
    assert found.runs <= whole * 1.2, "no order is drawn; which comes first makes a little difference"


def test_the_same_seed_tries_the_same_orders():
    def trails(seed):
        seen = []
        explore(partial(attempt, seen=seen), seed, Budget(20))
        return [trail for trail, _ in seen]

    assert trails("5") == trails("5")
    assert trails("5") != trails("6")


def test_a_failure_is_shortened_and_found_again_by_its_token():
    def race(order):
        return attempt(order, lost_count)

    found = explore(race, "1", Budget(500), keeps=lambda without: not without & {("a", 1), ("b", 0)})
    without, turns = parse_order(found.token)
    assert without == {("a", 0), ("b", 1), ("c", 0), ("c", 1)}, "only the two that count are left"
    assert sum(points is not None for _, points in turns) == 1, "one interruption between reading and writing"
    for _ in range(100):
        assert replay(race, Threads(), found.token).failure is not None


def test_calls_that_the_rule_is_about_are_kept():
    def keeps(without):
        return ("c", 0) not in without

    found = explore(lambda order: attempt(order, lost_count), "1", Budget(500), keeps=keeps)
    assert ("c", 0) not in parse_order(found.token)[0]


def test_a_failure_that_does_not_happen_again_is_shown_as_it_was():
    runs = iter([None, Failure(AssertionError("once"), 1)])

    def race(order):
        attempt(order)
        return next(runs, None)

    found = explore(race, "1", Budget(500), keeps=lambda without: True)
    assert str(found.failure.error) == "once"


def test_a_token_holds_the_whole_order():
    order = Order(
        3, without=frozenset({("lane 1", 0), ("before", 2)}), trail=(("lane 2", 14), ("lane 1", None))
    )
    assert order.token == "before.2,lane-1.0/lane-2:14,lane-1"
    assert parse_order(order.token) == (order.without, order.trail)


def test_tracing_ends_with_the_race():
    before = sys.gettrace()
    attempt(Order(0, Fair()))
    assert sys.gettrace() is before


@pytest.mark.parametrize("program", [PROGRAM, {"a": ["say", "count"], "b": ["say", "count"]}])
def test_a_failure_is_shortened_to_the_same_order_with_any_seed(program):
    def race(order):
        return attempt(order, lost_count, program)

    counts = {(lane, n) for lane, steps in program.items() for n, it in enumerate(steps) if it == "count"}

    def token(seed):
        return explore(race, seed, Budget(500), keeps=lambda without: not without & counts).token

    assert len({token(str(seed)) for seed in range(5)}) == 1


def test_a_failure_is_shortened_until_nothing_can_be_left_out():
    """Every part of the order is tried, although the first lanes have many operations that do nothing."""
    program = {
        "a": ["say"] * 12,
        "b": ["say"] * 12,
        "c": ["count", *["say"] * 12],
        "d": [*["say"] * 12, "count"],
    }

    def race(order):
        return attempt(order, lost_count, program)

    both = {("c", 0), ("d", 12)}
    found = explore(race, "1", Budget(2_000), keeps=lambda without: not without & both)
    everything = {(lane, n) for lane, steps in program.items() for n in range(len(steps))}
    assert everything - parse_order(found.token)[0] == both
