"""The page about upstream's mutants lists each rule that was judged and that no mutant breaks."""

import json

from lab.recorded import keep

FAIR, LEN, ONE = (
    "fair/first-come-first-served",
    "length/len-counts-what-is-queued",
    "stingy/one-worker-at-a-time",
)


def test_only_rules_that_were_judged_and_that_no_mutant_breaks_are_listed(tmp_path):
    from pages import mutants

    verdicts = {FAIR: "PASS", LEN: "PASS", ONE: "FAIL"}
    drain = {"profile": "drain", "because": "", "rules": ["drain/it-refuses-what-is-new"]}
    row = {"case": "", "profile": "queue", "level": "MUST", "evidence": "deterministic"}
    rows = [{**row, "rule": rule, "verdict": verdict} for rule, verdict in verdicts.items()]
    candidate = {"target": "", "name": "", "version": "", "kubernetes": ""}
    broken = [{"id": 0, "stingy": {"broken": [FAIR]}}, {"id": 1, "stillborn": "no"}]
    (tmp_path / "results").mkdir()
    (tmp_path / "results/client-go.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in broken))
    for name in mutants.MODULES:
        (tmp_path / name).mkdir()
        report = {"schema": 3, "status": "complete", "candidate": candidate, "seed": 1, "results": rows}
        keep(report | {"not_offered": [drain]}, tmp_path / name / "result.json")
    unbroken = mutants.find_unbroken(tmp_path, tmp_path)
    assert unbroken.keys() == set(mutants.MODULES)
    assert all(sorted(rules) == [LEN, ONE] for rules in unbroken.values())
