"""The model of a queue with deadlines: what it settles, and what it leaves open, as upstream does."""

import pytest

from stingy.contract import SECOND
from stingy.language.model import (
    EARLY,
    Deadline,
    State,
    add,
    add_later,
    at,
    done,
    fail,
    forget,
    hand_out,
    in_turn,
)

AT_5, AT_9 = (Deadline(n * SECOND, n * SECOND, "a") for n in (5, 9))
WAITS = State(waiting=(AT_5,))
QUEUED = State(queue=("a",))
HELD = State(processing=frozenset("a"))
OWED = State(processing=frozenset("a"), owed=frozenset("a"))


def merged(state):
    """Return this state of a priority queue."""
    (after,) = (
        State(merges=True, **{it: getattr(state, it) for it in ("queue", "processing", "owed", "waiting")}),
    )
    return after


def in_both(state, call):
    """Return the states that are possible after a call, of a client-go queue and of a priority queue."""
    return [{(it.queue, it.owed, it.waiting) for it in call(kind)} for kind in (state, merged(state))]


def test_an_add_may_take_the_place_of_a_deadline_and_does_so_in_a_priority_queue():
    plain, priority = in_both(WAITS, lambda state: add(state, "a"))
    assert plain == {(("a",), frozenset(), ()), (("a",), frozenset(), (AT_5,))}
    assert priority == {(("a",), frozenset(), ())}


@pytest.mark.parametrize("state", [QUEUED, OWED])
def test_what_is_dirty_may_wait_besides_and_does_not_in_a_priority_queue(state):
    plain, priority = in_both(state, lambda it: add_later(it, AT_5))
    same = (state.queue, state.owed, ())
    assert plain == {same, (state.queue, state.owed, (AT_5,))}
    assert priority == {same}


@pytest.mark.parametrize("calls", [(AT_5, AT_9), (AT_9, AT_5)])
def test_the_earlier_deadline_counts(calls):
    (once,) = add_later(HELD, calls[0])
    assert [it.waiting for it in add_later(once, calls[1])] == [(AT_5,)]


def test_what_is_due_is_added_and_what_a_worker_holds_is_owed():
    assert [it.queue for it in at(WAITS, 5 * SECOND)] == [("a",)]
    assert [it.owed for it in at(State(processing=HELD.processing, waiting=(AT_5,)), 5 * SECOND)] == [
        OWED.owed
    ]
    assert at(WAITS, 5 * SECOND - EARLY - 1) == {WAITS}


def test_until_a_slow_call_is_over_its_deadline_may_have_come_or_not():
    slow = State(waiting=(Deadline(5 * SECOND, 3 * SECOND, "a"),))
    assert {it.queue for it in at(slow, 4 * SECOND)} == {(), ("a",)}


def test_equal_deadlines_come_in_any_order():
    both = State(waiting=(AT_5, Deadline(5 * SECOND, 5 * SECOND, "b")))
    assert {it.queue for it in at(both, 5 * SECOND)} == {("a", "b"), ("b", "a")}


def test_a_waiting_get_takes_what_is_queued():
    assert not hand_out(QUEUED, (), 1)
    assert hand_out(QUEUED, [("a", 0)], 1) == {HELD}
    assert not hand_out(HELD, [("a", 0)], 0)


def test_an_item_comes_with_the_highest_priority_of_its_adds():
    (state,) = add(State(merges=True), "a", -3)
    assert hand_out(state, [("a", -3)], 0)
    (state,) = add_later(state, AT_5, 7)
    (state,) = add(state, "a")
    assert not hand_out(state, [("a", 0)], 0)
    (held,) = hand_out(state, [("a", 7)], 0)
    (again,) = add(held, "a")
    assert done(again, "a").priority("a") == 0


def test_the_turn_is_that_of_the_first_or_of_the_most_urgent():
    plain = State(queue=("a", "b"))
    urgent = State(queue=("a", "b"), urgent=frozenset({("b", 7)}), merges=True)
    assert in_turn(plain, [("a", 0)])
    assert not in_turn(plain, [("b", 0)])
    assert not in_turn(urgent, [("a", 0)])
    assert in_turn(urgent, [("b", 7)])
    assert in_turn(urgent, [("b", 7), ("a", 0)])


def test_failures_are_counted_until_they_are_forgotten():
    (twice,) = {again for once in fail(HELD, AT_5) for again in fail(once, AT_9)}
    assert twice.failed("a") == 2
    assert forget(twice, "a").failed("a") == 0
    assert forget(twice, "a").waiting == twice.waiting
