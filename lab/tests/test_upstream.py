"""Mutants of upstream's own code: how they are made, and by which rules they are judged."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UPSTREAM = ROOT / "benchmarks/upstream"
BROKEN = "stingy_broken.queues:LetsItOutInCompany"

SOUND = """package main

import "fmt"

func add[T int | float64](a, b T) T {
	return a + b
}

type box struct{ n int }

func (b *box) more(by ...int) (sum int) {
	b.n += len(by) + 1
	return b.n
}

func (b *box) clear() {
	b.n = 0
}

func main() {
	b := &box{}
	fmt.Println(add(2, 3), b.more(1, 2))
	b.clear()
	fmt.Println(b.n)
}

func (box) isOne(int, string) bool { return true }

func (_ *box) isTwo(n, _ int) bool { return n == 2 }
"""
TELLS = "5 3\n0\n"


@pytest.fixture
def mutated(tmp_path):
    """Make the mutants of the program, but for some; run it as one of them, or as none."""
    (tmp_path / "main.go").write_text(SOUND)
    (tmp_path / "go.mod").write_text("module mutated\n\ngo 1.26\n")
    out = tmp_path / "out"

    def mutate(*without):
        out.mkdir(exist_ok=True)
        shutil.copy(tmp_path / "go.mod", out)
        left = ["-without", ",".join(map(str, without))]
        made = ["go", "run", UPSTREAM / "mutate.go", *left, out, tmp_path / "main.go"]
        subprocess.run(made, check=True, capture_output=True)
        subprocess.run(["go", "build", "-o", "program", "."], cwd=out, check=True)
        return json.loads((out / "mutants.json").read_text())

    def run(number=None):
        chosen = {} if number is None else {"STINGY_MUTANT": str(number + 1)}
        return subprocess.run(
            [out / "program"], env=os.environ | chosen, capture_output=True, text=True, check=True
        ).stdout

    return mutate, run


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no go")
def test_all_mutants_are_one_program_that_is_sound_unless_it_is_told_to_be_one(mutated):
    mutate, run = mutated
    mutants = mutate()
    told = {(it["function"], it["operator"]): run(it["id"]) for it in mutants}
    assert run() == TELLS
    assert told["add", "change an operator"] == "-1 3\n0\n"
    assert told["box.more", "delete a statement"] != TELLS
    assert told["box.clear", "change a constant"] == "5 3\n1\n"
    assert told["main", "reorder two statements"] != TELLS


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no go")
def test_a_mutant_that_is_left_out_changes_nothing_and_no_number(mutated):
    mutate, run = mutated
    mutants = mutate()
    first = mutants[0]
    assert run(first["id"]) != TELLS
    assert [it["id"] for it in mutate(first["id"])] == [it["id"] for it in mutants]
    assert run(first["id"]) == TELLS


@pytest.fixture
def by_stingy(monkeypatch):
    monkeypatch.syspath_prepend(UPSTREAM)
    from first_broken import by_stingy

    yield by_stingy
    sys.modules.pop("first_broken")


def test_what_was_broken_before_is_asked_first(by_stingy):
    rule = "stingy/other-items-do-not-let-a-held-item-out"
    found = by_stingy(BROKEN, f"ERROR  MUST  {rule}", {rule})
    assert found.how == f"FAIL  MUST  {rule}  deterministic"
    assert rule in found.broken


def test_what_is_kept_is_not_found(by_stingy, monkeypatch):
    import first_broken

    from stingy.guarantees import like

    rules = {rule.id: rule for rule in like(["handing_out/an-added-item-is-handed-out"])}
    monkeypatch.setattr(first_broken, "all_rules", lambda: rules)
    found = by_stingy("stingy_reference", "", ())
    assert (found.red, found.how, found.broken) == (False, "", [])


def test_the_page_lists_the_rules_that_are_judged_and_broken_by_no_mutant(tmp_path):
    from pages import mutants

    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    rows = [
        {"rule": rule, "verdict": verdict}
        for rule, verdict in (("a/x", "PASS"), ("a/y", "PASS"), ("b/z", "NOT-OFFERED"), ("b/w", "FAIL"))
    ]
    broken = [{"id": 0, "stingy": {"broken": ["a/x"]}}, {"id": 1, "stillborn": "no"}]
    for name in mutants.MODULES:
        write(tmp_path / "candidates" / name / "result.json", json.dumps({"results": rows}))
    write(tmp_path / "results/client-go.jsonl", "".join(f"{json.dumps(line)}\n" for line in broken))
    unbroken = mutants.find_unbroken(tmp_path, tmp_path / "candidates")
    assert set(unbroken) == set(mutants.MODULES)
    assert all(rules == ["a/y", "b/w"] for rules in unbroken.values())
