"""Drivers in Rust and JavaScript under control: races are judged in chosen orders, and a failing order is repeated.

In Rust, the queue uses stingy's locks and threads; in JavaScript, an order is one of what runs between two awaits.
"""

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from lanes import COUNT, EXPLAINED, MANY, SHUTDOWN, SUCCESSION, WORK, again, broken, first, reaching, returned

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge, Trial
from stingy.judging.verdict import Finding

pytestmark = pytest.mark.budget(40)
"""The first test of a process builds the driver in Rust; from an empty cache that takes 30 CPU-seconds."""
DRIVERS = Path(__file__).parent.parent / "drivers"


@pytest.fixture(scope="session")
def controlled_rust():
    """Path of the driver in Rust, built."""
    if shutil.which("cargo") is None:
        pytest.skip("needs cargo to build a driver that has its candidate under control")
    build = ["cargo", "build", "--release", "--quiet"]
    done = subprocess.run(build, cwd=DRIVERS / "controlled_rust", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return DRIVERS / "controlled_rust" / "target" / "release" / "controlled"


@pytest.fixture
def in_rust(controlled_rust):
    """Start the driver of a queue with a fault; "" means no fault."""
    yield from reaching(controlled_rust)


@pytest.fixture
def in_javascript():
    if shutil.which("node") is None:
        pytest.skip("needs node to run a driver in JavaScript")
    yield from reaching("node", DRIVERS / "controlled_node" / "driver.mjs")


@pytest.fixture
def reach(request):
    def reach(language, fault):
        return request.getfixturevalue(f"in_{language}")(fault)

    return reach


@pytest.mark.parametrize(
    ("language", "fault", "id_"),
    [
        ("javascript", "Add checks, awaits, then acts", EXPLAINED),
        ("javascript", "Get checks, awaits, then acts", WORK),
        ("rust", "wakes only if it was empty", WORK),
        ("rust", "wakes nobody in Done", WORK),
        ("rust", "wakes one at shutdown", SHUTDOWN),
        ("rust", "wakes before it shuts down", SHUTDOWN),
        ("rust", "checks, then acts", EXPLAINED),
        ("rust", "takes two locks in either order", SHUTDOWN),
    ],
)
def test_a_fault_that_some_orders_show_is_found_and_repeated(reach, language, fault, id_):
    candidate = reach(language, fault)
    verdict = broken(candidate, id_)
    assert verdict.verdict is Finding.FAIL
    found = [again(candidate, verdict) for _ in range(3)]
    assert [(it.verdict, it.story) for it in found] == [(Finding.FAIL, verdict.story)] * 3


def test_a_deadlock_names_the_lanes_and_the_locks(in_rust):
    verdict = broken(in_rust("takes two locks in either order"), SHUTDOWN)
    assert "lane 1 waits for a lock that lane 2 holds at queue.rs:" in verdict.because
    assert "lane 2 waits for a lock that lane 1 holds at queue.rs:" in verdict.because


@pytest.mark.parametrize(
    ("language", "how", "id_"),
    [*product(("javascript", "rust"), [""], (WORK, SHUTDOWN, EXPLAINED)), ("rust", "polls", SHUTDOWN)],
)
def test_a_right_queue_passes_in_every_order(reach, language, how, id_):
    candidate = reach(language, how)
    assert broken(candidate, id_) is None
    assert language != "rust" or first(candidate, id_).runs == 400


@pytest.mark.parametrize("language", ["javascript", "rust"])
def test_thousands_of_calls_of_a_lane_are_no_loop(reach, language):
    assert returned(reach(language, ""), MANY) == 8_000


@pytest.mark.parametrize("how", ["sleeps in Add", "sleeps in Get"])
@pytest.mark.parametrize("id_", [WORK, SUCCESSION, COUNT])
@pytest.mark.parametrize("language", ["javascript", "rust"])
def test_a_right_queue_whose_calls_sleep_passes_under_control(reach, language, how, id_):
    candidate = reach(language, how)
    verdicts = list(Judge(candidate, 1).verdicts(all_rules()[id_]))
    assert {each.verdict for each in verdicts} == {Finding.PASS}, {each.because for each in verdicts}
    assert language != "rust" or candidate.release_control(), "it was under control to the end"


@pytest.mark.parametrize("fault", ["is of std", "starts a thread of std"])
def test_a_queue_that_uses_std_is_judged_without_a_chosen_order(in_rust, fault):
    verdict = first(in_rust(fault))
    assert (verdict.verdict, verdict.runs) == (Finding.PASS, 40)


def test_a_driver_that_has_lost_a_thread_is_replaced_by_one_that_answers(in_rust):
    candidate = in_rust("spins on an atomic of std")
    rule = all_rules()[WORK]
    row = next(row for row in rule.cases if row.name == "Len while items come and go")
    verdict = Trial(candidate, 1).judge(rule, row)
    assert (verdict.verdict, verdict.runs) == (Finding.PASS, 40)
    assert not candidate.release_control()
