"""The check finds an order that explains a history exactly if there is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histories import calls, overlapping
from stingy.language.linearizability import find_unexplained
from stingy.language.model import SHUTDOWN, State, step


@pytest.mark.parametrize(
    "text",
    [
        "p add a 1 2; w get 3 4 a",
        "w get 1 4 a; p add a 2 3",
        "w get 1 6 a; v get 2 5 b; p add a 3 4; q add b 3 4",
        "w get 1 -; p add a 2 3; v get 4 5 a",
        "p add a 1 2; w get 3 4 a; p add a 5 6; v get 7 -",
        "p add a 1 2; w get 3 4 a; p add a 5 8; w done a 6 7; v get 9 10 a",
        "s shut_down 1 4; w get 2 3 shutdown; p add a 5 6",
        "p add a 1 2; w get 3 4 a; d shut_down_with_drain 5 8; w done a 6 7",
        "p add a 1 2; w get 3 4 a; d shut_down_with_drain 5 -",
        "p add a 1 2; d shut_down_with_drain 3 4; w get 5 6 a",
        "p add a 1 2; d shut_down_with_drain 3 -",
        "p add a 1 6; q len 2 3 0; r len 4 5 1",
    ],
)
def test_an_order_explains_it(text):
    assert find_unexplained(calls(text)) is None


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("w get 1 -; p add a 2 3", "get() of w still waits"),
        ("p add a 1 2; w get 3 4 a; p add a 5 6; v get 7 8 a", "get() of v answered 'a'"),
        ("p add a 1 2; p add b 3 4; w get 5 6 b", "get() of w answered 'b'"),
        ("p add a 1 2; p add a 3 4; w get 5 6 a; w done a 7 8; w get 9 10 a", "get() of w answered 'a'"),
        ("s shut_down 1 2; w get 3 -", "get() of w still waits"),
        ("s shut_down 1 2; p add a 3 4; w get 5 6 a", "get() of w answered 'a'"),
        ("w get 1 2 shutdown; s shut_down 3 4", "get() of w answered 'shutdown'"),
        ("p add a 1 2; w get 3 4 a; d shut_down_with_drain 5 6; w done a 7 8", "shut_down_with_drain() of d"),
        (
            "p add a 1 2; w get 3 4 a; d shut_down_with_drain 5 -; w done a 6 7",
            "shut_down_with_drain() of d still waits",
        ),
        ("p add a 1 2; q len 3 4 0", "len() of q answered 0"),
    ],
)
def test_no_order_explains_it(text, culprit):
    assert str(find_unexplained(calls(text))).startswith(culprit)


@given(st.randoms(use_true_random=False))
def test_overlapping_calls_of_the_model_are_explained(random):
    made, _ = overlapping(random, 14)
    assert find_unexplained(made) is None


def test_a_get_reports_a_shutdown_only_after_one():
    shut = step(State(), "shut_down", None, None)
    assert step(shut, "get", None, SHUTDOWN) == shut
    assert step(State(), "get", None, SHUTDOWN) is None
