"""Findings in a history: each fault is found, and no correct history is accused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histories import calls, overlapping
from stingy.language.history import History

LOST = "a, added by p, was not handed out again"
UNASKED = "the Get of w reported a shutdown that nobody had asked for"
TOO_SOON = "the Get of w reported the shutdown while a was queued"
OVERTAKEN = "b was handed out before a, which had been added before it"
HELD_UP = "the drain of d waits, though ShutDown was called after it had begun"
LEFT = "p add a 1 2; s shut_down 5 6;"
DRAIN = "d shut_down_with_drain 1 -;"


@pytest.mark.parametrize(
    ("text", "finding", "said"),
    [
        (
            "p add a 1 2; w1 get 3 4 a; w2 get 5 6 a; w1 done a 7 8",
            "held_twice",
            "a was with w1 and w2 at once",
        ),
        ("p add a 1 2; w1 get 3 4 a; w2 get 5 6 a", "excess", "a was handed out 2 times after 1 Adds"),
        ("p add_after a 1 2; w get 3 4 a; w get 5 6 a", "excess", "a was handed out 2 times after 1 Adds"),
        ("p add a 1 2; w get 3 4 b", "excess", "b was handed out 1 times after 0 Adds"),
        ("p add a 1 2; w get 3 4 a; p add a 5 6", "lost", LOST),
        ("p add_after a 1 2", "lost", LOST),
        ("w get 1 2 shutdown", "sent_home_unasked", UNASKED),
        ("w get 1 2 shutdown; s shut_down 3 4", "sent_home_unasked", UNASKED),
        (f"{LEFT} w get 0 8 shutdown", "sent_home_too_soon", TOO_SOON),
        (f"{LEFT} w get 7 8 shutdown", "sent_home_too_soon", TOO_SOON),
        (f"{LEFT} w get 7 8 shutdown; v get 9 10 a", "sent_home_too_soon", TOO_SOON),
        (f"{LEFT} w get 7 8 shutdown; v get -3 -2 a; v done a 3 4", "sent_home_too_soon", TOO_SOON),
        ("p add a 1 2; p add b 3 4; w get 5 6 b", "overtaken", OVERTAKEN),
        (f"{DRAIN} s shutting_down 2 3 True; s shut_down 4 5", "held_up", HELD_UP),
        (f"{DRAIN} s get 2 3 shutdown; s shut_down 4 5", "held_up", HELD_UP),
    ],
)
def test_a_fault_is_found(text, finding, said):
    assert getattr(History(calls(text)), finding)() == [said]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("p add a 1 4; q shut_down 2 3", "lost"),
        ("p add_after a 1 2; p shut_down 3 4", "lost"),
        ("s shut_down 1 4; w get 2 3 shutdown", "sent_home_unasked"),
        ("s shut_down_with_drain 1 4; w get 2 3 shutdown", "sent_home_unasked"),
        ("p add a 1 4; s shut_down 2 3; w get 5 6 shutdown", "sent_home_too_soon"),
        (f"{LEFT} w get 7 8 shutdown; v get 3 4 a", "sent_home_too_soon"),
        (f"{LEFT} w get 7 8 shutdown; v get 7 9 a", "sent_home_too_soon"),
        (f"{LEFT} w get 7 8 shutdown; v get 0 9 a", "sent_home_too_soon"),
        (f"{LEFT} w get 7 8 shutdown; v get -3 -2 a", "sent_home_too_soon"),
        (f"{LEFT} w get 7 8 shutdown; v get -3 -2 a; v done a 3 8", "sent_home_too_soon"),
        (f"{LEFT} w get 7 8 shutdown; v get 0 3 a; v done a 3 4", "sent_home_too_soon"),
        ("p add a 1 2; q add b 1 4; w get 5 6 b", "overtaken"),
        ("p add a 1 2; q add b 3 4; w get 5 8 b; v get 6 7 a", "overtaken"),
        ("p add a 1 2; q add b 3 4; w get 6 7 b; v get 5 9 a", "overtaken"),
        ("p add a 1 2; q add b -1 0; q add b 3 4; w get 5 6 b", "overtaken"),
        (f"{DRAIN} s shut_down 4 5", "held_up"),
        (f"{DRAIN} s get 2 3 shutdown", "held_up"),
        (f"{DRAIN} w get 2 6 shutdown; s shut_down 4 5", "held_up"),
        (f"{DRAIN} s shutting_down 2 3 False; s shut_down 4 5", "held_up"),
    ],
)
def test_a_history_that_some_order_explains_is_not_accused(text, finding):
    """The calls overlap, so the item may have been taken, owed or added after the shutdown."""
    assert getattr(History(calls(text)), finding)() == []


@pytest.mark.parametrize(
    ("text", "found"),
    [("w get 4 5 shutdown", 1), ("", 0), ("s len 7 8 0", 0), ("w get 7 8 b", 0)],
    ids=["a Get reported it", "no call asked", "Len may leave it out", "another item"],
)
def test_an_item_is_let_in_if_it_was_queued_after_the_shutdown_was_seen(text, found):
    assert len(History(calls(f"s shut_down 3 6; {text}")).let_in(["a"])) == found


@given(st.randoms(use_true_random=False))
def test_a_queue_with_one_lock_is_never_accused(random):
    made, state = overlapping(random, 25)
    history = History(made)
    assert history.sent_home_too_soon() == []
    assert history.overtaken() == []
    assert history.excess() == []
    assert history.held_twice() == []
    assert {lost.partition(",")[0] for lost in history.lost()} <= {*state.dirty}
