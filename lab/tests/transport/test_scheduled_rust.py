"""Where a queue in Rust names stingy's locks and threads, it is judged in orders that are chosen, told and repeated."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.transport import locate
from stingy.trial import Judge, Trial
from stingy.verdict import Finding

pytestmark = pytest.mark.budget(40)
"""The first test of a process builds the driver; from an empty cache that takes 30 CPU-seconds."""
CONTROLLED = Path(__file__).parent.parent / "drivers" / "controlled_rust"
WORK = "interleavings/work-is-done-in-every-order"
SHUTDOWN = "interleavings/work-ends-in-every-order"
SUCCESSION = "succession/what-was-added-can-be-taken-at-once"
COUNT = "layers/whatever-is-done-a-queue-keeps-count"
EXPLAINED = "interleavings/some-order-of-the-calls-explains-every-answer"


@pytest.fixture(scope="session")
def controlled_rust():
    """The driver of a queue that has a fault if it is told to."""
    if shutil.which("cargo") is None:
        pytest.skip("needs cargo to build a driver that has its candidate under control")
    build = ["cargo", "build", "--release", "--quiet"]
    done = subprocess.run(build, cwd=CONTROLLED, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return CONTROLLED / "target" / "release" / "controlled"


@pytest.fixture
def reach(controlled_rust):
    """The candidate with a fault, or with none; gone at the end."""
    opened = []

    def reach(fault=""):
        opened.append(locate("cmd:" + shlex.join([str(controlled_rust), fault])))
        return opened[-1]

    yield reach
    for candidate in opened:
        candidate.close()


def broken(candidate, id_):
    """The first row of a race that is not kept, with how it went."""
    rule = all_rules()[id_]
    verdicts = ((row, Trial(candidate, 1).judge(rule, row)) for row in rule.cases)
    return next((each for each in verdicts if each[1].verdict is not Finding.PASS), None)


@pytest.mark.parametrize(
    ("fault", "id_"),
    [
        ("wakes only if it was empty", WORK),
        ("wakes nobody in Done", WORK),
        ("wakes one at shutdown", SHUTDOWN),
        ("wakes before it shuts down", SHUTDOWN),
        ("checks, then acts", EXPLAINED),
        ("takes two locks in either order", SHUTDOWN),
    ],
)
def test_a_fault_that_some_orders_show_is_found_and_broken_again(reach, fault, id_):
    candidate = reach(fault)
    row, verdict = broken(candidate, id_)
    assert verdict.verdict is Finding.FAIL
    again = Judge(candidate, 1).again(all_rules()[id_], row, verdict.order)
    assert (again.verdict, again.story) == (Finding.FAIL, verdict.story)


def test_a_deadlock_is_told_by_who_waits_for_whom(reach):
    _, verdict = broken(reach("takes two locks in either order"), SHUTDOWN)
    assert "lane 1 waits for a lock that lane 2 holds at queue.rs:" in verdict.because
    assert "lane 2 waits for a lock that lane 1 holds at queue.rs:" in verdict.because


@pytest.mark.parametrize(("how", "id_"), [("", WORK), ("", SHUTDOWN), ("", EXPLAINED), ("polls", SHUTDOWN)])
def test_a_right_queue_is_kept_in_hundreds_of_orders(reach, how, id_):
    candidate = reach(how)
    assert broken(candidate, id_) is None
    (first, *_) = Judge(candidate, 1).verdicts(all_rules()[id_])
    assert first.runs == 400


@pytest.mark.parametrize("how", ["sleeps in Add", "sleeps in Get"])
@pytest.mark.parametrize("id_", [WORK, SUCCESSION, COUNT])
def test_a_right_queue_whose_calls_sleep_is_kept_under_control(reach, how, id_):
    candidate = reach(how)
    verdicts = list(Judge(candidate, 1).verdicts(all_rules()[id_]))
    assert {each.verdict for each in verdicts} == {Finding.PASS}, {each.because for each in verdicts}
    assert candidate.release_control(), "it was under control to the end"


@pytest.mark.parametrize("fault", ["is of std", "starts a thread of std"])
def test_what_is_left_to_the_machine_is_judged_without_an_order(reach, fault):
    (first, *_) = Judge(reach(fault), 1).verdicts(all_rules()[WORK])
    assert (first.verdict, first.runs) == (Finding.PASS, 40)


def test_a_driver_that_has_lost_a_thread_is_replaced_by_one_that_answers(reach):
    candidate = reach("spins on an atomic of std")
    rule = all_rules()[WORK]
    row = next(row for row in rule.cases if row.name == "Len while items come and go")
    verdict = Trial(candidate, 1).judge(rule, row)
    assert (verdict.verdict, verdict.runs) == (Finding.PASS, 40)
    assert not candidate.release_control()
