"""Findings about a history: what they see, and that they accuse nobody."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stingy.language.call import Call
from stingy.language.history import History
from stingy.language.model import SHUTDOWN, State, step


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


@settings(deadline=None)
@given(st.lists(st.sampled_from("agd"), max_size=30))
def test_a_history_of_one_worker_after_the_other_is_never_accused(steps):
    """The sequential model of the three sets, run as it is: no finding may object."""
    queue, dirty, processing, lines, now = [], set(), [], [], 0
    for did in steps:
        now += 2
        if did == "a":
            lines.append(("p", "add", "a", now, now + 1, None))
            if "a" not in dirty:
                dirty.add("a")
                if not processing:
                    queue.append("a")
        elif did == "g" and queue:
            queue.clear()
            dirty.discard("a")
            processing.append("a")
            lines.append(("w", "get", None, now, now + 1, "a"))
        elif did == "d" and processing:
            processing.clear()
            if dirty:
                queue.append("a")
            lines.append(("w", "done", "a", now, now + 1, None))
    history = calls(*lines)
    assert history.held_twice() == []
    assert history.excess() == []
    assert bool(history.lost()) == ("a" in dirty), "what is dirty is what no worker has answered yet"


def shutdown(lane, start, end):
    return Call(lane, "get", None, start, end, shutdown=True)


def put_and_taken(*others):
    """Item a is added from 1 to 2; the rest of it is up to the others."""
    return History([Call("p", "add", "a", 1, 2), *others])


def test_an_item_that_nobody_added_is_seen():
    history = put_and_taken(Call("w", "get", None, 3, 4, "b"))
    assert history.excess() == ["b was handed out 1 times after 0 Adds"]


def test_a_shutdown_that_nobody_asked_for_is_seen():
    unasked = ["the Get of w reported a shutdown that nobody had asked for"]
    assert History([shutdown("w", 1, 2)]).sent_home_unasked() == unasked
    assert History([shutdown("w", 1, 2), Call("s", "shut_down", None, 3, 4)]).sent_home_unasked() == unasked


def test_a_shutdown_that_somebody_has_begun_to_ask_for_is_none_of_those():
    for op in ("shut_down", "shut_down_with_drain"):
        assert History([Call("s", op, None, 1, 4), shutdown("w", 2, 3)]).sent_home_too_soon() == []


SHUT = Call("s", "shut_down", None, 5, 6)


@pytest.mark.parametrize(
    "meanwhile",
    [
        (),
        (Call("v", "get", None, 9, 10, "a"),),
        (Call("v", "get", None, -3, -2, "a"), Call("v", "done", "a", 3, 4)),
    ],
    ids=["nobody takes it", "somebody takes it later", "it was held, and is owed"],
)
def test_a_worker_that_is_sent_home_while_something_is_queued_is_seen(meanwhile):
    for since in (0, 7):
        history = put_and_taken(SHUT, shutdown("w", since, 8), *meanwhile)
        assert history.sent_home_too_soon() == ["the Get of w reported the shutdown while a was queued"]


@pytest.mark.parametrize(
    "meanwhile",
    [
        (Call("v", "get", None, 3, 4, "a"),),
        (Call("v", "get", None, 7, 9, "a"),),
        (Call("v", "get", None, 0, 9, "a"),),
        (Call("v", "get", None, -3, -2, "a"),),
        (Call("v", "get", None, -3, -2, "a"), Call("v", "done", "a", 3, 8)),
        (Call("v", "get", None, 0, 3, "a"), Call("v", "done", "a", 3, 4)),
    ],
    ids=[
        "it is held",
        "it may have been taken just then",
        "it may have been taken by one that had waited",
        "it is owed",
        "its Done may have come too late",
        "it may have been taken after that Add",
    ],
)
def test_a_worker_that_is_sent_home_when_all_may_have_been_taken_is_not(meanwhile):
    assert put_and_taken(SHUT, shutdown("w", 7, 8), *meanwhile).sent_home_too_soon() == []


def test_an_item_that_may_have_come_after_the_shutdown_keeps_nobody():
    history = History([Call("p", "add", "a", 1, 4), Call("s", "shut_down", None, 2, 3), shutdown("w", 5, 6)])
    assert history.sent_home_too_soon() == []


def test_an_item_that_overtakes_another_is_seen():
    history = put_and_taken(Call("p", "add", "b", 3, 4), Call("w", "get", None, 5, 6, "b"))
    assert history.overtaken() == ["b was handed out before a, which had been added before it"]


@pytest.mark.parametrize(
    "others",
    [
        (Call("q", "add", "b", 1, 4), Call("w", "get", None, 5, 6, "b")),
        (Call("q", "add", "b", 3, 4), Call("w", "get", None, 5, 8, "b"), Call("v", "get", None, 6, 7, "a")),
        (Call("q", "add", "b", 3, 4), Call("w", "get", None, 6, 7, "b"), Call("v", "get", None, 5, 9, "a")),
        (Call("q", "add", "b", -1, 0), Call("q", "add", "b", 3, 4), Call("w", "get", None, 5, 6, "b")),
    ],
    ids=["added at once", "taken at once", "taken by one that had waited", "added before as well"],
)
def test_where_there_is_no_order_nobody_overtakes(others):
    assert put_and_taken(*others).overtaken() == []


DRAIN = Call("d", "shut_down_with_drain", None, 1, None)


@pytest.mark.parametrize(
    "learned",
    [Call("s", "shutting_down", None, 2, 3, result=True), shutdown("s", 2, 3)],
    ids=["said", "sent home"],
)
def test_a_drain_that_a_shutdown_does_not_end_is_seen(learned):
    history = History([DRAIN, learned, Call("s", "shut_down", None, 4, 5)])
    assert history.held_up() == ["the drain of d waits, though ShutDown was called after it had begun"]


@pytest.mark.parametrize(
    "calls",
    [
        [DRAIN, Call("s", "shut_down", None, 4, 5)],
        [DRAIN, shutdown("s", 2, 3)],
        [DRAIN, shutdown("w", 2, 6), Call("s", "shut_down", None, 4, 5)],
        [DRAIN, Call("s", "shutting_down", None, 2, 3, result=False), Call("s", "shut_down", None, 4, 5)],
    ],
    ids=["it may begin after that", "nobody ends it", "learned too late", "not learned"],
)
def test_a_drain_that_may_have_begun_after_the_shutdown_may_wait(calls):
    assert History(calls).held_up() == []


CLOSED = Call("s", "shut_down", None, 3, 6)


def test_an_item_that_is_queued_after_a_get_has_reported_the_shutdown_is_seen():
    assert len(History([CLOSED, Call("w", "get", None, 4, 5, shutdown=True)]).let_in(["a"])) == 1


@pytest.mark.parametrize(
    "calls",
    [[CLOSED], [CLOSED, Call("s", "len", None, 7, 8, 0)], [CLOSED, Call("w", "get", "b", 7, 8, "b")]],
    ids=["nobody has asked", "Len leaves out what is on its way", "a Get has got another one"],
)
def test_an_item_that_may_have_been_queued_before_the_shutdown_is_not_let_in(calls):
    assert History(calls).let_in(["a"]) == []


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_what_a_queue_with_one_lock_answers_is_never_accused(random):
    """Calls of four lanes, each with a moment between its beginning and its end at which the model takes its step."""
    state, calls, free, held, now = State(), [], dict.fromkeys("vwxy", 0), {}, 0
    for _ in range(random.randint(1, 25)):
        lane = random.choice(sorted(free))
        moment = now = now + random.randint(1, 5)
        op = random.choice(["add", "add", "get", "get", "done", "shut_down", "shutting_down"])
        item = held.get(lane) if op == "done" else random.choice("ab") if op == "add" else None
        if (op == "done") == (lane not in held) and op in ("done", "get"):
            continue
        answer = state.queue[0] if state.queue else SHUTDOWN
        answer = answer if op == "get" else state.shutting_down if op == "shutting_down" else None
        after = step(state, op, item, answer)
        if after is None or free[lane] >= moment * 10:
            continue
        state = after
        start = random.randint(free[lane] + 1, moment * 10)
        end = moment * 10 + random.randint(1, 40)
        free[lane] = end
        if op == "get" and answer is not SHUTDOWN:
            held[lane] = answer
        elif op == "done":
            del held[lane]
        home = answer is SHUTDOWN
        calls.append(Call(lane, op, item, start, end, None if home else answer, shutdown=home))
    history = History(calls)
    assert history.sent_home_too_soon() == []
    assert history.overtaken() == []
    assert history.excess() == []
