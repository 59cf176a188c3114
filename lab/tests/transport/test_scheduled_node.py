"""Where a driver in JavaScript is told in which order its lanes go on, what is wrong between two awaits is found."""

import shlex
import shutil
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.transport import locate
from stingy.trial import Judge, Trial
from stingy.verdict import Finding

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None, reason="needs node to run a driver in JavaScript"
)

DRIVER = Path(__file__).parent.parent / "drivers" / "controlled_node" / "driver.mjs"
WORK = "interleavings/work-is-done-in-every-order"
SHUTDOWN = "interleavings/work-ends-in-every-order"
SUCCESSION = "succession/what-was-added-can-be-taken-at-once"
COUNT = "layers/whatever-is-done-a-queue-keeps-count"
EXPLAINED = "interleavings/some-order-of-the-calls-explains-every-answer"


@pytest.fixture
def reach():
    """The candidate with a fault, or with none; gone at the end."""
    opened = []

    def reach(fault=""):
        opened.append(locate("cmd:" + shlex.join(["node", str(DRIVER), fault])))
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
    [("Add checks, awaits, then acts", EXPLAINED), ("Get checks, awaits, then acts", WORK)],
)
def test_what_is_checked_before_an_await_and_done_after_it_is_found_and_broken_again(reach, fault, id_):
    candidate = reach(fault)
    row, verdict = broken(candidate, id_)
    assert verdict.verdict is Finding.FAIL
    again = [Judge(candidate, 1).again(all_rules()[id_], row, verdict.order) for _ in range(3)]
    assert {each.verdict for each in again} == {Finding.FAIL}
    assert all(each.story == verdict.story for each in again), "the same choices give the same run"


@pytest.mark.parametrize("id_", [WORK, SHUTDOWN, EXPLAINED])
def test_a_right_queue_is_kept(reach, id_):
    assert broken(reach(), id_) is None


@pytest.mark.parametrize("how", ["sleeps in Add", "sleeps in Get"])
@pytest.mark.parametrize("id_", [WORK, SUCCESSION, COUNT])
def test_a_right_queue_whose_calls_sleep_is_kept_under_control(reach, how, id_):
    verdicts = list(Judge(reach(how), 1).verdicts(all_rules()[id_]))
    assert {each.verdict for each in verdicts} == {Finding.PASS}, {each.because for each in verdicts}
