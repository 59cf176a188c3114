"""Ends of a run, and what a foreign report may execute.

Signals and locales: lab/tests/test_endings.py.
"""

import json
from pathlib import Path

import pytest

from stingy.cli.session import conclude
from stingy.guarantees import all_rules
from stingy.judging.docket import Docket
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding, Status, Verdict
from stingy.language.account import Line
from stingy.language.rule import Level
from stingy.reports import Report, ctrf
from stingy.reports import json as json_report
from stingy.reports.native import LANGUAGES, SCRIPTED
from stingy.request import DEFAULT_TARGET, Request

SAMPLES = Path(__file__).parent / "samples"
LIES = """
from stingy_reference import WorkQueue
class Lies(WorkQueue):
    "Hands out what nobody has added."
    def get(self):
        item, shutdown = super().get()
        return (None if shutdown else f"{item}!"), shutdown
"""


def report(path):
    return json.loads(path.read_text())


def test_a_rule_that_was_not_asked_for_may_fail_the_candidate(stingy, tmp_path):
    (tmp_path / "h.py").write_text(LIES)
    asked = ("--rule", "shutdown/shutting-down-says-so", "--rule", "fair/*", "--strict", "--seed", "1")
    done = stingy("run", "h:Lies", *asked, "--report", "json=out.json", "--report", "terminal")
    assert done.returncode == 1
    assert "Lies does not conform" in done.stdout
    broken = [row["rule"] for row in report(tmp_path / "out.json")["results"] if row["verdict"] == "FAIL"]
    assert "handing_out/an-added-item-is-handed-out" in broken


def test_only_a_whole_profile_is_said_to_conform(stingy):
    part = stingy("run", "--rule", "fair/*", "--seed", "1").stdout
    assert "nothing broken among the 7 rules judged" in part
    assert "conforms" not in part
    whole = stingy("run", "stingy_reference:WorkQueue", "--profile", "memory", "--seed", "1").stdout
    assert "WorkQueue conforms as promised and as upstream does, by the rules of memory: " in " ".join(
        whole.split()
    )


@pytest.mark.parametrize(
    ("evidence", "says"),
    [(Evidence.TIMED, "upstream does, as far as real time shows"), (Evidence.DETERMINISTIC, "upstream does")],
)
def test_evidence_by_real_time_is_said(evidence, says):
    rules = (rule for rule in all_rules().values() if rule.profile.name == "ending")
    kept = [Verdict(it.id, "", "ending", it.level, Finding.PASS, evidence) for it in rules]
    headline = Report("1", Request("it:It", seed=1), "It", "", "", kept).headline
    assert headline == f"It conforms as promised and as {says}"


def test_a_run_that_left_rules_unjudged_is_interrupted():
    """Unjudged rules are enough: an interruption may go unnoticed."""
    found = conclude(Docket(Request(DEFAULT_TARGET)), [], {}, "", interrupted=False, stopped=False)
    assert found.status is Status.INTERRUPTED
    assert found.unjudged


def test_a_crash_of_one_report_leaves_the_others(stingy, tmp_path, monkeypatch):
    monkeypatch.setattr(ctrf, "write", raise_ours)
    done = stingy("run", "--rule", "fair/*", "--report", "ctrf=c.json", "--report", "json=out.json")
    assert done.returncode == 5
    says = "a fault of stingy itself: the report ctrf=c.json cannot be written: ZeroDivisionError: ours"
    assert says in done.stderr
    assert report(tmp_path / "out.json")["status"] == "crashed"


def test_a_crash_keeps_the_verdicts_and_names_the_rule(stingy, tmp_path, monkeypatch):
    judged = Judge.verdict

    def verdict(self, rule, row=None):
        return raise_ours() if rule.id == "fair/first-come-first-served" else judged(self, rule, row)

    monkeypatch.setattr(Judge, "verdict", verdict)
    done = stingy("run", "--rule", "fair/*", "--report", "terminal", "--report", "json=out.json")
    assert done.returncode == 5
    assert "ZeroDivisionError: ours (while judging fair/first-come-first-served)" in done.stderr
    assert "stingy itself has a fault" in done.stdout
    kept = report(tmp_path / "out.json")
    assert kept["status"] == "crashed"
    assert "handing_out/an-added-item-is-handed-out" in {row["rule"] for row in kept["results"]}


def raise_ours(*_):
    raise ZeroDivisionError("ours")


def test_an_unwritable_baseline_is_refused_before_judging(stingy):
    done = stingy("baseline", "write", "stingy_reference", "--to", "no/such/b.json", "--reason", "x")
    assert done.returncode == 4
    assert "there is no folder" in done.stderr


