"""A replay stops at the wrong call of a story, or at the call before it."""

from stingy.language.account import Line
from stingy.language.story import Story
from stingy.transport.stop import Stop

ADD = Line("producer", "Add('a')", op="add", item="a")
GET = Line("worker 1", "Get()", "'a'", op="get")
WAITS = Line("worker 1", "Get()", "waits", op="get")
WRONG = Line("worker 1", "Get()", "'a'", op="get", expected="to wait")


def stop_at(*lines):
    reached = []
    stop = Stop(lines, lambda: reached.append(len(reached)))
    story = Story("salt")
    stop.follow(story)
    return stop, story, reached


def tell(story, *lines):
    for line in lines:
        story.tell(line.lane, line.did, line.outcome)


def test_it_stops_at_the_first_wrong_line():
    stop, _, _ = stop_at(ADD, GET, ADD, WRONG, ADD)
    assert (stop.at, stop.wrong) == (3, 3)


def test_it_does_not_stop_at_the_end_of_a_call_that_waited():
    stop, _, _ = stop_at(WAITS, ADD, WRONG)
    assert (stop.at, stop.wrong) == (1, 2)


def test_if_the_wrong_line_is_no_call_it_stops_at_the_call_before():
    stop, _, _ = stop_at(ADD, Line("time", "1 s pass", expected="an item"))
    assert (stop.at, stop.wrong) == (0, 1)


def test_without_a_wrong_line_it_stops_at_the_last_call():
    stop, _, _ = stop_at(ADD, GET, Line("scrape", "reads the metrics"))
    assert stop.at == 1


def test_only_the_call_itself_stops_and_only_once():
    stop, story, reached = stop_at(ADD, GET, WRONG)
    for line in (ADD, GET, WRONG, WRONG):
        assert stop.wrap(lambda: "made")() == "made"
        assert stop.reached == (len(story.steps) >= 2)
        tell(story, line)
    assert reached == [0]


def test_another_story_does_not_stop():
    stop, story, reached = stop_at(ADD, GET, WRONG)
    tell(story, GET, ADD)
    stop.wrap(lambda: None)()
    assert not reached


def test_in_a_race_it_counts_the_calls_of_the_lane():
    begins = Line("worker 1", "Get() begins")
    ends = Line("worker 1", "Get() ends", "'a'", op="get", expected="to wait")
    stop, _, reached = stop_at(ADD, GET, begins, ADD, ends)
    for lane in ("producer", "worker_1", "producer"):
        stop.before_call(lane)
    assert not reached
    stop.before_call("worker_1")
    assert reached
