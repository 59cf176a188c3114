"""Findings about a history: what they see, and that they accuse nobody."""

from hypothesis import given
from hypothesis import strategies as st

from stingy.language.call import Call
from stingy.language.history import History


def calls(*lines):
    return History(Call(lane, op, item, start, end, result) for lane, op, item, start, end, result in lines)


def test_two_holds_that_overlap_are_seen():
    history = calls(
        ("p", "add", "a", 1, 2, None),
        ("w1", "get", None, 3, 4, "a"),
        ("w2", "get", None, 5, 6, "a"),
        ("w1", "done", "a", 7, 8, None),
    )
    assert history.held_twice() == ["a was with w1 and w2 at once"]
    assert history.excess() == ["a was handed out 2 times after 1 Adds"]


def test_an_add_that_nobody_answered_is_seen():
    history = calls(
        ("p", "add", "a", 1, 2, None), ("w", "get", None, 3, 4, "a"), ("p", "add", "a", 5, 6, None)
    )
    assert history.lost() == ["a, added by p, was not handed out again"]


def test_an_add_that_may_have_come_after_the_shutdown_promises_nothing():
    history = calls(("p", "add", "a", 1, 4, None), ("q", "shut_down", None, 2, 3, None))
    assert history.lost() == []


def test_an_add_after_that_nobody_answered_is_seen():
    history = calls(("p", "add_after", "a", 1, 2, None))
    assert history.lost() == ["a, added by p, was not handed out again"]


def test_an_add_after_before_the_shutdown_promises_nothing():
    history = calls(("p", "add_after", "a", 1, 2, None), ("p", "shut_down", None, 3, 4, None))
    assert history.lost() == []


def test_an_add_after_explains_one_hand_out():
    history = calls(
        ("p", "add_after", "a", 1, 2, None), ("w", "get", None, 3, 4, "a"), ("w", "get", None, 5, 6, "a")
    )
    assert history.excess() == ["a was handed out 2 times after 1 Adds"]


@given(st.lists(st.sampled_from("agd"), max_size=30))
def test_a_history_of_one_worker_after_the_other_is_never_accused(steps):
    """The sequential model of the three sets, run as it is: no finding may object."""
    queue, dirty, processing, lines, now = [], set(), [], [], 0
    for step in steps:
        now += 2
        if step == "a":
            lines.append(("p", "add", "a", now, now + 1, None))
            if "a" not in dirty:
                dirty.add("a")
                if not processing:
                    queue.append("a")
        elif step == "g" and queue:
            queue.clear()
            dirty.discard("a")
            processing.append("a")
            lines.append(("w", "get", None, now, now + 1, "a"))
        elif step == "d" and processing:
            processing.clear()
            if dirty:
                queue.append("a")
            lines.append(("w", "done", "a", now, now + 1, None))
    history = calls(*lines)
    assert history.held_twice() == []
    assert history.excess() == []
    assert history.lost() == [] or queue or dirty