BROKEN = "stingy_broken.queues:DropsWhatIsHeld"


@pytest.fixture
def written(stingy, tmp_path):
    stingy("run", BROKEN, "--seed", "1", "--rule", "once_more/added-while*", "--report", "json=out.json")
    return tmp_path / "out.json"


RACE = "interleavings/work-is-done-in-every-order"
SCRIPT = "stingy/one-worker-at-a-time"


@pytest.fixture
def reported(tmp_path):
    """Return a function that writes a report in which given rules are broken, without judging."""

    def reported(*rules):
        told = Line("worker 1", "Get()", "waits", "get", expected="to return 'a'")
        verdicts = [
            Verdict(rule, "", "queue", Level.MUST, Finding.FAIL, because="so", story=(told,))
            for rule in rules
        ]
        outcome = Report("1", Request("stingy_reference", seed=1), "Theirs", "", "", verdicts)
        with (tmp_path / "out.json").open("w") as out:
            json_report.write(outcome, out)

    return reported


WHY = "the run did not control the order of its threads, so a test cannot repeat it"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_export_names_what_it_leaves_out(stingy, reported, language):
    """The export leaves out the race in every language, and the script where its test needs a driver."""
    reported(SCRIPT, RACE)
    done = stingy("replay", "out.json", "--export", language)
    assert f"left out: {RACE}: {WHY}\n" in done.stderr
    assert RACE.partition("/")[2].partition("-in-")[0] not in done.stdout
    spoken = language in SCRIPTED
    assert (done.returncode, bool(done.stdout)) == ((0, True) if spoken else (4, False))
    told = f"left out: {SCRIPT}: stingy_reference is judged in Python: use --export pytest"
    assert (told in done.stderr) is not spoken


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_export_of_nothing_is_an_error(stingy, reported, language):
    reported(RACE)
    done = stingy("replay", "out.json", "--export", language)
    assert (done.returncode, done.stdout) == (4, "")
    assert f"left out: {RACE}: {WHY}" in done.stderr
    assert "no broken rule of this report can be written as a test" in done.stderr


def test_an_export_runs_no_driver_of_a_report_from_elsewhere(stingy, reported, tmp_path):
    reported(RACE)
    told = report(tmp_path / "out.json")
    told["results"][0]["order"] = "/lane-1,lane-2"
    told["candidate"]["target"] = "cmd:sh -c 'touch PWNED'"
    (tmp_path / "out.json").write_text(json.dumps(told))
    done = stingy("replay", "out.json", "--export", "go")
    assert (done.returncode, done.stdout) == (4, "")
    assert "was not written by a run of yours in this folder" in done.stderr
    assert not (tmp_path / "PWNED").exists()


def test_a_report_from_elsewhere_runs_nothing_that_is_not_named(stingy, written, tmp_path, monkeypatch):
    told = report(written)
    for target in ("cmd:sh -c 'touch PWNED'", "pwned:Queue"):
        (tmp_path / "pwned.py").write_text("open('PWNED', 'w')\n")
        written.write_text(json.dumps(told | {"candidate": told["candidate"] | {"target": target}}))
        done = stingy("replay", "out.json")
        assert done.returncode == 4
        assert "would run" in done.stderr
        assert not (tmp_path / "PWNED").exists()
    written.write_text(json.dumps(told))
    monkeypatch.setenv("HOME", str(tmp_path / "another"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another" / "config"))
    assert stingy("replay", "out.json").returncode == 4, "of another user"
    assert stingy("replay", "out.json", BROKEN).returncode == 1, "and named"


def test_a_report_from_another_folder_is_not_replayed(stingy, written, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    written.rename(there / "out.json")
    assert stingy("replay", "out.json", cwd=there).returncode == 4


def test_a_damaged_report_is_refused_in_a_sentence(stingy, written):
    told = report(written)
    written.write_text(json.dumps(told | {"candidate": told["candidate"] | {"kubernetes": "latest"}}))
    done = stingy("replay", "out.json")
    assert (done.returncode, "Traceback" in done.stderr) == (4, False)
    assert "is damaged" in done.stderr


def test_a_report_with_a_damaged_order_is_refused_in_a_sentence(stingy, written):
    told = report(written)
    told["results"][0]["order"] = "seven#/producer"
    written.write_text(json.dumps(told))
    done = stingy("replay", "out.json", BROKEN)
    assert (done.returncode, "is not a report of --report json" in done.stderr) == (4, True)


def test_a_report_of_schema_1_has_to_be_complete(stingy, written):
    told = json.loads((SAMPLES / "report-1.json").read_text())
    written.write_text(json.dumps(told | {"complete": False}))
    assert "an incomplete run" in stingy("replay", "out.json", BROKEN).stderr
