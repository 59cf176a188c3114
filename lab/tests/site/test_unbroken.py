"""The page about upstream's mutants lists each rule that was judged and that no mutant breaks."""

import json


def test_only_rules_that_were_judged_and_that_no_mutant_breaks_are_listed(tmp_path):
    from pages import mutants

    verdicts = {"a/x": "PASS", "a/y": "PASS", "b/z": "NOT-OFFERED", "b/w": "FAIL"}
    rows = [{"rule": rule, "verdict": verdict} for rule, verdict in verdicts.items()]
    broken = [{"id": 0, "stingy": {"broken": ["a/x"]}}, {"id": 1, "stillborn": "no"}]
    (tmp_path / "results").mkdir()
    (tmp_path / "results/client-go.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in broken))
    for name in mutants.MODULES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_text(json.dumps({"results": rows}))
    unbroken = mutants.find_unbroken(tmp_path, tmp_path)
    assert unbroken.keys() == set(mutants.MODULES)
    assert all(rules == ["a/y", "b/w"] for rules in unbroken.values())
