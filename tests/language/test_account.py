"""A story with the model beside it: the items that are held, and the first wrong answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histories import calls
from stingy.guarantees import all_rules
from stingy.language.account import Held, account
from stingy.language.call import Call
from stingy.language.model import ANYTHING, SHUTDOWN, State, step
from stingy.language.story import NO_LONGER_WAITS, Story

OPS = st.sampled_from(["add a", "add b", "add c", "get", "done", "len", "shutting_down", "shut_down"])


def told(*made, texts=""):
    """Return the lines of a story of the calls ``made``, and of calls written as text."""
    story = Story("a seed")
    for call in (*made, *calls(texts)):
        story.tell(call.lane, call.did, call.outcome, call)
    return account(story.steps)


@given(st.lists(OPS, max_size=12))
def test_a_story_of_the_model_has_no_wrong_line_and_shows_its_sets(ops):
    state, made, states, held = State(), [], [], []
    for now, op in enumerate(ops):
        name, _, item = op.partition(" ")
        if (name == "done" and not held) or (name == "get" and not (state.queue or state.shutting_down)):
            continue
        item = held.pop(0) if name == "done" else item or None
        answers = {"len": len(state.queue), "shutting_down": state.shutting_down}
        answer = answers.get(name)
        if name == "get":
            answer = state.queue[0] if state.queue else SHUTDOWN
            held += [answer] if state.queue else []
        home = answer is SHUTDOWN
        state = step(state, name, item, ANYTHING if answer is None else answer)
        made.append(Call("lane", name, item, 2 * now, 2 * now + 1, None if home else answer, shutdown=home))
        states.append(Held(state.queue, state.dirty, tuple(sorted(state.processing))))
    lines = told(*made)
    assert [(line.expected, line.held) for line in lines] == [("", held) for held in states]


def test_nothing_is_known_after_a_wrong_answer():
    lines = told(texts="p add a 1 2; w get 3 4 a; p add a 5 6; v get 7 8 a; w done a 9 10")
    assert [line.expected for line in lines] == ["", "", "", "to wait: 'a' is in processing", ""]
    assert lines[2].held == Held(queue=(), dirty=("a",), processing=("a",))
    assert lines[3].held is lines[4].held is None


def test_a_cancelled_get_does_not_wait_in_vain():
    story = Story("a seed")
    for lane in ("worker 1", "worker 2"):
        story.tell(lane, "Get()", "waits", Call(lane, "get", None, story.moment(), None))
    story.tell("producer", "Add('a')", "", Call("producer", "add", "a", story.moment(), story.moment()))
    story.tell("worker 1", "Get()", NO_LONGER_WAITS)
    assert account(story.steps)[-1].wanted == "worker 2 to return 'a'"


def test_a_get_that_waits_in_vain_is_reported_at_the_end_and_names_its_lane():
    lines = told(texts="w get 1 -; p add a 2 3; p len 4 5 1")
    assert [(line.expected, line.expected_of) for line in lines] == [
        ("", ""),
        ("", ""),
        ("to return 'a'", "w"),
    ]
    assert lines[-1].wanted == "w to return 'a'"


def test_a_wrong_call_of_the_last_lane_needs_no_other_lane():
    waits = told(texts="p add a 1 2; w get 3 -")[-1]
    assert (waits.expected, waits.expected_of, waits.wanted) == ("to return 'a'", "", "to return 'a'")


def test_a_wrong_order_of_items_is_reported_if_nothing_else_is_wrong():
    out_of_order = "p add a 1 2; p add b 3 4; w get 5 6 b; v get 7 8 a"
    assert [line.expected for line in told(texts=out_of_order)] == ["", "", "'a'", ""]
    again = told(texts=f"{out_of_order}; u get 9 10 a")
    assert [bool(line.expected) for line in again] == [False, False, False, False, True]


def test_sets_are_shown_once_they_are_certain():
    early, late = told(texts="w get 2 3 a; p add a 1 4")
    assert early.held is None
    assert late.held == Held((), (), ("a",))


def test_a_story_of_other_calls_shows_no_sets():
    story = Story("a seed")
    story.tell("producer", "AddAfter('a', 1 min)", "", Call("producer", "add_after", "a", 1, 2))
    story.tell("time", "1 min pass")
    assert [(line.held, line.expected) for line in account(story.steps)] == [(None, "")] * 2


@pytest.mark.parametrize(
    ("texts", "wrong"),
    [
        ("p add a 3 4; p add b 5 6; w get 7 8 b; w done b 9 10; w get 11 12 a", "b"),
        ("p add a 3 4; w get 5 6 later; w done later 7 8; w get 9 -", None),
        ("p add b 3 4; w get 5 6 later; w len 7 8 9; w get 9 10 b", ""),
    ],
)
def test_items_that_are_never_delayed_are_compared_with_the_model_beside_others_that_are(texts, wrong):
    """No sets are shown, because nobody knows when the delayed item is queued."""
    lines = told(Call("p", "add_after", "later", 1, 2, how="1 min"), texts=texts)
    marked = [line for line in lines if line.expected]
    if wrong == "":
        assert not marked
    else:
        (line,) = marked
        assert (line.outcome, line.wanted) == ("'b'", "'a'") if wrong else ("waits", "to return 'a'")
    assert [line.held for line in lines if line.held] == []


def test_a_drain_beside_a_delayed_item_is_not_judged():
    """It may wait for that item."""
    delayed = Call("p", "add_after", "later", 1, 2, how="1 min")
    lines = told(delayed, texts="w get 3 4 later; d shut_down_with_drain 5 -")
    assert [line.expected for line in lines] == ["", "", ""]


def test_calls_that_may_queue_an_item_while_the_clock_stands_still_say_so():
    """A Get does not count: the line that shows its end may come later than its start, which is known."""
    story = Story("a seed")
    for op, item, at in (
        *(("add", "a", 5), ("get", None, 5), ("add", "b", 5), ("done", "a", 5)),
        *(("add_after", "c", 6), ("add", "d", None), ("add", "e", None), ("add", "f", 7)),
    ):
        call = Call("lane", op, item, story.moment(), story.moment(), "a" if op == "get" else None, at=at)
        story.tell("lane", call.did, call.outcome, call)
    story.tell("somebody", "sets the wall clock 1 h forward")
    call = Call("lane", "add", "g", story.moment(), story.moment(), at=7)
    story.tell("lane", call.did, "", call)
    assert [line.item for line in account(story.steps) if line.still] == ["b", "a"]


def test_a_call_that_raises_is_wrong():
    waits = Call("worker 1", "get", None, 1, None)
    before, wrong = told(waits, Call("producer", "add", "a", 2, 3, raised="ValueError"))
    assert before.held == Held((), (), ())
    assert (wrong.expected, wrong.held) == ("not to raise", None)


@pytest.mark.parametrize(
    "rule", ["once_more/no-add-is-lost", "shutdown/nothing-is-left-when-all-have-gone-home"]
)
def test_a_race_of_the_reference_has_no_wrong_line(candidate_of, rule):
    candidate, rule, stories = candidate_of("stingy_reference"), all_rules()[rule], []
    rule.perform(candidate.open, None, 1, stories.append, candidate.explorer(rule.profile, 1, ""))
    assert len(stories) > 1
    assert [line for story in stories for line in account(story.steps) if line.expected] == []


def test_a_line_for_many_calls_ends_what_is_known():
    story = Story("a seed")
    story.tell_many("producer", "Add(…) of 1,050 items, without a pause")
    call = Call("producer", "len", None, story.moment(), story.moment(), 1000)
    story.tell("producer", call.did, call.outcome, call)
    assert [(line.held, line.expected) for line in account(story.steps)] == [(None, "")] * 2
