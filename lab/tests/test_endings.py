"""How a run ends: what it may say of a candidate, and what it says of itself."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stingy.cli.session import conclude
from stingy.language.account import Line
from stingy.language.rule import Level
from stingy.reports import Report
from stingy.reports import json as json_report
from stingy.reports.native import LANGUAGES, SCRIPTED
from stingy.request import DEFAULT_TARGET, Request
from stingy.verdict import Finding, Status, Verdict

DRIVERS = Path(__file__).parent / "drivers"
LIES = """
from stingy_reference import WorkQueue
class Lies(WorkQueue):
    "Hands out what nobody has added."
    def get(self):
        item, shutdown = super().get()
        return (None if shutdown else f"{item}!"), shutdown
"""

SLOW = """
import time
from stingy_reference import WorkQueue
_sleep = time.sleep
class Slow(WorkQueue):
    def __init__(self):
        super().__init__()
        open("begun", "w").close()
        _sleep(0.3)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to stand in, and another for what the command keeps for its user."""
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    return tmp_path / "here"


@pytest.fixture
def stingy(here):
    def stingy(*words, **given):
        given = {"cwd": here, "capture_output": True, "text": True, "timeout": 180} | given
        return subprocess.run([sys.executable, "-m", "stingy", *words], **given)

    return stingy


def report(path):
    return json.loads(path.read_text())


def test_rules_that_are_blocked_by_one_that_was_not_asked_for_do_not_make_a_candidate_conform(stingy, here):
    (here / "h.py").write_text(LIES)
    asked = ("--rule", "shutdown/shutting-down-says-so", "--rule", "fair/*", "--rule", "stingy/*")
    done = stingy(
        "run",
        "h:Lies",
        *asked,
        "--strict",
        "--seed",
        "1",
        "--report",
        "json=out.json",
        "--report",
        "terminal",
    )
    assert done.returncode == 1
    assert "Lies does not conform" in done.stdout
    broken = [row["rule"] for row in report(here / "out.json")["results"] if row["verdict"] == "FAIL"]
    assert "handing_out/an-added-item-is-handed-out" in broken


@pytest.mark.parametrize(
    "driver", ["prints_at_add", "answers_twice", "turns_its_clock_back", "shows_a_time_that_is_none"]
)
def test_a_driver_that_cannot_be_trusted_is_not_told_to_keep_anything(stingy, driver):
    target = f"cmd:{sys.executable} {DRIVERS / 'misbehaving.py'} {driver}"
    done = stingy("run", target, "--rule", "shutdown/shutting-down-says-so", "--seed", "1")
    assert done.returncode in (1, 2, 3), done.stdout + done.stderr
    assert "conforms" not in done.stdout
    assert "broken among" not in done.stdout


def test_only_a_whole_profile_is_said_to_conform(stingy):
    part = stingy("run", "--rule", "fair/*", "--seed", "1").stdout
    assert "nothing broken among the 7 rules judged" in part
    assert "conforms" not in part
    whole = stingy("run", "stingy_reference:WorkQueue", "--profile", "memory", "--seed", "1").stdout
    assert "WorkQueue conforms as promised and as upstream does, by the rules of memory: " in " ".join(
        whole.split()
    )


def test_an_interrupted_run_says_so_and_nothing_of_conforming(here):
    (here / "s.py").write_text(SLOW)
    words = ["run", "s:Slow", "--seed", "1", "--report", "json=out.json", "--report", "terminal"]
    run = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *words],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while run.poll() is None and not (here / "begun").exists():
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    told, _ = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "conform" not in told
    assert "the run was interrupted" in told
    assert report(here / "out.json")["status"] == "interrupted"
    assert report(here / "out.json")["summary"]["exit"] == 130


INTERRUPTIBLE = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # whoever starts us in the background has it ignored
    "from stingy.cli import main\nmain(sys.argv[1:])"
)


@pytest.fixture
def crashing(here):
    """The command, after these lines have been run in its process; it writes a report in JSON, too."""

    def crashing(lines, *reports):
        command = f"import sys\n{lines}\nfrom stingy.cli import main\nmain(sys.argv[1:])"
        words = [word for report in (*reports, "json=out.json") for word in ("--report", report)]
        run = [sys.executable, "-c", command, "run", "--rule", "fair/*", *words]
        return subprocess.run(run, cwd=here, capture_output=True, text=True)

    return crashing


def test_a_run_that_has_left_something_unjudged_is_never_complete():
    """Whoever has judged less than was asked, and has not said why, may have been interrupted where nobody saw it."""
    found = conclude(Request(DEFAULT_TARGET), [], {}, "", interrupted=False, stopped=False)
    assert found.status is Status.INTERRUPTED
    assert found.unjudged


def test_a_crash_of_the_suite_is_no_verdict(crashing, here):
    """One way to tell what was found out fails, and the other is still written."""
    done = crashing(
        "import stingy.reports.ctrf as it\ndef write(*_): raise ZeroDivisionError('ours')\nit.write = write",
        "ctrf=c.json",
    )
    assert done.returncode == 5
    assert (
        "a fault of stingy itself: the report ctrf=c.json cannot be written: ZeroDivisionError: ours"
        in done.stderr
    )
    assert report(here / "out.json")["status"] == "crashed"


def test_a_crash_in_the_midst_keeps_what_was_found_out_and_names_the_rule_in_hand(crashing, here):
    done = crashing(
        "import stingy.trial as it\n"
        "judged = it.Judge.verdict\n"
        "def verdict(self, rule, row=None):\n"
        "    if rule.id == 'fair/first-come-first-served': raise ZeroDivisionError('ours')\n"
        "    return judged(self, rule, row)\n"
        "it.Judge.verdict = verdict",
        "terminal",
    )
    assert done.returncode == 5
    assert "ZeroDivisionError: ours (with fair/first-come-first-served in hand)" in done.stderr
    assert "the suite has a fault of its own" in done.stdout
    kept = report(here / "out.json")
    assert kept["status"] == "crashed"
    assert "handing_out/an-added-item-is-handed-out" in {row["rule"] for row in kept["results"]}


def test_any_other_fault_of_ours_exits_with_5(stingy, here):
    """A module of the user's stands in the way of one that we need."""
    (here / "msgspec.py").write_text("raise RuntimeError('mine')\n")
    done = stingy("run", "--rule", "fair/*")
    assert done.returncode == 5
    assert "msgspec.py here stands in the way of the package of that name: rename it" in done.stderr


