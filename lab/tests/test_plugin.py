"""pytest's door: rules are items of their own, and a user's own test run is not disturbed."""

import json
import os
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from junitparser import JUnitXml

BROKEN = "stingy_broken.queues:DropsWhatIsHeld"
MISCOUNTS = "stingy_broken.lengths:CountsWhatIsInProcessing"


@pytest.fixture
def judged(pytester):
    """A pytest run in a folder of its own, in a process of its own."""

    def judged(*words):
        return pytester.runpytest_subprocess(*words)

    return judged


QUICK = (
    "cancellation",
    "changes",
    "clocks",
    "codec",
    "combination",
    "drain",
    "outcomes",
    "sequences",
    "stopping",
)
"""Guarantees of each kind that are quickly judged: scripts, examples, tables, and what the reference does not offer."""


@pytest.mark.parametrize("asked", [QUICK, ()], ids=["some", "all"])
def test_the_reference_passes(judged, asked):
    rules = [f"--stingy-rule={guarantee}/*" for guarantee in asked]
    result = judged("--pyargs", "stingy", "--stingy-candidate", "stingy_reference", "-q", *rules)
    assert result.ret == 0
    assert result.parseoutcomes().keys() == {"passed", "skipped"}, "the Get of threads cannot be cancelled"
    assert result.parseoutcomes()["passed"] > 150


def test_a_broken_candidate_fails_with_sentence_and_story(judged):
    result = judged(
        "--pyargs", "stingy", "--stingy-candidate", BROKEN, "--stingy-rule=once_more/*", "--stingy-seed=1"
    )
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*stingy: judging stingy_broken.queues:DropsWhatIsHeld, seed 1*",
            "*FAIL  MUST  once_more/added-while-processed-comes-back-after-done*",
            "*An item that is added while a worker processes it MUST be handed out again*",
            "*3  Add('a')*",
            "*✗ expected Get() of worker * to return 'a'*",
        ]
    )


def test_without_a_candidate_the_reference_is_judged(judged):
    assert judged("--pyargs", "stingy", "-k", "first_come or first-come").ret == 0


def test_k_chooses_rules_by_name_profile_and_level(judged):
    result = judged("--pyargs", "stingy", "-k", "drain and CONTESTED", "--collect-only", "-q")
    assert result.outlines.count("") >= 1
    names = [line for line in result.outlines if "::" in line]
    assert len(names) == 4
    assert all("whether" in name for name in names)


def test_items_are_in_reading_order(judged):
    result = judged("--pyargs", "stingy", "--collect-only", "-q")
    files = list(
        dict.fromkeys(line.partition("::")[0].rpartition("/")[2] for line in result.outlines if "::" in line)
    )
    assert files[:4] == ["handing_out.py", "fair.py", "stingy.py", "once_more.py"]
    assert files[-1] == "journey.py"


def test_junit_says_what_happened(judged, pytester):
    judged(
        "--pyargs",
        "stingy",
        "--stingy-candidate",
        BROKEN,
        "--junitxml=out.xml",
        "--stingy-rule=once_more/*",
        "--stingy-seed=1",
    )
    (suite,) = JUnitXml.fromfile(str(pytester.path / "out.xml"))
    failed = {case.name for case in suite if any(type(r).__name__ == "Failure" for r in case.result)}
    assert "added-while-processed-comes-back-after-done" in failed
    assert suite.failures == len(failed)


def test_junit_has_a_property_in_words_for_each_thing_that_is_known(judged, pytester):
    judged("--pyargs", "stingy", "--stingy-candidate", BROKEN, "--junitxml=out.xml", "--stingy-rule=length/*")
    for case in ET.parse(pytester.path / "out.xml").iter("testcase"):
        known = {each.get("name"): each.get("value") for each in case.iter("property")}
        assert known["stingy.rule"].partition("/")[2] == case.get("name").partition("[")[0]
        assert known["stingy.verdict"] in ("PASS", "FAIL", "BLOCKED", "NOT-OFFERED")
        assert not any(value.startswith("{") for value in known.values())


def test_what_a_candidate_raises_is_obeyed_by_no_terminal(judged, pytester):
    pytester.makepyfile(
        raises="""
        class Queue:
            def add(self, item):
                raise ValueError("\\x1b[2J\\n::error::x\\u202e")
            get = done = shut_down = shutting_down = __len__ = add
        """
    )
    for strict in ((), ("--stingy-strict", "-rA", "-v")):
        result = judged(
            "--pyargs", "stingy", "--stingy-candidate", "raises:Queue", "--stingy-rule=handing_out/*", *strict
        )
        said = str(result.stdout) + str(result.stderr)
        assert "ValueError" in said
        assert "\x1b[2J" not in said
        assert "\u202e" not in said
        assert not any(line.lstrip().startswith("::") for line in said.splitlines())


def test_a_broken_should_fails_only_when_strict(judged):
    words = (
        "--pyargs",
        "stingy",
        "--stingy-candidate",
        "stingy_broken.lengths:CountsWhatIsDirty",
        "--stingy-rule=length/*",
    )
    leniently = judged(*words)
    assert leniently.ret == 0
    assert leniently.parseoutcomes()["xfailed"] >= 1
    assert judged(*words, "--stingy-strict").ret == 1


