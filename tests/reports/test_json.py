"""The JSON report: what it says of the run, what it leaves out, and older reports that are still read."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from stingy import reports
from stingy.cli import judging
from stingy.guarantees import all_rules
from stingy.judging.trial import make_verdict
from stingy.judging.verdict import Evidence, Finding
from stingy.language.account import Held, Line
from stingy.language.allowance import Allowance
from stingy.language.conflict import Access, Conflict
from stingy.language.ways import Way
from stingy.process import setting
from stingy.process.setting import find_commit, find_setting
from stingy.reports import NO_REPORTER, Report, Reporter
from stingy.reports import json as json_report
from stingy.reports.json import Document, read, read_broken
from stingy.request import Request

SAMPLES = Path(__file__).parents[1] / "samples"
BEGAN = datetime(2026, 1, 1, 12, 30, 5, 999, tzinfo=UTC)
SCRIPT = all_rules()["stingy/one-worker-at-a-time"]
TABLE = all_rules()["handing_out/equal-values-are-one-item"]
DRAIN = all_rules()["drain/it-refuses-what-is-new"]
QUEUE = 150_000
"""Most bytes of the report on a candidate that offers the profile queue alone."""
STORY = (
    Line("producer", "Add('')", "", "add", "", Held(("",), ("",), ())),
    Line("worker", "Get()", "waits", "get", expected="to return ''"),
)


def verdict(finding, rule=SCRIPT, row=None, evidence=Evidence.DETERMINISTIC, **more):
    return make_verdict(rule, row, finding, evidence, **more)


def written(*verdicts, **more):
    out = StringIO()
    outcome = Report("1", Request("it:It", seed=1), "It", "", "", verdicts, began=BEGAN, **more)
    json_report.write(outcome, out)
    return out.getvalue()


def test_a_report_says_when_where_and_on_what_it_was_made():
    told = json.loads(written(lasted=61.04))
    assert (told["began"], told["seconds"]) == ("2026-01-01T12:30:05Z", 61.0)
    assert told["setting"] == msgspec.to_builtins(find_setting())
    assert all(told["setting"].values())
    assert told["suite"] == {"version": "1", "commit": find_commit()}
    again = msgspec.json.decode(json.dumps(told), type=Document)
    assert again.began == BEGAN.replace(microsecond=0)
    assert again.setting == find_setting()


def test_a_run_lasts_from_its_begin_to_its_report(stingy, tmp_path, monkeypatch):
    """The test's clock advances by two minutes at each reading."""
    times = (BEGAN + timedelta(minutes=2) * number for number in count())
    clock = SimpleNamespace(now=lambda _: next(times))
    for module in (judging, reports):
        monkeypatch.setattr(module, "datetime", clock)
    stingy("run", "--rule", "fair/*", "--report", "json=out.json")
    report = read(tmp_path / "out.json")
    assert (report.began, report.seconds) == (BEGAN.replace(microsecond=0), 120.0)


def test_a_report_names_its_reporter(stingy, tmp_path):
    words = ("run", "--rule", "fair/*", "--report", "json=out.json")
    stingy(*words, "--as", "acme/queue", "--url", "https://acme.example")
    assert read(tmp_path / "out.json").reporter == Reporter("acme/queue", "https://acme.example")
    stingy(*words)
    assert "reporter" not in json.loads((tmp_path / "out.json").read_text())
    assert read(tmp_path / "out.json").reporter == NO_REPORTER


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--url", "https://acme.example"), "add --as NAME"),
        (("--as", "acme", "--url", "acme.example"), "'acme.example' is not an address"),
    ],
)
def test_an_address_has_a_name_and_a_scheme(stingy, words, says):
    done = stingy("run", "--reference", *words)
    assert (done.returncode, says in done.stderr) == (4, True)


def test_rules_that_are_not_offered_are_listed_once_by_profile_and_reason():
    because = "it has no shut_down_with_drain"
    others = [rule for rule in all_rules().values() if rule.profile.name == "drain" and rule is not DRAIN]
    rows = [(rule, row) for rule in others for row in rule.cases]
    lacking = [verdict(Finding.NOT_OFFERED, *each, Evidence.NONE, because=because) for each in rows]
    old = verdict(Finding.NOT_OFFERED, DRAIN, because="it is so before Kubernetes 1.31")
    told = json.loads(written(verdict(Finding.PASS), *lacking, old))
    assert [row["rule"] for row in told["results"]] == [SCRIPT.id]
    assert told["not_offered"] == [
        {
            "profile": "drain",
            "because": because,
            "rows": len(rows),
            "rules": [rule.id for rule in others],
        },
        {"profile": "drain", "because": old.because, "rows": 1, "rules": [DRAIN.id]},
    ]
    assert told["summary"]["NOT-OFFERED"] == len(rows) + 1


def test_a_rule_that_is_offered_in_part_lists_the_rows_that_are_not():
    first, *others = TABLE.each
    lacking = [verdict(Finding.NOT_OFFERED, TABLE, row, because="it cannot") for row in others]
    (group,) = json.loads(written(verdict(Finding.PASS, TABLE, first), *lacking))["not_offered"]
    assert group["rules"] == [f"{TABLE.id}[{row.name}]" for row in others]


