"""An onlooker records what threads touch, by the names in the source, as far as that is certain."""

import pytest

from looked_at import Looked
from scheduling import scheduled
from stingy.contract import SECOND
from stingy.engine.onlooker import Onlooker
from stingy.engine.scheduler import Fair
from stingy.engine.strategies import Replay
from stingy.engine.tracing import tracer


def watch(*names, turns=()):
    """Call methods of one object in a thread each, and return the onlooker that has watched."""
    with scheduled() as scheduler:
        things = Looked()
        scheduler.follow(Replay(turns) if turns else Fair(), tracer(Looked))
        onlooker = Onlooker(scheduler.record, lambda who: 1)
        scheduler.onlooker, scheduler.witness = onlooker.sees, onlooker.stops
        for who, name in zip("abc", names, strict=False):
            scheduler.start(who, getattr(things, name))
        scheduler.settle(SECOND)
        scheduler.onlooker = scheduler.witness = None
        scheduler.follow(Fair())
    return onlooker


def told(onlooker):
    return [f"{it.access.does} {it.access.what}" for it in onlooker.touches]


@pytest.mark.parametrize(
    ("name", "touched"),
    [
        ("local_name", ["changes items"]),
        ("attribute", ["reads self.number", "changes self.number"]),
        ("of_the_module", ["changes count"]),
        ("first_assignment", ["changes self.made"]),
    ],
)
def test_what_is_touched_has_its_name_in_the_source(name, touched):
    assert told(watch(name)) == touched


def test_a_lock_is_no_data():
    assert told(watch("locked")) == ["changes self.items"]


def test_the_result_of_a_call_has_no_name():
    assert told(watch("of_a_result")) == ["reads self.items"]


def test_an_access_has_its_file_line_and_function():
    (touch,) = watch("local_name").touches
    code = Looked.local_name.__code__
    assert touch.access.file.endswith("looked_at.py")
    assert (touch.access.line, touch.access.within) == (code.co_firstlineno + 2, "local_name")


def test_the_same_container_is_one_place_by_whatever_name():
    one, other = watch("local_name", "locked").touches
    assert one.place == other.place
    assert (one.access.what, other.access.what) == ("items", "self.items")


def test_two_objects_are_two_places_though_their_attributes_have_one_name():
    both = watch("locked"), watch("locked")  # objects that exist at the same time
    (one,), (other,) = (it.touches for it in both)
    assert one.place != other.place


def test_a_later_round_of_a_loop_is_not_further_on():
    paths = [it.path for it in watch("in_rounds").touches if it.access.does == "reads"]
    assert paths[0] == paths[2] == paths[4], "the condition of the loop"
    assert paths[1] == paths[3] > paths[0], "its body"


def test_an_interruption_within_a_call_is_a_cut():
    onlooker = watch("attribute", "attribute", turns=[("a", 2), ("b", None), ("a", None)])
    (cut,) = onlooker.cuts
    assert cut.turn == 0
    assert [it.turn for it in onlooker.touches] == [0, 1, 1, 2]
    assert cut.step == onlooker.touches[0].step, "it comes after the read"


def test_a_cut_says_which_step_before_it_may_have_touched_anything():
    onlooker = watch("runs_unknown_code", "locked", turns=[("a", 4), ("b", None), ("a", None)])
    (cut,) = onlooker.cuts
    assert onlooker.touches[0].step < cut.unknown <= cut.step


def test_a_wait_for_a_lock_is_a_cut_but_not_one_that_ends_a_wait_for_a_notify():
    """While a thread waits for a notify, others are meant to change what it waits for."""
    waits = watch("locked", "locked", turns=[("a", 3), ("b", None), ("a", None)]).cuts
    assert [cut.waits for cut in waits] == [False, True]
    woken = watch("waits", "notifies", turns=[("a", None), ("b", None)])
    assert woken.cuts == []
    assert told(woken)[-1] == "changes self.items", "the thread has been woken"


def test_nothing_is_recorded_where_nobody_looks_on():
    """The points of a run at which the scheduler stops are as few as before."""
    with scheduled() as scheduler:
        things = Looked()
        scheduler.follow(Fair(), tracer(Looked))
        stopped = []
        at_point = scheduler.at_point
        scheduler.at_point = lambda *given: stopped.append(given) or at_point(*given)
        scheduler.start("a", things.attribute)
        scheduler.settle(SECOND)
        scheduler.follow(Fair())
    assert stopped == []
