"""The search loses no order of any two calls on ``Things``, nor of small programs."""

from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touching import CALLS, difference

MOST = 250
"""Maximum number of orders of a program in a complete search. Programs with more are skipped."""
PAIRS = list(combinations_with_replacement(CALLS, 2))
PARTS = 8
"""Number of tests that share the pairs, for xdist."""


@pytest.mark.budget(40)
@pytest.mark.parametrize("part", range(PARTS))
def test_two_calls_at_once_show_nothing_else(part):
    found = {pair: difference([[name] for name in pair], MOST) for pair in PAIRS[part::PARTS]}
    assert {pair: wrong for pair, wrong in found.items() if wrong} == {}
    assert sum(wrong is not None for wrong in found.values()) > len(found) * 0.85


@pytest.mark.budget(40)
@settings(max_examples=10)
@given(st.lists(st.lists(st.sampled_from(CALLS), min_size=1, max_size=2), min_size=2, max_size=3))
def test_small_programs_show_nothing_else(program):
    assert not difference(program, MOST)
