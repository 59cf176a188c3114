"""``[tool.stingy]`` in pyproject.toml: the settings of a project, for the command and pytest."""

import json
import os
import shlex
from types import SimpleNamespace

import pytest

from stingy import settings
from stingy.request import EDITIONS, OPTIONS, Request
from stingy.settings import KEYS, Settings, SettingsError, load

QUEUE = "from stingy_broken.queues import DropsWhatIsHeld\nfrom stingy_reference import WorkQueue\n"
BROKEN, SOUND = "mine:DropsWhatIsHeld", "mine:WorkQueue"
SOMEBODY = 4711
"""A user who does not run these tests."""
RULE = 'rule = ["once_more/added-while-*"]'


@pytest.fixture
def project(tmp_path):
    """Return a function that writes a project: a module with queues, and a table with these lines."""

    def project(*lines):
        (tmp_path / "mine.py").write_text(QUEUE)
        (tmp_path / "pyproject.toml").write_text("\n".join(("[tool.stingy]", *lines, "")))
        return tmp_path

    return project


def test_every_option_but_replay_can_be_set_in_pyproject():
    assert set(KEYS) == {"target", "reports", *OPTIONS} - {"replay"}


def test_settings_have_values_as_a_request_has_them(project):
    lines = (
        *('target = "mine"', 'profile = ["queue"]', 'rule = ["fair/*"]', "strict = true", "seed = 7"),
        *('edition = "2026.11"', 'kubernetes = "1.30"', "budget = 60", 'baseline = "known.json"'),
        *(
            "isolate = false",
            "timed = true",
            "limit = 1.5",
            "memory = 64",
            "start = 3",
            'reports = ["terminal"]',
        ),
    )
    found = load(project(*lines))
    assert (found.target, found.reports) == ("mine", ("terminal",))
    assert Request(**found.options) == Request(
        profile=("queue",),
        rule=("fair/*",),
        strict=True,
        seed=7,
        edition="2026.11",
        kubernetes="1.30",
        budget=60.0,
        baseline="known.json",
        timed=True,
        limit=1.5,
        memory=64,
        start=3.0,
    )
    assert set(found.options) | {"target", "reports"} == set(KEYS)


