"""Items, metrics and many calls at once, as a story shows them."""

import threading
import time
from datetime import timedelta
from itertools import permutations

import pytest
from _pytest._io.saferepr import saferepr

from stingy.contract import PROFILES
from stingy.language.queue import SHUTDOWN, Metrics, Queue
from stingy.language.session import PATIENCE
from stingy.language.story import MEANT, Story
from stingy_reference import WorkQueue


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        (Metrics(), "all 0"),
        (Metrics(depth=-1, queue_duration=[0, 0.25]), "depth -1, queue duration [0, 0.25]"),
        (Metrics(work_duration=[timedelta(1)]), "work duration [datetime.timedelta(days=1)]"),
    ],
)
def test_metrics_that_are_not_zero_are_shown(metrics, told):
    assert str(metrics) == told


def test_an_item_is_shown_by_its_name():
    """A name that the rule has added is shown whole, however long it is; any other is cut."""
    story = Story("salt")
    for item in ("a", "x" * 300 + "1", "x" * 100_000 + "1", "\x1b\n"):
        assert story.plain(story.salt_name(item)) == item
    assert story.plain("z" * 1_000_000).endswith("zzz… (1,000,000 characters)")
    assert len(story.plain(story.salt_name("a") * 1_000_000)) < 500


def test_a_name_with_a_meaning_in_some_language_is_not_salted():
    """The name is returned unchanged, but as a new string object each time."""
    story = Story("salt")
    for name in MEANT:
        assert story.salt_name(name) == name == story.plain(story.salt_name(name))
    assert story.salt_name("null") is not story.salt_name("null")


def test_a_set_with_the_shutdown_is_shown_in_one_order():
    for answers in permutations(("b", SHUTDOWN, "a")):
        assert saferepr(set(answers)) == "{'a', 'b', shutdown}"


class Slow(WorkQueue):
    """A queue whose Add takes 0.1 s."""

    def add(self, item):
        super().add(item)
        time.sleep(0.1)


class StopsAtTheThird(WorkQueue):
    """A queue whose third Add never returns."""

    def add(self, item):
        super().add(item)
        if len(self) == 3:
            threading.Event().wait()


def add_straight(candidate):
    """Make a hundred Adds without a pause, and return the steps of the story as texts."""
    session, story = candidate.open(PROFILES["queue"]), Story("salt")
    try:
        Queue(session, story, PATIENCE).add_straight([f"item-{n}" for n in range(100)])
    finally:
        session.close()
    return [str(step) for step in story.steps]


def test_calls_without_a_pause_are_waited_for_as_long_as_they_return(candidate_of):
    assert add_straight(candidate_of(Slow)) == ["producer: Add(…) of 100 items, without a pause"]


def test_a_call_without_a_pause_that_does_not_return_is_named(candidate_of):
    with pytest.raises(AssertionError, match=r"Add\('item-2'\) does not return"):
        add_straight(candidate_of(StopsAtTheThird))