@pytest.mark.parametrize("rules", ["fair/*", "once_more/no-add-is-lost"], ids=["none draws", "one draws"])
def test_what_is_needed_later_is_not_taken_from_where_the_user_stands(stingy, here, rules):
    for name in ("hypothesis", "jinja2", "rich"):
        (here / f"{name}.py").write_text("raise RuntimeError('mine')\n")
    assert stingy("run", "--rule", rules, "--report", "terminal", "--report", "html=out.html").returncode == 0


def test_the_installed_command_takes_its_own_modules_though_others_stand_here(here):
    (here / "hypothesis.py").write_text("raise RuntimeError('mine')\n")
    command = Path(sys.executable).parent / "stingy"
    words = [command, "run", "--rule", "fair/*"]
    assert subprocess.run(words, cwd=here, capture_output=True, text=True).returncode == 0


def test_output_that_cannot_be_written_as_it_is_is_written_as_can_be(stingy):
    plain = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ("run", "stingy_broken.queues:DropsWhatIsHeld", "--rule", "once_more/added-while*", "--seed", "1")
    done = stingy(*words, env=plain, encoding="ascii")
    assert done.returncode == 1
    assert "does not conform" in done.stdout
    json.loads(stingy(*words, "--report", "json", env=plain, encoding="utf-8").stdout)


def test_rows_whose_names_the_locale_cannot_write_are_judged_like_others(stingy):
    """pytest puts the name of what is under way into the environment."""
    plain = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = (
        "run",
        "--rule",
        "delays/without-a-delay-an-item-is-added-now",
        "--seed",
        "1",
        "--report",
        "json",
    )
    told = json.loads(stingy(*words, env=plain, encoding="utf-8").stdout)
    assert told["status"] == "complete"
    assert {row["case"] for row in told["results"] if row["rule"] == words[2]} >= {"0 s", "\u22121 h"}


def test_a_baseline_that_cannot_be_written_is_refused_before_anything_is_judged(stingy):
    words = ("--to", "no/such/folder/b.json", "--reason", "x")
    done = stingy("baseline", "write", "stingy_reference", *words, timeout=20)
    assert done.returncode == 4
    assert "there is no folder" in done.stderr


BROKEN = "stingy_broken.queues:DropsWhatIsHeld"


@pytest.fixture
def written(stingy, here):
    stingy("run", BROKEN, "--seed", "1", "--rule", "once_more/added-while*", "--report", "json=out.json")
    return here / "out.json"


def test_a_report_of_ones_own_is_replayed_unasked(stingy, written):
    replayed = stingy("replay", "out.json")
    assert replayed.returncode == 1
    assert "once more" in replayed.stdout
    assert "looks like" not in replayed.stdout, "that takes what is kept, too"