def test_without_a_table_there_are_no_settings(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    assert load(tmp_path) == Settings(tmp_path / "pyproject.toml")


def test_the_nearest_file_counts_and_its_paths_are_relative_to_its_folder(project):
    folder = project('baseline = "known.json"', 'reports = ["terminal", "json=out/report.json"]')
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    found = load(inner)
    assert found.options == {"baseline": str(folder / "known.json")}
    assert found.reports == ("terminal", f"json={folder / 'out' / 'report.json'}")
    (inner.parent / "pyproject.toml").write_text("")
    assert load(inner).options == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.stingy]\nruel = []", "has an unknown key ruel; did you mean rule?"),
        ("[tool.stingy]\nreplay = 'x'", "has an unknown key replay; "),
        ("[tool.stingy]\nxyz = 1", "has an unknown key xyz; it can have target, profile, rule, edition"),
        ("[tool.stingy]\nrule = 'fair/*'", 'write a list of texts in quotes, as in ["GLOB"]'),
        ("[tool.stingy]\nprofile = [1]", 'write a list of texts in quotes, as in ["queue"]'),
        ("[tool.stingy]\nstrict = 'yes'", "strict in [tool.stingy] of"),
        ("[tool.stingy]\nstrict = 1", "write true or false"),
        ("[tool.stingy]\nseed = true", "write a whole number without quotes"),
        ("[tool.stingy]\nseed = 1.5", "write a whole number without quotes"),
        ("[tool.stingy]\nbudget = '60'", "write a number without quotes"),
        ("[tool.stingy]\ntarget = ['mine']", "write a text in quotes"),
        ("[tool.stingy]\nmemory = 2", "2 is too small: it must be at least 64"),
        ("[tool.stingy]\nlimit = nan", "limit in [tool.stingy] of {file}: nan is not a number"),
        ("[tool.stingy]\nstart = inf", "inf is too large: it must be at most 1,000,000"),
        (f"[tool.stingy]\nbudget = 1{'0' * 400}", "budget in [tool.stingy] of {file}: int too large"),
        ('[tool.stingy]\nbaseline = "a\\u0000b"', "baseline in [tool.stingy] of {file} has a NUL character"),
        (
            "[tool.stingy]\nreports = ['json=../out']",
            "reports in [tool.stingy] of {file} would be written to",
        ),
        (
            "[tool.stingy]\nreports = ['json=/some/where']",
            "or write --report json=/some/where on the command line",
        ),
        ("[tool.stingy]\nprofile = ['teapot']", "'teapot' is not one of queue, "),
        (
            "[tool.stingy]\nedition = '2020.01'",
            "there is no edition '2020.01': this version of stingy has 2026.11",
        ),
        ("[tool.stingy]\nkubernetes = 'nine'", "kubernetes in [tool.stingy] of"),
        ("[tool]\nstingy = 1", "stingy in {file} is not a table: write [tool.stingy]"),
        ("tool = 1", "tool in {file} is not a table: write [tool.stingy]"),
        ("[tool.stingy", "{file} is not TOML: "),
        (f"x = {'[' * 5000}{']' * 5000}", "{file} cannot be read: its lists or tables are nested too deeply"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(stingy, tmp_path, text, says):
    file = tmp_path / "pyproject.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as refused:
        load(tmp_path)
    assert says.format(file=file) in str(refused.value)
    done = stingy("run")
    assert (done.returncode, done.stdout) == (4, "")
    assert says.format(file=file) in done.stderr


def test_the_command_does_what_the_settings_say(stingy, project, tmp_path):
    project(f'target = "{BROKEN}"', RULE, "seed = 7", 'reports = ["json=out.json"]')
    done = stingy("run", "-q")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"TARGET is {BROKEN}, as pyproject.toml says\n"
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["candidate"]["target"] == BROKEN
    assert report["seed"] == 7
    assert {row["rule"].partition("/")[0] for row in report["results"]} <= {"once_more", "handing_out"}


def test_the_command_line_wins(stingy, project, tmp_path):
    project(f'target = "{BROKEN}"', RULE, "seed = 7", "strict = true", 'reports = ["json=out.json"]')
    words = ("--seed", "8", "--no-strict", "--rule", "fair/*", "--report", "json=other.json")
    done = stingy("run", SOUND, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "out.json").exists()
    report = json.loads((tmp_path / "other.json").read_text())
    assert (report["candidate"]["target"], report["seed"]) == (SOUND, 8)
    assert report["summary"]["strict"] is False
    assert any(row["rule"].startswith("fair/") for row in report["results"])
    assert not any(row["rule"].startswith("once_more/") for row in report["results"])


def test_the_reference_is_judged_without_settings(stingy, project):
    project(f'target = "{BROKEN}"', "seed = 7", 'baseline = "nowhere.json"')
    done = stingy("run", "--reference", "--rule", "fair/*")
    assert (done.returncode, done.stderr) == (0, "")
    assert "seed 1" in done.stdout


def test_in_ci_a_target_in_the_settings_is_enough(stingy, project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    project(RULE)
    assert stingy("run").returncode == 4
    project(f'target = "{SOUND}"', RULE)
    assert stingy("run").returncode == 0


def test_from_a_folder_below_the_target_is_found_and_paths_of_the_command_line_are_kept(
    stingy, project, tmp_path
):
    project(f'target = "{SOUND}"', 'reports = ["json=out.json"]')
    below = tmp_path / "below"
    below.mkdir()
    done = stingy("run", "--rule", "fair/*", cwd=below)
    assert (done.returncode, done.stderr) == (0, f"TARGET is {SOUND}, as ../pyproject.toml says\n")
    assert (tmp_path / "out.json").exists()
    assert stingy("run", "--rule", "fair/*", "--report", "json=mine.json", cwd=below).returncode == 0
    assert (below / "mine.json").exists()


def test_from_a_folder_below_the_commands_that_a_report_offers_do_what_they_say(stingy, project, tmp_path):
    project(f'target = "{BROKEN}"', RULE, "seed = 7")
    below = tmp_path / "below"
    below.mkdir()
    done = stingy("run", "--edition", EDITIONS[0], cwd=below)
    offered = [shlex.split(line[len("see it  stingy ") :]) for line in done.stdout.splitlines()[-3:-1]]
    assert offered[1] == ["run", "--edition", EDITIONS[0], "-v"]
    for words in offered:
        again = stingy(*words, cwd=below)
        assert (again.returncode, "seed 7" in again.stdout) == (1, True)


@pytest.fixture
def below(project, tmp_path):
    """A folder below a project whose settings name a target and a seed."""
    project(f'target = "{SOUND}"', RULE, "seed = 7")
    folder = tmp_path / "below"
    folder.mkdir()
    return folder


COMMANDS = [("run",), ("doctor",), ("watch",), ("baseline", "write", "--reason", "none")]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_target_runs_from_a_file_above_only_if_it_is_the_users_own(stingy, below, monkeypatch, words):
    monkeypatch.setattr(settings, "find_owners", lambda file: {SOMEBODY, os.geteuid()})
    done = stingy(*words, cwd=below)
    assert (done.returncode, done.stdout) == (4, "")
    assert f"{below.parent / 'pyproject.toml'} names the target 'mine:WorkQueue', but" in done.stderr
    assert f"name the target yourself, or go to {below.parent}" in done.stderr


def test_the_other_settings_of_another_user_count_and_so_does_a_target_that_is_named(
    stingy, below, monkeypatch
):
    monkeypatch.setattr(settings, "find_owners", lambda file: {SOMEBODY})
    done = stingy("run", "stingy_reference", cwd=below)
    assert (done.returncode, done.stderr, "seed 7" in done.stdout) == (0, "", True)
    assert stingy("run", cwd=below.parent).returncode == 0


def test_no_report_or_baseline_is_written_as_another_user_says(stingy, below, monkeypatch):
    monkeypatch.setattr(settings, "find_owners", lambda file: {SOMEBODY})
    (below.parent / "pyproject.toml").write_text('[tool.stingy]\nreports = ["json=x"]\n')
    done = stingy("run", "stingy_reference", cwd=below)
    assert (done.returncode, done.stdout) == (4, "")
    assert "names reports, but the file or its folder belongs to another user: to write them, " in done.stderr
    (below.parent / "pyproject.toml").write_text('[tool.stingy]\nbaseline = "x"\n')
    done = stingy("baseline", "write", "stingy_reference", "--reason", "none", cwd=below)
    assert (done.returncode, done.stdout) == (4, "")
    assert f"to write it, add --to {below.parent / 'x'}" in done.stderr
    assert not (below.parent / "x").exists()


@pytest.mark.parametrize(
    ("user", "caller", "owners", "may"),
    [
        (SOMEBODY, "", {SOMEBODY}, True),
        (SOMEBODY, "", {0, SOMEBODY}, True),
        (SOMEBODY, "", {SOMEBODY, 2}, False),
        (SOMEBODY, "2", {2}, False),
        (0, "", {2}, False),
        (0, "2", {2}, True),
        (0, "2", {3}, False),
        (0, "root", {2}, False),
    ],
)
def test_files_of_the_user_of_root_and_of_the_caller_of_sudo_are_trusted(
    below, monkeypatch, user, caller, owners, may
):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("SUDO_UID", caller)
    monkeypatch.setattr(settings, "find_owners", lambda file: owners)
    assert settings.is_trusted(below.parent / "pyproject.toml", below) == may
    assert settings.is_trusted(below / "pyproject.toml", below)


def test_a_link_belongs_to_the_one_who_made_it_as_well(below, monkeypatch):
    file, link = below.parent / "pyproject.toml", below / "pyproject.toml"
    link.symlink_to(file)
    assert settings.find_owners(link) == {os.geteuid()}
    real = type(link).lstat
    monkeypatch.setattr(
        type(link), "lstat", lambda self: SimpleNamespace(st_uid=SOMEBODY) if self == link else real(self)
    )
    assert settings.find_owners(link) == {os.geteuid(), SOMEBODY}


@pytest.mark.parametrize("is_a_submodule", [False, True])
def test_no_file_above_the_root_of_the_repository_counts(below, is_a_submodule):
    inner = below / "inner"
    inner.mkdir()
    assert load(inner).target == SOUND
    root = below / ".git"
    root.write_text("gitdir: elsewhere") if is_a_submodule else root.mkdir()
    assert load(inner) == load(below) == Settings()
    (below / "pyproject.toml").write_text('[tool.stingy]\ntarget = "theirs"\n')
    assert load(inner).target == "theirs"


def test_the_doctor_examines_the_target_of_the_settings(stingy, project):
    project(f'target = "{BROKEN}"')
    done = stingy("doctor")
    assert (done.returncode, done.stderr) == (0, f"TARGET is {BROKEN}, as pyproject.toml says\n")


def test_a_baseline_is_written_to_the_file_that_a_run_reads(stingy, project, tmp_path):
    project('target = "mine:AnnotationCodec"', 'baseline = "known.json"', "seed = 7")
    (tmp_path / "mine.py").write_text("from stingy_reference import AnnotationCodec\n")
    done = stingy("baseline", "write", "--reason", "none")
    assert (done.returncode, done.stdout) == (0, "known.json lists 0 known failures\n")
    assert stingy("run", "--rule", "codec/*").returncode == 0


def test_a_report_of_the_settings_stays_in_their_folder_also_behind_links(stingy, project, tmp_path):
    below, out = tmp_path / "below", tmp_path / "out"
    below.mkdir()
    out.mkdir()
    (below / "link").symlink_to(out)
    (below / "loop").symlink_to("loop")
    for path in ("link/report.json", "loop/report.json", "loop"):
        (below / "pyproject.toml").write_text(f'[tool.stingy]\nreports = ["json={path}"]\n')
        with pytest.raises(SettingsError, match=f"would be written to {path}, outside of the folder"):
            load(below)
    (below / "pyproject.toml").write_text('[tool.stingy]\nreports = ["json=../below/in.json", "html=-"]\n')
    assert load(below).reports == ("json=../below/in.json", "html=-")
    (below / "inner").mkdir()
    assert load(below / "inner").reports == (f"json={below / '../below/in.json'}", "html=-")


def test_a_baseline_of_the_settings_is_written_in_their_folder_only(stingy, tmp_path):
    below = tmp_path / "below"
    below.mkdir()
    (below / "pyproject.toml").write_text('[tool.stingy]\nbaseline = "../known.json"\nrule = ["codec/*"]\n')
    words = ("baseline", "write", "stingy_reference:AnnotationCodec", "--reason", "none")
    done = stingy(*words, cwd=below)
    assert (done.returncode, done.stdout) == (4, "")
    assert "to write it, add --to ../known.json" in done.stderr
    assert stingy(*words, "--to", "../known.json", cwd=below).returncode == 0
    assert (tmp_path / "known.json").exists()


def test_a_replay_judges_the_candidate_of_the_report(stingy, project):
    project(f'target = "{SOUND}"', RULE)
    assert stingy("run", BROKEN, "--report", "json=out.json").returncode == 1
    done = stingy("replay", "out.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert BROKEN in done.stdout


@pytest.mark.parametrize("words", [("watch",), ("doctor",), ("baseline", "write", "--reason", "none")])
def test_without_a_target_anywhere_a_command_says_where_to_write_it(stingy, words):
    done = stingy(*words)
    assert done.returncode == 4
    assert 'name one, or write target = "MODULE:OBJECT" below [tool.stingy] in pyproject.toml' in done.stderr
