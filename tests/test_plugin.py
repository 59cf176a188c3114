"""The pytest plugin: rules are test items, and other tests are not disturbed.

Fresh processes: lab/tests/test_plugin.py.
"""

import sys
from xml.etree import ElementTree as ET

import pytest
from junitparser import JUnitXml

import stingy_reference
from stingy import (
    conformance,  # noqa: F401 - with the engine
    settings,
)
from stingy.guarantees import all_rules, chosen
from stingy.judging import docket
from stingy.transport.target import name_of
from stingy_broken.lengths import CountsWhatIsDirty
from stingy_broken.queues import DropsWhatIsHeld

BROKEN, LENIENT, REFERENCE = map(name_of, (DropsWhatIsHeld, CountsWhatIsDirty, stingy_reference))
RULES = ("--pyargs", "stingy", "--stingy-seed=1")
SOMEBODY = 4711
"""A user who does not run these tests."""
list(all_rules().values())  # imports the modules of all rules


class Imports:
    """A pytest plugin that records which modules of stingy a run imports.

    pytester forgets such modules, so that a later import would load them a second time.
    """

    def __init__(self):
        self._before = set(sys.modules)
        self.ours = set()

    def pytest_sessionfinish(self):
        self.ours = {name for name in sys.modules.keys() - self._before if name.startswith("stingy")}


