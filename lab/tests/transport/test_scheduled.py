"""If a driver runs lanes in a chosen order, races are judged as well as in this process."""

import subprocess
from pathlib import Path

import pytest
from lanes import COUNT, MANY, SHUTDOWN, SUCCESSION, WORK, again, broken, first, reaching, returned, told

from stingy import starters
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding
from stingy.language.order import Order
from stingy.transport import protocol
from stingy.transport.scheduled import CHOICES, Batch, Seen, what_tells_apart

pytestmark = pytest.mark.budget(40)
"""The first test of a process builds the driver; from an empty cache that takes 30 CPU-seconds."""
MODULE = Path(starters.__file__).parent / "go" / starters.LIBRARY
LENGTH = "length/len-is-a-number-that-there-was"
SAYS_SO = "shutdown/shutting-down-says-so"


def test_the_go_library_of_drivers_passes_its_own_tests(controlled_driver):
    done = subprocess.run(["go", "test", "./..."], cwd=MODULE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def reached(controlled_driver):
    """The candidate with a fault, or without one; closed after the test."""
    yield from reaching(controlled_driver, "-fault")


@pytest.fixture
def reached_with_races(raced_driver):
    """The same, with Go's race detector."""
    yield from reaching(raced_driver, "-fault")


def test_a_right_queue_keeps_every_race_in_every_order_or_in_hundreds(reached):
    candidate = reached("")
    for id_ in (WORK, SHUTDOWN):
        assert broken(candidate, id_) is None
    evidence = {verdict.case: verdict for verdict in Judge(candidate, 1).verdicts(all_rules()[SHUTDOWN])}
    large = evidence.pop("two workers that empty a queue being shut down")
    assert (large.evidence, large.runs > 400) == (Evidence.SAMPLED, True)
    assert {verdict.evidence for verdict in evidence.values()} == {Evidence.EXHAUSTIVE}


@pytest.mark.parametrize("id_", [WORK, SUCCESSION, COUNT])
@pytest.mark.parametrize("way", ["sleeps in Add", "polls"])
@pytest.mark.parametrize("control", [(), ("-uncontrolled",)], ids=["under control", "left alone"])
def test_time_passes_in_a_race_for_a_call_that_sleeps(reached, control, way, id_):
    assert broken(reached(way, *control), id_) is None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_lock_that_is_released_for_a_moment_is_found_told_and_repeated(reached, seed):
    candidate = reached("lets go of its lock")
    verdict = broken(candidate, WORK, seed)
    assert verdict.verdict is Finding.FAIL
    assert "is interrupted after q.changed.L.Unlock() (queue.go:84, Done)" in told(verdict)
    found = [again(candidate, verdict, seed) for _ in range(3)]
    assert [(it.verdict, it.story) for it in found] == [(Finding.FAIL, verdict.story)] * 3


def test_a_deadlock_is_a_broken_rule_and_is_told_by_who_waits_for_whom(reached):
    verdict = broken(reached("takes two locks in either order"), SHUTDOWN)
    assert verdict.verdict is Finding.FAIL
    assert "does not return: " in verdict.because
    assert "lane 1 waits for a lock that lane 2 holds at queue.go:" in verdict.because
    assert "lane 2 waits for a lock that lane 1 holds at queue.go:" in verdict.because
    assert "Len" in told(verdict)


def test_a_panic_in_a_goroutine_of_its_own_is_a_broken_rule(reached):
    verdict = broken(reached("its own goroutine panics"), WORK)
    assert verdict.verdict is Finding.FAIL
    assert "watch panics: an item was added while it was processed" in verdict.because


def test_a_loop_that_nothing_ends_is_a_broken_rule_and_is_told_by_where_it_goes_round(reached):
    verdict = first(reached("waits in a loop"), SAYS_SO)
    assert verdict.verdict is Finding.FAIL
    assert "goes round and round, and comes to no operation" in verdict.because
    assert "at loops.go:" in verdict.because


def test_thousands_of_calls_of_a_lane_are_no_loop(reached):
    assert returned(reached(""), MANY) == 8_000


def test_a_long_computation_passes(reached):
    assert first(reached("computes for long"), SAYS_SO).verdict is Finding.PASS


def test_a_panic_that_ends_the_driver_is_a_broken_rule(reached):
    verdict = broken(reached("its own goroutine panics", "-uncontrolled"), WORK)
    assert verdict.verdict is Finding.FAIL
    assert "it ends the whole program: panic: an item was added while it was processed" in verdict.because
    assert "at queue.go:" in verdict.because


@pytest.mark.parametrize("further", [[], ["-apart"]])
def test_a_lock_that_is_missing_is_a_data_race_and_seen_again_in_its_order(reached_with_races, further):
    candidate = reached_with_races("counts without its lock", *further)
    verdict = broken(candidate, LENGTH)
    assert verdict.verdict is Finding.FAIL
    assert "a data race: " in verdict.because
    assert "at queue.go:96, (*Queue).Len" in verdict.because
    found = again(candidate, verdict)
    assert (found.verdict, "a data race: " in found.because) == (Finding.FAIL, True)


def test_that_one_goroutine_goes_on_at_a_time_is_no_data_race_and_hides_none(reached_with_races):
    candidate = reached_with_races("")
    assert [broken(candidate, id_) for id_ in (WORK, SHUTDOWN, LENGTH)] == [None, None, None]


def test_what_the_scheduler_reads_of_selects_and_locks_and_draws_is_no_data_race(reached_with_races):
    candidate = reached_with_races("waits in a select")
    assert [broken(candidate, id_) for id_ in (WORK, SHUTDOWN)] == [None, None]


def test_without_control_it_is_judged_as_any_other_driver(reached):
    verdict = first(reached("", "-uncontrolled"))
    assert (verdict.verdict, verdict.runs) == (Finding.PASS, 40)


def test_control_that_is_lost_is_let_go_of(reached):
    candidate = reached("")
    assert candidate.release_control()
    verdict = first(candidate)
    assert (verdict.verdict, verdict.runs) == (Finding.PASS, 40)
    assert not candidate.release_control()


def test_turns_come_back_as_they_were_told():
    turns = (("lane 1", 3), ("select", 1), ("waitingLoop", None))
    order = Order(1, CHOICES.again(turns))
    assert list(order.turns.schedule().choices) == list(turns)
    assert Batch("pct", 1, 10, 5).found == []


ADDING = {"producer": [["add_after", {"item": "a", "ns": 1}]]}
FAILING = {"caller 1": [["when", "b"], ["forget", "a"]], "caller 2": [["when", "a"]]}
QUEUE = ("hook_calls", "add", "add_after", "done", "len")


@pytest.mark.parametrize(
    ("ops", "programs", "asked"),
    [
        (("update", "remove", "checkout"), {}, [["checkout"]]),
        (
            ("when", "forget", "num_requeues"),
            FAILING,
            [[op, item] for op in ("num_requeues", "when") for item in "ab"],
        ),
        *(
            ((*QUEUE, get), ADDING, [["hook_calls"], ["len"], ["done", "a"], [get], ["done"], [get]])
            for get in ("get", "get_with_priority")
        ),
    ],
    ids=["tracker", "limiter", "queue", "priority queue"],
)
def test_orders_are_told_apart_by_what_they_leave_in_the_candidate(ops, programs, asked):
    """Histories differ by results of a checkout, counts of failures, and items that are queued or held."""
    assert what_tells_apart({*ops}, programs) == asked


def test_orders_with_the_same_answers_differ_if_they_leave_something_else():
    seen = Seen()
    for services in ([], ["shop/web"]):
        seen.note(protocol.History(calls=[], left=["checkout", services]))
    assert len(seen.choices()) == 2


def test_orders_that_leave_other_services_known_are_different():
    """A later sync shows the difference: without a change, a known Service triggers nothing, a new one does."""
    web = {"namespace": "shop", "service": {"name": "web"}, "pods": []}
    mail = {"namespace": "shop", "name": "mail"}
    (seen, looked) = what_tells_apart(
        {"compute", "delete"}, {"controller": [["compute", web]], "informer": [["delete", mail]]}
    )
    assert seen == ["compute", web]
    assert looked[0] == "compute"
    assert (looked[1]["namespace"], looked[1]["service"].name) == ("shop", "mail")
