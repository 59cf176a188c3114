"""What a story tells of a queue besides its calls."""

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
from stingy.transport.inprocess import InProcess
from stingy_reference import WorkQueue


def test_metrics_are_told_where_they_are_not_zero():
    assert str(Metrics()) == "all 0"
    assert str(Metrics(depth=-1, queue_duration=[0, 0.25])) == "depth -1, queue duration [0, 0.25]"


def test_what_was_observed_and_is_no_number_is_told_as_it_is():
    assert str(Metrics(work_duration=[timedelta(1)])) == "work duration [datetime.timedelta(days=1)]"


def test_an_item_that_a_rule_adds_comes_back_whole_however_long_it_is():
    story = Story("salt")
    for item in ("a", "x" * 300 + "1", "x" * 100_000 + "1", "\x1b\n"):
        assert story.plain(story.salt_name(item)) == item


def test_of_a_longer_item_than_any_that_was_added_the_beginning_is_known_and_the_length():
    story = Story("salt")
    given = story.salt_name("a")
    assert story.plain("z" * 1_000_000).endswith("zzz… (1,000,000 characters)")
    assert len(story.plain(given * 1_000_000)) < 500


def test_a_set_with_the_shutdown_is_told_in_one_order_whatever_the_hashes():
    for answers in permutations(("b", SHUTDOWN, "a")):
        assert saferepr(set(answers)) == "{'a', 'b', shutdown}"


def test_a_name_that_means_something_to_a_language_is_given_as_it_is_and_as_another_object_each_time():
    story = Story("salt")
    for name in MEANT:
        assert story.salt_name(name) == name == story.plain(story.salt_name(name))
    assert story.salt_name("null") is not story.salt_name("null")


class Slow(WorkQueue):
    """Takes a tenth of a second for each Add."""

    def add(self, item):
        super().add(item)
        time.sleep(0.1)


class StopsAtTheThird(WorkQueue):
    """The third Add never returns."""

    def add(self, item):
        super().add(item)
        if len(self) == 3:
            threading.Event().wait()


def straight(candidate):
    """What is told of a hundred Adds without a pause."""
    reached = InProcess(candidate, 1)
    session, story = reached.open(PROFILES["queue"]), Story("salt")
    try:
        Queue(session, story, PATIENCE).add_straight([f"item-{n}" for n in range(100)])
    finally:
        session.close()
        reached.close()
    return [str(step) for step in story.steps]


def test_calls_without_a_pause_are_waited_for_while_they_go_on():
    assert straight(Slow) == ["producer: Add(…) of 100 items, without a pause"]


def test_a_call_without_a_pause_that_does_not_return_is_named():
    with pytest.raises(AssertionError, match=r"Add\('item-2'\) does not return"):
        straight(StopsAtTheThird)