@pytest.mark.parametrize(
    "told",
    [
        verdict(Finding.PASS, runs=3),
        verdict(Finding.PASS, TABLE, TABLE.each[0], because="seen: it waits"),
        verdict(Finding.FAIL, because="expected it", story=STORY, order="7#/worker:2", runs=1),
        verdict(Finding.KNOWN_FAIL, because="expected it", story=STORY),
        verdict(Finding.ERROR, evidence=Evidence.NONE, because="it fell over", fault=True),
        verdict(Finding.INCONCLUSIVE, because="too slow", limit="--limit"),
        msgspec.structs.replace(verdict(Finding.FAIL), behind=DRAIN.id, allowing=Allowance(late=7)),
        msgspec.structs.replace(verdict(Finding.PASS), unseen="numpy"),
    ],
    ids=lambda it: it.verdict,
)
def test_a_field_with_its_default_is_left_out_and_read_again(told, tmp_path):
    path = tmp_path / "out.json"
    path.write_text(written(told))
    (row,) = json.loads(path.read_text())["results"]
    defaults = msgspec.to_builtins(make_verdict(DRAIN, None, Finding.PASS)).items()
    assert not {name for name, value in row.items() if (name, value) in defaults} - {
        "case",
        "level",
        "verdict",
    }
    (again,) = read(path).results
    assert again == told if told.verdict in json_report.SHOWN else msgspec.structs.replace(told, source="")


def test_a_conflict_is_written_and_read_again(tmp_path):
    access = Access("lane 1", "reads", "self._items", "queue.py", 17, "get")
    conflict = Conflict(access, access)
    plain = verdict(Finding.FAIL)
    assert "conflict" not in json.loads(written(plain))["results"][0]
    file = tmp_path / "report.json"
    file.write_text(written(msgspec.structs.replace(plain, conflict=conflict)))
    assert read(file).results[0].conflict == conflict


def test_only_broken_rules_have_a_story_and_a_source():
    went = (Way("", "absent", "Add"),)
    rows = [msgspec.structs.replace(verdict(finding, story=STORY), went=went) for finding in Finding]
    told = {row["verdict"]: row for row in json.loads(written(*rows))["results"]}
    assert {finding for finding, row in told.items() if "story" in row} == {*json_report.SHOWN}
    assert {finding for finding, row in told.items() if "source" in row} == {*json_report.SHOWN}
    assert not any("went" in row for row in told.values())
    assert told["FAIL"]["story"] == [
        {"lane": "producer", "did": "Add('')", "op": "add", "item": "", "held": {"queue": [""], "dirty": [""], "processing": []}},
        {"lane": "worker", "did": "Get()", "outcome": "waits", "op": "get", "expected": "to return ''"},
    ]  # fmt: skip


def test_the_report_on_a_queue_is_small():
    """A queue that offers nothing else has a row for each rule about it, and lists the others once."""
    rows = ((rule, row) for rule in all_rules().values() for row in rule.cases)
    verdicts = [
        verdict(Finding.PASS, *each)
        if each[0].profile.name == "queue"
        else verdict(Finding.NOT_OFFERED, *each, because=f"it has no {each[0].profile.name}")
        for each in rows
    ]
    assert len(written(*verdicts)) <= QUEUE


@pytest.mark.parametrize("schema", [1, 2])
def test_a_report_of_an_older_schema_is_read_and_replayed(stingy, schema):
    """The samples were written by the versions of stingy that had these schemas."""
    sample = SAMPLES / f"report-{schema}.json"
    assert json.loads(sample.read_text())["schema"] == schema
    report = read(sample)
    assert report.setting == setting.UNKNOWN
    assert report.began is None
    assert len(report.results) == sum(report.summary[finding] for finding in Finding)
    (broken,) = read_broken(sample).verdicts
    assert broken.rule == "once_more/added-while-processed-comes-back-after-done"
    assert broken.story[-1].expected
    assert stingy("replay", sample, report.candidate.target).returncode == 1


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """The folder of a checkout of the suite, in which git has not written anything yet."""
    monkeypatch.setattr(setting, "ROOT", tmp_path / "checkout")
    monkeypatch.setattr(setting, "distribution", lambda _: Installed(None))
    (tmp_path / "checkout").mkdir()
    return tmp_path / "checkout"


class Installed:
    def __init__(self, origin):
        self.origin = origin

    def read_text(self, name):
        return self.origin if name == "direct_url.json" else None


def lay_out(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    "files",
    [
        {".git/HEAD": f"{COMMIT}\n"},
        {".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": f"{COMMIT}\n"},
        {".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": f"# pack-refs\n{COMMIT} refs/heads/main\n"},
        {
            ".git": "gitdir: ../main/.git/worktrees/mine\n",
            "../main/.git/worktrees/mine/HEAD": "ref: refs/heads/mine\n",
            "../main/.git/worktrees/mine/commondir": "../..\n",
            "../main/.git/refs/heads/mine": f"{COMMIT}\n",
        },
    ],
    ids=["detached", "branch", "packed", "worktree"],
)  # fmt: skip
def test_the_commit_of_a_checkout_is_read_without_git(checkout, files):
    lay_out(checkout, files)
    assert find_commit() == COMMIT


@pytest.mark.parametrize(
    ("origin", "commit"),
    [
        (None, ""),
        ('{"url": "file:///home/me/stingy", "dir_info": {"editable": true}}', ""),
        (f'{{"url": "https://git", "vcs_info": {{"vcs": "git", "commit_id": "{COMMIT}"}}}}', COMMIT),
        ('{"vcs_info": 1}', ""),
    ],
)
def test_the_commit_of_an_installation_is_the_one_that_pip_noted(checkout, monkeypatch, origin, commit):
    monkeypatch.setattr(setting, "distribution", lambda _: Installed(origin))
    assert find_commit() == commit


def test_a_damaged_checkout_has_no_commit(checkout):
    lay_out(checkout, {".git/HEAD": "ref: refs/heads/gone\n"})
    assert find_commit() == ""
    (checkout / ".git/HEAD").write_bytes(b"\xff\xfe")
    assert find_commit() == ""