RACE = "interleavings/work-is-done-in-every-order"
SCRIPT = "stingy/one-worker-at-a-time"


@pytest.fixture
def reported(here):
    """A report in which these rules are broken, though nobody was asked."""

    def reported(*rules):
        told = Line("worker 1", "Get()", "waits", "get", expected="to return 'a'")
        verdicts = [
            Verdict(rule, "", "queue", Level.MUST, Finding.FAIL, because="so", story=(told,))
            for rule in rules
        ]
        outcome = Report("1", "stingy_reference", "Theirs", "", "", 1, False, verdicts)
        with (here / "out.json").open("w") as out:
            json_report.write(outcome, out)

    return reported


@pytest.mark.parametrize("language", SCRIPTED)
def test_a_race_that_nobody_has_chosen_the_order_of_is_left_out_aloud(stingy, reported, language):
    reported(SCRIPT, RACE)
    done = stingy("replay", "out.json", "--export", language)
    assert done.returncode == 0
    assert done.stderr == f"left out: {RACE}: {WHY}\n"
    assert RACE.partition("/")[2].partition("-in-")[0] not in done.stdout
    assert done.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_that_is_all_nothing_is_exported_and_it_does_not_look_done(stingy, reported, language):
    reported(RACE)
    done = stingy("replay", "out.json", "--export", language)
    assert (done.returncode, done.stdout) == (4, "")
    assert f"left out: {RACE}: {WHY}" in done.stderr
    assert "there is nothing in this report that a test could tell" in done.stderr


WHY = "nobody has chosen the order of its threads, so that it cannot be brought about again"


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language not in SCRIPTED])
def test_a_language_that_only_drivers_speak_tells_nothing_of_a_candidate_in_python(
    stingy, reported, language
):
    reported(SCRIPT)
    done = stingy("replay", "out.json", "--export", language)
    assert done.returncode == 4
    assert (
        f"left out: {SCRIPT}: stingy_reference is judged in Python: --export pytest tells it" in done.stderr
    )


def test_a_race_of_somebody_elses_driver_is_not_run_for_its_export(stingy, reported, here):
    reported(RACE)
    told = report(here / "out.json")
    told["results"][0]["order"] = "/lane-1,lane-2"
    told["candidate"]["target"] = "cmd:sh -c 'touch PWNED'"
    (here / "out.json").write_text(json.dumps(told))
    done = stingy("replay", "out.json", "--export", "go")
    assert (done.returncode, done.stdout) == (4, "")
    assert "was not written by a run of yours in this folder" in done.stderr
    assert not (here / "PWNED").exists()


def test_a_report_of_somebody_elses_runs_nothing_that_was_not_named(
    stingy, written, here, tmp_path, monkeypatch
):
    told = report(written)
    for target in ("cmd:sh -c 'touch PWNED'", "pwned:Queue"):
        (here / "pwned.py").write_text("open('PWNED', 'w')\n")
        written.write_text(json.dumps(told | {"candidate": told["candidate"] | {"target": target}}))
        done = stingy("replay", "out.json")
        assert done.returncode == 4
        assert "would run" in done.stderr
        assert not (here / "PWNED").exists()
    written.write_text(json.dumps(told))
    monkeypatch.setenv("HOME", str(tmp_path / "another"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another" / "config"))
    assert stingy("replay", "out.json").returncode == 4, "of another user"
    assert stingy("replay", "out.json", BROKEN).returncode == 1, "and named"


def test_a_report_from_another_folder_is_not_run_here(stingy, written, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "out.json").write_bytes(written.read_bytes())
    assert stingy("replay", "out.json", cwd=tmp_path / "there").returncode == 4


def test_a_damaged_version_of_kubernetes_is_one_sentence(stingy, written):
    told = report(written)
    written.write_text(json.dumps(told | {"candidate": told["candidate"] | {"kubernetes": "latest"}}))
    done = stingy("replay", "out.json")
    assert (done.returncode, "Traceback" in done.stderr) == (4, False)
    assert "is damaged" in done.stderr


def test_a_report_of_schema_1_is_still_read(stingy, written):
    told = report(written)
    for new in ("status", "signature"):
        del told[new]
    written.write_text(json.dumps(told | {"schema": 1, "complete": True}))
    assert stingy("replay", "out.json", BROKEN).returncode == 1
    written.write_text(json.dumps(told | {"schema": 1, "complete": False}))
    assert "cut short" in stingy("replay", "out.json", BROKEN).stderr
