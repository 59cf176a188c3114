"""What the benchmarks of orders ask and count; that they accuse a driver is tried in the lab."""

import json
import runpy
from pathlib import Path
from random import Random

from msgspec.structs import replace

from stingy.guarantees import all_rules
from stingy.language.small_programs import Calls
from stingy.trial import make_verdict
from stingy.verdict import Finding

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
OVERTAKES = "interleavings/no-item-overtakes-another"
ANY_PROGRAM = "interleavings/no-program-of-a-few-lanes-breaks-it"
SHUT_DOWN = "interleavings/no-program-of-a-few-lanes-survives-its-shutdown"

ACCUSED = runpy.run_path(str(BENCHMARKS / "accused.py"))
RELEASED = runpy.run_path(str(BENCHMARKS / "released.py"))


def test_races_that_a_report_knows_as_broken_are_not_asked_again(tmp_path):
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


def test_a_large_program_makes_only_legal_calls():
    calls = Calls(adds=("add {}",), once="shut_down")
    for seed in range(5):
        program = ACCUSED["draw_large"](calls, "ab", Random(seed))
        lanes = [lane.split(", ") for lane in program.at_once.split(" | ")]
        [ends] = [lane for lane in lanes if "shut_down" in lane]
        assert "get" not in ends, "the lane may wait for an item, and would never shut the queue down"
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


def test_orders_are_counted_up_to_the_first_row_that_is_broken():
    rule = all_rules()[OVERTAKES]
    passed, failed = (make_verdict(rule, None, it, runs=7) for it in (Finding.PASS, Finding.FAIL))
    count = RELEASED["count_orders"]
    assert count([passed, passed, replace(failed, runs=2), failed]) == 16
    assert count([passed, passed]) == 0
