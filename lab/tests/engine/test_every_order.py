"""The search through all orders loses no outcome, for every pair of steps and for larger programs.

These take too long for tests/engine.
"""

from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_reduction import STEPS, losses, with_reduction, without


@pytest.mark.budget(15)
def test_any_two_steps_at_once_lead_nowhere_else():
    assert losses([[[one], [two]] for one, two in combinations_with_replacement(STEPS, 2)], 600) == []


@pytest.mark.budget(30)
@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from(STEPS), min_size=1, max_size=2), min_size=2, max_size=3))
def test_programs_lead_nowhere_else(program):
    assert losses([program], 600) == []


def test_the_search_runs_a_quarter_of_all_orders_where_two_locks_are_taken_twice():
    program = [["count_locked", "say_locked"], ["count_locked", "say_locked"]]
    everything, all_runs = without(program, 100_000)
    reduced, runs = with_reduction(program)
    assert reduced == everything
    assert runs * 4 < all_runs