def test_xdist_gives_the_same_verdicts(judged):
    some = [f"--stingy-rule={some}/*" for some in ("once_more", "length")]
    words = ("--pyargs", "stingy", "--stingy-candidate", BROKEN, *some, "--stingy-seed=1", "-q")
    alone, shared = judged(*words).parseoutcomes(), judged(*words, "-n", "2").parseoutcomes()
    assert alone == shared
    assert alone.keys() == {"passed", "failed", "skipped"}, "what is blocked is skipped"


def test_a_bad_candidate_is_a_usage_error_in_one_sentence(judged):
    result = judged("--pyargs", "stingy", "--stingy-candidate", "no_such_module:Queue")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: there is no module 'no_such_module' here*"])


def test_nothing_of_ours_is_imported_into_a_run_of_somebody_elses(pytester):
    pytester.makepyfile(
        """
        import sys

        def test_what_is_there():
            ours = {name for name in sys.modules if name.startswith("stingy")}
            assert ours <= {"stingy", "stingy.plugin", "stingy.request"}
        """
    )
    assert pytester.runpytest_subprocess().ret == 0


def test_names_of_fixtures_belong_to_the_user(pytester):
    pytester.makepyfile("def test_it(queue): pass")
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*fixture 'queue' not found*"])


def test_an_unfriendly_project_does_not_disturb_the_command(pytester):
    pytester.makeini("[pytest]\naddopts = --no-such-option\npython_files = *.py\nfilterwarnings = error\n")
    pytester.makeconftest("raise RuntimeError('not for you')")
    done = subprocess.run(
        [sys.executable, "-m", "stingy", "run", "--rule", "fair/*"],
        cwd=pytester.path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(pytester.path.glob(".hypothesis"))
    assert not list(pytester.path.glob(".pytest_cache"))


def test_a_project_that_collects_every_file_can_run_the_rules(pytester):
    pytester.makeini("[pytest]\npython_files = *.py\nfilterwarnings = error\n")
    result = pytester.runpytest_subprocess("--pyargs", "stingy", "--stingy-rule=fair/*")
    assert result.ret == 0
    assert result.parseoutcomes() == {"passed": 7}, "with what they build on"


@pytest.fixture
def foreign(tmp_path):
    """The environment of a process in which another plugin of pytest is installed, which tells that it was loaded."""
    (tmp_path / "foreign-1.dist-info").mkdir()
    (tmp_path / "foreign-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: foreign\nVersion: 1\n"
    )
    (tmp_path / "foreign-1.dist-info" / "entry_points.txt").write_text("[pytest11]\nforeign = foreign\n")
    (tmp_path / "foreign.py").write_text(
        "import sys\n\nprint('foreign is loaded', file=sys.stderr)\n\n"
        "def pytest_addoption(parser):\n    parser.addoption('--candidate', action='store_true')\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": path}


def run(*words, env, cwd):
    return subprocess.run([sys.executable, "-m", *words], env=env, cwd=cwd, capture_output=True, text=True)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "several"])
@pytest.mark.parametrize(
    "told", [{}, {"PYTEST_PLUGINS": "foreign"}, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}], ids=str
)
def test_no_plugin_of_the_environment_is_loaded_by_the_command(workers, told, foreign, tmp_path):
    """Nor by a replay; xdist is, where it is asked for."""
    rule = "--rule=length/len-leaves-out-what-is-in-processing"
    words = ("run", MISCOUNTS, "--seed=1", rule, "--report=json=out.json", *workers)
    done = run("stingy", *words, env=foreign | told, cwd=tmp_path)
    assert (done.returncode, "foreign" in done.stderr) == (1, False), done.stdout
    rows = json.loads((tmp_path / "out.json").read_text())["results"]
    assert [row["because"] for row in rows if row["verdict"] == "FAIL"] == [
        "expected len(queue) == 1, but 2 == 1"
    ], "told by pytest, which rewrites our assertions"
    if not workers:
        again = run("stingy", "replay", "out.json", MISCOUNTS, env=foreign | told, cwd=tmp_path)
        assert (again.returncode, "foreign" in again.stderr) == (1, False), again.stdout


def test_an_option_of_another_plugin_may_have_the_older_name_of_ours(foreign, tmp_path):
    words = (
        "pytest",
        "--pyargs",
        "stingy",
        "--stingy-candidate",
        BROKEN,
        "--stingy-rule=length/*",
        "--candidate",
    )
    done = run(*words, env=foreign, cwd=tmp_path)
    assert "foreign is loaded" in done.stderr
    assert f"judging {BROKEN}" in done.stdout, done.stderr


def test_an_option_of_a_conftest_may_have_the_older_name_of_ours(judged, pytester):
    pytester.makeconftest("def pytest_addoption(parser):\n    parser.addoption('--candidate')\n")
    pytester.makepyfile(
        "def test_it(pytestconfig):\n    assert pytestconfig.getoption('candidate') == 'theirs'\n"
    )
    assert judged("--candidate", "theirs").ret == 0


def test_the_older_name_is_understood_where_nobody_else_has_it(judged):
    result = judged("--pyargs", "stingy", "--candidate", BROKEN, "--stingy-rule=length/*")
    assert f"judging {BROKEN}" in result.stdout.str()
