"""``stingy run --fail-fast`` stops at the first broken rule. Several processes: lab/tests/test_fail_fast.py."""

import json

import pytest

from stingy.guarantees import chosen
from stingy.judging.verdict import spell

BROKEN = "stingy_broken.queues:LetsItOutInCompany"
LENIENT = "stingy_broken.memory:KeepsDuplicates"
ASKED = ("stingy/*", "length/*")


@pytest.fixture
def failing_fast(stingy, tmp_path):
    """Return a function that runs stingy with ``--fail-fast``, and returns the result and the report."""

    def failing_fast(*words):
        reports = ("--report", "json=out.json", "--report", "terminal")
        done = stingy("run", *words, "--fail-fast", "--seed", "1", *reports)
        return done, json.loads((tmp_path / "out.json").read_text())

    return failing_fast


def rules(*globs):
    return [word for glob in globs for word in ("--rule", glob)]


def ids(*globs):
    rules = chosen((), globs).values()
    return [spell(rule.id, row.name if row else "") for rule in rules for row in rule.cases]


def judged(told):
    return [spell(row["rule"], row["case"]) for row in told["results"]]


def test_no_rule_is_judged_after_a_broken_one(failing_fast):
    done, told = failing_fast(BROKEN, *rules(*ASKED))
    assert done.returncode == told["summary"]["exit"] == 1
    assert told["status"] == "stopped"
    assert [row["verdict"] for row in told["results"]].index("FAIL") == len(told["results"]) - 1
    assert judged(told) + told["unjudged"] == ids(*ASKED)
    first = " ".join(done.stdout.partition("\nLetsItOutInCompany · ")[0].split())
    assert "--fail-fast ended the run: " in first
    assert first.endswith("more have not been judged")


def test_a_should_ends_the_run_only_if_strict(failing_fast):
    _, lenient = failing_fast(LENIENT, *rules("memory/*"))
    _, strict = failing_fast(LENIENT, *rules("memory/*"), "--strict")
    assert {row["level"] for row in lenient["results"] if row["verdict"] == "FAIL"} <= {"SHOULD"}
    assert lenient["status"] == "complete"
    assert "unjudged" not in lenient
    assert strict["status"] == "stopped"
    assert strict["summary"]["exit"] == 1
    assert strict["summary"]["held_against"] == {"as promised": 2, "as upstream does": 1}


def test_all_rules_are_judged_of_a_conforming_candidate(failing_fast):
    done, told = failing_fast(*rules("fair/*"))
    assert done.returncode == 0
    assert told["status"] == "complete"
    assert judged(told) == ids("fair/*")


def test_the_failure_can_be_replayed(failing_fast, stingy):
    failing_fast(BROKEN, *rules("stingy/*"))
    again = stingy("replay", "out.json", BROKEN)
    assert again.returncode == 1
    assert "have not been judged" not in again.stdout