@pytest.fixture
def tested(pytester, monkeypatch):
    """Return a function that runs pytest in this process, in a new folder, with stingy's plugin only."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def tested(*words):
        imports = Imports()
        options = ("-p", "stingy.plugin", "-p", "no:cacheprovider")
        result = pytester.runpytest_inprocess(*options, *words, plugins=[imports])
        assert imports.ours == set(), "import them above"
        return result

    return tested


QUICK = ("cancellation/*", "codec/*", "sequences/*", "workers/two-producers-at-once-add-it-once")
"""Rules of each kind: scripts, examples, tables, a race, and some that the reference does not offer."""


def test_the_reference_passes(tested):
    rules = [f"--stingy-rule={rule}" for rule in QUICK]
    result = tested(*RULES, "--stingy-candidate", REFERENCE, "-q", *rules)
    assert result.ret == 0
    assert result.parseoutcomes().keys() == {"passed", "skipped"}, "the Get of threads cannot be cancelled"
    assert sum(result.parseoutcomes().values()) == len(docket.cases_of(chosen((), QUICK).values()))


def test_a_broken_candidate_fails_with_sentence_and_story(tested):
    result = tested(*RULES, "--stingy-candidate", BROKEN, "--stingy-rule=once_more/*")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*stingy: judging stingy_broken.queues:DropsWhatIsHeld, seed 1*",
            "*FAIL  MUST  once_more/added-while-processed-comes-back-after-done*",
            "*An item that is added while a worker processes it MUST be handed out again*",
            "*3  Add('a')*",
            "*✗ expected to return 'a'*",
        ]
    )


def test_without_a_candidate_the_reference_is_judged(tested):
    assert tested(*RULES, "-k", "first_come or first-come").ret == 0


def test_k_chooses_rules_by_name_profile_and_level(tested):
    result = tested(*RULES, "-k", "drain and CONTESTED", "--collect-only", "-q")
    assert result.outlines.count("") >= 1
    names = [line for line in result.outlines if "::" in line]
    assert len(names) == 4
    assert all("whether" in name for name in names)


def test_rules_are_in_reading_order(tested):
    result = tested(*RULES, "--collect-only", "-q")
    found = [line.partition("::")[0].rpartition("/")[2] for line in result.outlines if "::" in line]
    files = list(dict.fromkeys(found))
    assert files[:4] == ["handing_out.py", "fair.py", "stingy.py", "once_more.py"]
    assert files[-1] == "lasting.py"


def test_junit_has_failures_and_properties_in_words(tested, pytester):
    tested(*RULES, "--stingy-candidate", BROKEN, "--junitxml=out.xml", "--stingy-rule=once_more/*")
    file = pytester.path / "out.xml"
    (suite,) = JUnitXml.fromfile(str(file))
    failed = {case.name for case in suite if any(type(r).__name__ == "Failure" for r in case.result)}
    assert "added-while-processed-comes-back-after-done" in failed
    assert suite.failures == len(failed)
    for case in ET.parse(file).iter("testcase"):
        known = {each.get("name"): each.get("value") for each in case.iter("property")}
        assert known["stingy.rule"].partition("/")[2] == case.get("name").partition("[")[0]
        assert known["stingy.verdict"] in ("PASS", "FAIL", "BLOCKED", "NOT-OFFERED")
        assert not any(value.startswith("{") for value in known.values())


def test_no_terminal_obeys_what_a_candidate_raises(tested, pytester):
    pytester.makepyfile(
        raises="""
        class Queue:
            def add(self, item):
                raise ValueError("\\x1b[2J\\n::error::x\\u202e")
            get = done = shut_down = shutting_down = __len__ = add
        """
    )
    for strict in ((), ("--stingy-strict", "-rA", "-v")):
        result = tested(*RULES, "--stingy-candidate", "raises:Queue", "--stingy-rule=handing_out/*", *strict)
        said = str(result.stdout) + str(result.stderr)
        assert "ValueError" in said
        assert "\x1b[2J" not in said
        assert "\u202e" not in said
        assert not any(line.lstrip().startswith("::") for line in said.splitlines())


def test_a_broken_should_fails_only_when_strict(tested):
    words = (*RULES, "--stingy-candidate", LENIENT, "--stingy-rule=length/len-leaves-out*")
    leniently = tested(*words)
    assert (leniently.ret, leniently.parseoutcomes()["xfailed"] >= 1) == (0, True)
    assert tested(*words, "--stingy-strict").ret == 1


def test_a_bad_candidate_is_a_usage_error_in_one_sentence(tested):
    result = tested(*RULES, "--stingy-candidate", "no_such_module:Queue")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: there is no module 'no_such_module' here*"])


@pytest.mark.parametrize(("said", "says"), [("nan", "nan is not a number"), ("inf", "inf is too large*")])
def test_a_time_is_a_number_of_seconds(tested, said, says):
    result = tested(*RULES, f"--stingy-limit={said}")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*argument --stingy-limit: {says}"])


AGREED = """
[tool.stingy]
target = "stingy_broken.queues:DropsWhatIsHeld"
rule = ["once_more/added-while-*"]
strict = true
seed = 7
edition = "2026.11"
"""


def test_without_options_the_settings_of_the_project_count(tested, pytester):
    pytester.makepyprojecttoml(AGREED)
    result = tested("--pyargs", "stingy")
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"stingy: judging {BROKEN}, seed 7, edition 2026.11"])
    assert {"failed", "passed"} <= result.parseoutcomes().keys() <= {"failed", "passed"}


def test_options_win_over_settings(tested, pytester):
    pytester.makepyprojecttoml(AGREED)
    words = ("--stingy-candidate", LENIENT, "--stingy-rule=length/len-leaves-out*", "--no-stingy-strict")
    result = tested(*RULES, *words)
    assert (result.ret, result.parseoutcomes()["xfailed"] >= 1) == (0, True)
    result.stdout.fnmatch_lines([f"stingy: judging {LENIENT}, seed 1, edition 2026.11"])


def test_settings_that_cannot_be_used_fail_only_runs_of_rules(tested, pytester):
    pytester.makepyprojecttoml("[tool.stingy]\nruel = []")
    result = tested("--pyargs", "stingy")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *has an unknown key ruel; did you mean rule?*"])
    pytester.makepyfile("def test_it(): pass")
    assert tested().ret == 0


def test_a_target_of_the_settings_is_imported_from_their_folder(tested, pytester, monkeypatch):
    pytester.makepyprojecttoml('[tool.stingy]\ntarget = "agreed:WorkQueue"\nrule = ["fair/*"]')
    pytester.makepyfile(agreed="from stingy_reference import WorkQueue")
    monkeypatch.chdir(pytester.mkdir("below"))
    assert tested("--pyargs", "stingy").ret == 0
    pytester.makepyprojecttoml('[tool.stingy]\ntarget = "cmd:./driver"')
    result = tested("--pyargs", "stingy")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *is run in the folder of that file: start pytest there*"])


def test_the_settings_of_another_user_name_no_candidate(tested, pytester, monkeypatch):
    pytester.makepyprojecttoml('[tool.stingy]\ntarget = "theirs:WorkQueue"\nrule = ["fair/*"]')
    pytester.makepyfile(theirs="raise AssertionError")
    monkeypatch.setattr(settings, "find_owners", lambda file: {SOMEBODY})
    monkeypatch.chdir(pytester.mkdir("below"))
    result = tested("--pyargs", "stingy")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: *names the target 'theirs:WorkQueue', but *name the target yourself*"]
    )
    result = tested("--pyargs", "stingy", "--stingy-candidate", "theirs:WorkQueue")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: there is no module 'theirs' here*"])
    assert tested("--pyargs", "stingy", "--stingy-candidate", REFERENCE).ret == 0


@pytest.mark.parametrize("words", [("--collect-only",), ("--fixtures",)])
def test_a_list_of_rules_starts_no_candidate(tested, pytester, words):
    pytester.makepyfile(mine="raise AssertionError")
    result = tested(*RULES, "--stingy-candidate", "mine:WorkQueue", "--stingy-rule=fair/*", "-q", *words)
    assert result.ret == 0
    assert tested(*RULES, "--stingy-candidate", "mine:WorkQueue", "--stingy-rule=fair/*").ret == 4


def test_no_fixture_is_added(tested, pytester):
    pytester.makepyfile("def test_it(queue): pass")
    tested().stdout.fnmatch_lines(["*fixture 'queue' not found*"])


def test_rules_run_where_every_file_is_collected(tested, pytester, monkeypatch):
    """Some modules of stingy need packages that are not installed, but collecting them must not fail."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    pytester.makeini("[pytest]\npython_files = *.py\nfilterwarnings = error\n")
    result = tested(*RULES, "--stingy-rule=fair/*")
    assert result.ret == 0
    assert result.parseoutcomes() == {"passed": 7}, "with what they build on"


def test_a_conftest_may_have_the_older_name_of_our_option(tested, pytester):
    pytester.makeconftest("def pytest_addoption(parser):\n    parser.addoption('--candidate')\n")
    pytester.makepyfile(
        "def test_it(pytestconfig):\n    assert pytestconfig.getoption('candidate') == 'theirs'"
    )
    assert tested("--candidate", "theirs").ret == 0


def test_the_older_name_of_our_option_is_understood(tested):
    result = tested(*RULES, "--candidate", BROKEN, "--stingy-rule=fair/*")
    assert f"judging {BROKEN}" in result.stdout.str()
