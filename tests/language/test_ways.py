"""Ways of an item through a queue: those of a story, and all that there are."""

import pytest

from histories import calls
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.language.story import TIME, Step
from stingy.language.ways import OFFERED, all_ways, ways_of
from stingy_reference import DelayingQueue


def told(text):
    """Return the ways in a story of calls, written as ``histories.calls`` reads them; ``time`` is no call."""
    parts = [part.strip() for part in text.split(";")]
    steps = []
    for part in parts:
        if part == "time":
            steps.append(Step(TIME, "1 min pass"))
        else:
            steps += [Step(call.lane, call.op, "", call) for call in calls(part)]
    return sorted(map(str, ways_of(steps)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "p add a 1 2; w get 3 4 a; p add a 5 6; w done a 7 8",
            ["at first, absent, Add", "Add, held and dirty, Done", "Add, queued, Get", "Get, held, Add"],
        ),
        (
            "p add a 1 2; p shut_down 3 4; p add b 5 6; w get 7 8 a",
            ["Add, queued, ShutDown", "ShutDown, absent after shutdown, Add", "ShutDown, queued after shutdown, Get", "at first, absent, Add"],
        ),
        (
            "p add a 1 2; w get 3 4 a; p add_after a 5 6; time; w done a 7 8; w get 9 10 a",
            [
                "Add, queued, Get",
                "AddAfter, held and delayed, time passes",
                "Done, absent and delayed, Get",
                "Get, held, AddAfter",
                "at first, absent, Add",
                "time passes, held and delayed, Done",
            ],
        ),
        ("w get 1 2 a", []),
        ("p add_after a 1 4; w add_after a 2 3", []),
        ("w when 1 2", []),
    ],
    ids=["a second Add", "a shutdown", "a delay", "not explained by the model", "no known order", "no queue"],
)  # fmt: skip
def test_ways_of_a_story_are_told_apart(text, found):
    assert told(text) == sorted(found)


def test_a_queue_that_offers_more_has_more_ways():
    queue, drain, delay = (all_ways(OFFERED[profile]) for profile in ("queue", "drain", "delay"))
    assert queue < drain
    assert queue < delay
    assert len(delay) > 4 * len(queue)


def test_walks_go_hardly_any_way_of_a_delaying_queue_not(candidate_of):
    """Walks have no ShutDown."""
    rule = all_rules()["mixes/a-delaying-queue-loses-nothing"]
    seen = set(Trial(candidate_of(DelayingQueue), 1).judge(rule, None).went)
    every = all_ways([it for it in OFFERED["delay"] if it != "ShutDown"])
    assert len(seen & every) > 0.9 * len(every)
