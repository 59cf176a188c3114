"""What a story tells of a queue besides its calls."""

from datetime import timedelta
from itertools import permutations

from _pytest._io.saferepr import saferepr

from stingy.language.queue import SHUTDOWN, Metrics
from stingy.language.story import Story


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
