"""The search tells apart what threads touch, and loses no order: what any order shows, one of those that it runs shows.

``lab/tests/engine/test_touching.py`` does the same with every pair of calls.
"""

from itertools import pairwise

from touching import CALLS, difference

MOST = 40
"""Orders of a pair, in a search that leaves none out. Pairs with more are left to the lab."""


def test_two_calls_at_once_show_nothing_else():
    """Each call beside itself and beside its neighbour in ``Things``, which touches the same kind of thing."""
    pairs = [*((name, name) for name in CALLS), *pairwise(CALLS)]
    found = {pair: difference([[name] for name in pair], MOST) for pair in pairs}
    assert {pair: wrong for pair, wrong in found.items() if wrong} == {}
    assert sum(wrong is not None for wrong in found.values()) > 70
