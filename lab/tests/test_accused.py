"""Orders are drawn on and on, and whoever is wrong in one of them is accused; how soon, is counted."""

import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from stingy.guarantees import all_rules
from stingy.language.small_programs import Calls
from stingy.trial import make_verdict
from stingy.verdict import Finding

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
DRIVER = ROOT / "tests/drivers/controlled_node/driver.mjs"
OVERTAKES = "interleavings/no-item-overtakes-another"
WORK = "interleavings/work-is-done-in-every-order"
ANY_PROGRAM = "interleavings/no-program-of-a-few-lanes-breaks-it"
SHUT_DOWN = "interleavings/no-program-of-a-few-lanes-survives-its-shutdown"

ACCUSED = runpy.run_path(str(BENCHMARKS / "accused.py"))
RELEASED = runpy.run_path(str(BENCHMARKS / "released.py"))

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


def accused(*words, fault=""):
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "accused.py"), f"cmd:node {DRIVER} '{fault}'", *words],
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout


@needs_node
def test_who_is_right_is_accused_in_none_of_the_orders_which_are_counted():
    code, said = accused("--rule", OVERTAKES, "--orders", "1")
    assert code == 0, said
    assert said.startswith("2,400 orders, "), "of six races, two batches of 200"
    assert "0 accused, 0 undecided" in said


@needs_node
@pytest.mark.parametrize(
    ("rule", "words", "told"), [(WORK, (), "order: /lane-"), (ANY_PROGRAM, ("--large",), "0#/lane-")]
)
def test_a_queue_that_checks_and_then_acts_is_accused(rule, words, told):
    code, said = accused("--rule", rule, "--orders", "1", *words, fault="Get checks, awaits, then acts")
    assert code == 1, said
    assert f"FAIL {rule}" in said
    assert told in said


def test_what_is_known_to_be_broken_is_not_asked(tmp_path):
    rule = all_rules()[OVERTAKES]
    rows = [
        {"rule": rule.id, "case": row.name, "verdict": "FAIL" if n else "PASS"}
        for n, row in enumerate(rule.cases)
    ]
    rows.append({"rule": ANY_PROGRAM, "case": "", "verdict": "BLOCKED"})
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"results": rows}))
    [only] = ACCUSED["keep_only"]([rule, all_rules()[ANY_PROGRAM]], report)
    assert (only.id, only.each) == (rule.id, rule.each[:1])


@pytest.mark.parametrize("seed", range(5))
def test_a_large_program_makes_only_legal_calls(seed):
    calls = Calls(adds=("add {}",), once="shut_down")
    lanes = [
        lane.split(", ") for lane in ACCUSED["draw_large"](calls, "ab", Random(seed)).at_once.split(" | ")
    ]
    [ends] = [lane for lane in lanes if "shut_down" in lane]
    assert "get" not in ends, "it would be called by a lane that may wait for an item"
    assert len(lanes) == 20
    assert {len(lane) for lane in lanes if lane is not ends} == {10}
    for lane in lanes:
        held = [lane[:n].count("get") - lane[:n].count("done") for n in range(len(lane) + 1)]
        assert min(held) == 0
        assert held[-1] == 0
        assert all(held[n] for n, call in enumerate(lane) if call in ("done", "add"))


def test_a_large_program_is_drawn_for_each_rule_about_programs():
    asked = list(ACCUSED["ask_large"]([all_rules()[SHUT_DOWN], all_rules()[OVERTAKES]], 1))
    assert [each.rule.id for each in asked] == [SHUT_DOWN]


def test_the_orders_are_those_up_to_the_first_row_that_is_broken():
    rule = all_rules()[OVERTAKES]
    passed, failed = (make_verdict(rule, None, it, runs=7) for it in (Finding.PASS, Finding.FAIL))
    count = RELEASED["count_orders"]
    assert count([passed, passed, replace(failed, runs=2), failed]) == 16
    assert count([passed, passed]) == 0
