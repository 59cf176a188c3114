"""What a story tells of a queue besides its calls."""

from datetime import timedelta

from stingy.language.queue import Metrics


def test_metrics_are_told_where_they_are_not_zero():
    assert str(Metrics()) == "all 0"
    assert str(Metrics(depth=-1, queue_duration=[0, 0.25])) == "depth -1, queue duration [0, 0.25]"


def test_what_was_observed_and_is_no_number_is_told_as_it_is():
    assert str(Metrics(work_duration=[timedelta(1)])) == "work duration [datetime.timedelta(days=1)]"
