"""Small programs: the enumeration has each legal one once, and no illegal one."""

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stingy.contract.sources import DOC
from stingy.judging.trial import Trial
from stingy.judging.verdict import Evidence, Finding
from stingy.language import Race, rule
from stingy.language.rule import ORDERS_OF_PROGRAMS
from stingy.language.small_programs import (
    LARGER,
    SMALL,
    Arranged,
    Calls,
    Size,
    beside_each_other,
    programs_of,
)

ADDS = Calls()
SHUTS = Calls(once="shut_down")
DELAYS = Calls(adds=("add {}", "add {} after 1 ms"), needs="add {} after 1 ms")
ASKS = Calls(adds=("when {}", "forget {}"), needs="when {}", hands_out=False)
KINDS = (ADDS, SHUTS, DELAYS, ASKS)
FEW = (Size(2, 1), Size(3, 1), Size(2, 2))


@cache
def all_of(calls, size):
    """Return the programs of this size, in the order of the enumeration, as the keys of a dict."""
    return dict.fromkeys(calls.programs(size))


def lanes_of(program):
    return [lane.split(", ") for lane in program.at_once.split(" | ")]


@st.composite
def legal(draw, calls, size):
    """Draw any legal program, call by call."""
    begins = tuple(draw(st.sampled_from(("nowhere", "queued", *range(1, size.lanes + 1)))) for _ in "ab")
    lanes = []
    for number in range(1, size.lanes + 1):
        held = {item for item, place in zip("ab", begins, strict=True) if place == number}
        got, lane = 0, []
        for _ in range(draw(st.integers(1, size.calls))):
            may = [
                "add a",
                "add b",
                "get",
                *(f"done {item}" for item in sorted(held)),
                *["done", "add"] * (got > 0),
            ]
            if calls.once and "get" not in lane and calls.once not in lane:
                may.append(calls.once)
            call = draw(st.sampled_from(may))
            got += {"get": 1, "done": -1}.get(call, 0)
            held -= {call.removeprefix("done ")} if call.startswith("done ") else set()
            lane.append(call)
        lanes.append(tuple(lane))
    return Arranged(begins, tuple(lanes))


@pytest.mark.parametrize("size", FEW, ids=str)
@pytest.mark.parametrize("calls", (ADDS, SHUTS), ids=str)
@settings(max_examples=50)
@given(data=st.data())
def test_every_program_with_a_purpose_is_listed_once_among_those_like_it(calls, size, data):
    program = data.draw(legal(calls, size))
    written = {it.write() for it in program.likenesses()}
    there = written & all_of(calls, size).keys()
    assert len(there) == calls.has_point(program, size)


@given(data=st.data())
def test_an_item_queued_at_the_beginning_is_left_out_only_if_a_lane_can_add_it(data):
    program, size = data.draw(legal(ADDS, Size(2, 2))), Size(2, 2)
    if "queued" not in program.begins or "get" not in str(program.lanes):
        return
    room = [n for n, lane in enumerate(program.lanes) if len(lane) < size.calls]
    if not room or ("add" in sum(program.lanes, ()) and "nowhere" in program.begins):
        return
    last = 1 - program.begins[::-1].index("queued")
    begins = tuple("nowhere" if n == last else place for n, place in enumerate(program.begins))
    lanes = tuple(
        (f"add {'ab'[last]}", *lane) if n == room[0] else lane for n, lane in enumerate(program.lanes)
    )
    assert not ADDS.has_point(program, size)
    larger = Arranged(begins, lanes)
    assert ADDS.has_point(larger, size) or "queued" in begins


@pytest.mark.parametrize("size", FEW, ids=str)
@pytest.mark.parametrize("calls", KINDS, ids=str)
def test_a_shuffle_lists_each_once(calls, size):
    everyone = all_of(calls, size)
    shuffled = list(calls.shuffle(size, Random(1)))
    assert len(shuffled) == len(everyone)
    assert set(shuffled) == set(everyone)
    assert len(everyone) < 20 or shuffled != list(everyone)


COUNTS = {Size(2, 1): (52, 24, 17, 4), Size(3, 1): (77, 41, 77, 8), Size(2, 2): (1076, 853, 2179, 98)}


@pytest.mark.parametrize("size", FEW, ids=str)
def test_the_number_of_programs_is_known(size):
    assert tuple(len(all_of(calls, size)) for calls in KINDS) == COUNTS[size]


def test_small_programs_come_first_and_then_one_of_each_size():
    small = set(ADDS.programs(SMALL))
    listed = ADDS.list_all("1")
    assert {next(listed) for _ in small} == small
    for size in LARGER:
        lanes = lanes_of(next(listed))
        assert (len(lanes), max(map(len, lanes))) <= (size.lanes, size.calls)


def test_a_shutdown_is_called_by_a_lane_that_has_not_waited():
    for program in SHUTS.programs(Size(2, 2)):
        (lane,) = (lane for lane in lanes_of(program) if "shut_down" in lane)
        assert "get" not in lane[: lane.index("shut_down")]


def test_a_worker_that_holds_another_item_and_adds_is_listed():
    held = Arranged((1, "nowhere"), (("add b",), ("get",)))
    assert held.write() in {it.write() for it in held.likenesses()}
    assert any(alike.write() in all_of(ADDS, Size(2, 1)) for alike in held.likenesses())


def test_two_kinds_of_calls_are_put_beside_each_other():
    programs = list(beside_each_other("change {}", "checkout").list_all("1"))
    assert len(set(programs)) == len(programs) == (1 + 2 + 4) * 3
    assert programs[0].at_once == "change a | checkout"


@rule(cites=DOC["Fair"], for_all={"program": programs_of(ADDS)})
def whatever(race: Race, program) -> None:
    """It MUST be so."""
    race.play(program.before, program.at_once)


@rule(cites=DOC["Fair"], for_all={"program": programs_of(ADDS)})
def no_lane_adds_twice(race: Race, program) -> None:
    """A lane MUST NOT add twice, for the sake of a program that is late in the list."""
    race.play(program.before, program.at_once)
    assert not any(lane.count("add") > 1 for lane in program.at_once.split(" | "))


@pytest.fixture
def reference(candidate_of):
    return candidate_of("stingy_reference")


def test_programs_are_tried_until_enough_orders_have_been_run(reference):
    found = Trial(reference, 1).judge(whatever, None)
    assert (found.verdict, found.evidence) == (Finding.PASS, Evidence.SAMPLED)
    assert ORDERS_OF_PROGRAMS <= found.runs < ORDERS_OF_PROGRAMS + 12


def test_programs_share_the_time_of_their_rule(reference):
    reference.share = 0.0
    assert Trial(reference, 1).judge(whatever, None).runs < 12


def test_a_failed_program_is_run_again_alone(reference):
    found = Trial(reference, 1).judge(no_lane_adds_twice, None)
    number, _, order = found.order.partition("#")
    again = Trial(reference, 1).judge(no_lane_adds_twice, None, found.order)
    assert int(number) >= 52
    assert order
    assert (again.verdict, again.runs, again.because) == (Finding.FAIL, 1, found.because)
