"""A story with the model beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stingy.guarantees import all_rules
from stingy.language.account import Held, account
from stingy.language.call import Call
from stingy.language.model import ANYTHING, SHUTDOWN, State, step
from stingy.language.story import NO_LONGER_WAITS, Story
from stingy.transport import locate

OPS = st.sampled_from(["add a", "add b", "add c", "get", "done", "len", "shutting_down", "shut_down"])


def told(*calls):
    """A story of calls one after the other: lane, op, item, answer; ``...`` waits."""
    story = Story("a seed")
    for lane, op, item, answer in calls:
        start = story.moment()
        call = Call(lane, op, item, start, None if answer is ... else story.moment())
        if answer is not ... and op != "add":
            call = Call(
                lane, op, item, start, call.end, None if answer is SHUTDOWN else answer, answer is SHUTDOWN
            )
        story.tell(lane, call.did, call.outcome, call)
    return account(story.steps)


@given(st.lists(OPS, max_size=12))
def test_what_the_model_does_is_never_wrong_and_is_told_as_it_is(ops):
    state, calls, states, held = State(), [], [], []
    for op in ops:
        name, _, item = op.partition(" ")
        if name == "done" and not held:
            continue
        item = held.pop(0) if name == "done" else item or None
        answer = None
        if name == "get":
            if not state.queue and not state.shutting_down:
                continue
            answer = state.queue[0] if state.queue else SHUTDOWN
            held += [answer] if state.queue else []
        elif name == "len":
            answer = len(state.queue)
        elif name == "shutting_down":
            answer = state.shutting_down
        state = step(state, name, item, ANYTHING if answer is None else answer)
        calls.append(("lane", name, item, answer))
        states.append(Held(state.queue, state.dirty, tuple(sorted(state.processing))))
    lines = told(*calls)
    assert [line.expected for line in lines] == [""] * len(calls)
    assert [line.held for line in lines] == states


def test_the_second_hand_out_is_wrong_and_nothing_is_known_after_it():
    lines = told(
        ("producer", "add", "a", None),
        ("worker 1", "get", None, "a"),
        ("producer", "add", "a", None),
        ("worker 2", "get", None, "a"),
        ("worker 1", "done", "a", None),
    )
    assert [line.expected for line in lines] == ["", "", "", "to wait: 'a' is in processing", ""]
    assert lines[2].held == Held(queue=(), dirty=("a",), processing=("a",))
    assert lines[3].held is lines[4].held is None


def test_a_get_that_was_cancelled_is_not_the_one_that_waits_in_vain():
    story = Story("a seed")
    for lane in ("worker 1", "worker 2"):
        story.tell(lane, "Get()", "waits", Call(lane, "get", None, story.moment(), None))
    story.tell("producer", "Add('a')", "", Call("producer", "add", "a", story.moment(), story.moment()))
    story.tell("worker 1", "Get()", NO_LONGER_WAITS)
    assert account(story.steps)[-1].expected == "Get() of worker 2 to return 'a'"


def test_a_get_that_waits_in_vain_is_missed_at_the_end():
    lines = told(("worker 1", "get", None, ...), ("producer", "add", "a", None), ("producer", "len", None, 1))
    assert [line.expected for line in lines] == ["", "", "Get() of worker 1 to return 'a'"]


def test_the_order_of_items_is_looked_at_only_where_nothing_else_is_wrong():
    out_of_order = (
        ("producer", "add", "a", None),
        ("producer", "add", "b", None),
        ("worker 1", "get", None, "b"),
        ("worker 2", "get", None, "a"),
    )
    assert [line.expected for line in told(*out_of_order)] == ["", "", "'a'", ""]
    again = (*out_of_order, ("worker 3", "get", None, "a"))
    assert [bool(line.expected) for line in told(*again)] == [False, False, False, False, True]


def test_where_two_calls_overlap_what_is_held_is_told_once_it_is_certain():
    story = Story("a seed")
    for call in (
        Call("worker 1", "get", None, 2, 3, "a"),
        Call("producer", "add", "a", 1, 4),
    ):
        story.tell(call.lane, call.did, call.outcome, call)
    early, late = account(story.steps)
    assert early.held is None
    assert late.held == Held((), (), ("a",))


def test_a_story_of_other_calls_is_told_as_it_is():
    story = Story("a seed")
    story.tell("producer", "AddAfter('a', 1 min)", "", Call("producer", "add_after", "a", 1, 2))
    story.tell("time", "1 min pass")
    assert [(line.held, line.expected) for line in account(story.steps)] == [(None, "")] * 2


def test_a_call_that_raises_is_wrong_and_what_came_before_is_told_with_the_sets():
    story = Story("a seed")
    for call in (
        Call("worker 1", "get", None, 1, None),
        Call("producer", "add", "a", 2, 3, raised="ValueError"),
    ):
        story.tell(call.lane, call.did, call.outcome, call)
    before, wrong = account(story.steps)
    assert before.held == Held((), (), ())
    assert (wrong.expected, wrong.held) == ("not to raise", None)


@pytest.mark.parametrize(
    "rule", ["once_more/no-add-is-lost", "shutdown/nothing-is-left-when-all-have-gone-home"]
)
def test_a_race_that_a_right_queue_has_run_has_no_step_that_is_wrong(rule):
    candidate, stories = locate("stingy_reference", 1), []
    rule = all_rules()[rule]
    rule.perform(candidate.open, None, 1, stories.append, candidate.explorer(rule.profile, 1, ""))
    candidate.close()
    assert len(stories) > 1
    assert [line for story in stories for line in account(story.steps) if line.expected] == []


def test_what_many_calls_in_one_line_have_left_is_not_made_up():
    """Of a story with such a line nothing is said to be wrong, or to be held: nobody knows what it has done."""
    story = Story("a seed")
    story.tell_many("producer", "Add(…) of 1,050 items, without a pause")
    call = Call("producer", "len", None, story.moment(), story.moment(), 1000)
    story.tell("producer", call.did, call.outcome, call)
    assert [(line.held, line.expected) for line in account(story.steps)] == [(None, "")] * 2
