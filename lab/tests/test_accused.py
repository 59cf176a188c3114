"""benchmarks/accused.py draws orders for a driver: a correct one is never accused, a wrong one is."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from machine import patience

ACCUSED = Path(__file__).parents[2] / "benchmarks/accused.py"
DRIVER = Path(__file__).parent / "drivers/controlled_node/driver.mjs"
OVERTAKES = "interleavings/no-item-overtakes-another"
WORK = "interleavings/work-is-done-in-every-order"
ANY_PROGRAM = "interleavings/no-program-of-a-few-lanes-breaks-it"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


def accused(*words, fault=""):
    done = subprocess.run(
        [sys.executable, str(ACCUSED), f"cmd:node {DRIVER} '{fault}'", *words],
        capture_output=True,
        text=True,
        timeout=patience(15),
    )
    return done.returncode, done.stdout + done.stderr


def test_a_correct_driver_is_accused_in_none_of_the_orders_which_are_counted():
    code, said = accused("--rule", OVERTAKES, "--orders", "1")
    assert code == 0, said
    assert said.startswith("2,400 orders, "), "of six races, two batches of 200"
    assert "0 accused, 0 undecided" in said


@pytest.mark.parametrize(
    ("rule", "words", "told"), [(WORK, (), "order: /lane-"), (ANY_PROGRAM, ("--large",), "0#/lane-")]
)
def test_a_queue_that_checks_and_then_acts_is_accused(rule, words, told):
    code, said = accused("--rule", rule, "--orders", "1", *words, fault="Get checks, awaits, then acts")
    assert code == 1, said
    assert f"FAIL {rule}" in said
    assert told in said
