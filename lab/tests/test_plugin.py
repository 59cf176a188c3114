"""The pytest plugin in a fresh process: its imports, other plugins of the environment, and xdist."""

import json
import os
import subprocess
import sys

import pytest
from machine import patience

BROKEN = "stingy_broken.queues:DropsWhatIsHeld"
MISCOUNTS = "stingy_broken.lengths:CountsWhatIsInProcessing"


@pytest.fixture
def judged(pytester):
    """Run pytest in a folder, in a separate process."""

    def judged(*words):
        return pytester.runpytest_subprocess(*words, timeout=patience(10))

    return judged


def test_xdist_gives_the_same_verdicts(judged):
    some = [f"--stingy-rule={some}/*" for some in ("once_more", "length")]
    words = ("--pyargs", "stingy", "--stingy-candidate", BROKEN, *some, "--stingy-seed=1", "-q")
    alone, shared = judged(*words).parseoutcomes(), judged(*words, "-n", "2").parseoutcomes()
    assert alone == shared
    assert alone.keys() == {"passed", "failed", "skipped"}, "what is blocked is skipped"


def test_workers_of_xdist_judge_as_the_settings_of_the_project_say(judged, pytester):
    pytester.makepyprojecttoml(f'[tool.stingy]\ntarget = "{BROKEN}"\nrule = ["once_more/added-while-*"]')
    shared = judged("--pyargs", "stingy", "-q", "-n", "2").parseoutcomes()
    assert shared == judged("--pyargs", "stingy", "-q").parseoutcomes()
    assert shared.keys() == {"passed", "failed"}


def test_xdist_runs_other_tests_of_a_project_whose_settings_cannot_be_used(judged, pytester):
    pytester.makepyprojecttoml("[tool.stingy]\nruel = []")
    pytester.makepyfile("def test_it(): pass")
    assert judged("-n", "1").ret == 0
    assert judged("--pyargs", "stingy", "-n", "1").ret != 0


def test_nothing_of_ours_is_imported_into_a_run_of_somebody_elses(judged, pytester):
    pytester.makepyfile(
        """
        import sys

        def test_what_is_there():
            ours = {name for name in sys.modules if name.startswith("stingy")}
            assert ours <= {"stingy", "stingy.plugin", "stingy.request"}
        """
    )
    assert judged().ret == 0


def run(*words, env, cwd):
    given = {"env": env, "cwd": cwd, "capture_output": True, "text": True, "timeout": patience(10)}
    return subprocess.run([sys.executable, "-m", *words], **given)


def test_an_unfriendly_project_does_not_disturb_the_command(pytester):
    pytester.makeini("[pytest]\naddopts = --no-such-option\npython_files = *.py\nfilterwarnings = error\n")
    pytester.makeconftest("raise RuntimeError('not for you')")
    done = run("stingy", "run", "--rule", "fair/*", env=os.environ, cwd=pytester.path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(pytester.path.glob(".hypothesis"))
    assert not list(pytester.path.glob(".pytest_cache"))


@pytest.fixture
def foreign(tmp_path):
    """Environment of a process with a foreign plugin of pytest and Hypothesis, which prints when it is loaded."""
    (tmp_path / "foreign-1.dist-info").mkdir()
    (tmp_path / "foreign-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: foreign\nVersion: 1\n"
    )
    (tmp_path / "foreign-1.dist-info" / "entry_points.txt").write_text(
        "[pytest11]\nforeign = foreign\n[hypothesis]\nforeign = foreign\n"
    )
    (tmp_path / "foreign.py").write_text(
        "import sys\n\nprint('foreign is loaded', file=sys.stderr)\n\n"
        "def pytest_addoption(parser):\n    parser.addoption('--candidate', action='store_true')\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": path}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "several"])
@pytest.mark.parametrize(
    "told", [{}, {"PYTEST_PLUGINS": "foreign"}, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}], ids=str
)
def test_no_plugin_of_the_environment_is_loaded_by_the_command(workers, told, foreign, tmp_path):
    """A replay loads none either; xdist is loaded if it is requested."""
    rules = ("--rule=length/len-leaves-out-what-is-in-processing", "--rule=fair/first-come-first-served")
    words = ("run", MISCOUNTS, "--seed=1", *rules, "--report=json=out.json", *workers)
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
    words = ("--pyargs", "stingy", "--stingy-candidate", BROKEN, "--stingy-rule=length/*", "--candidate")
    done = run("pytest", *words, env=foreign, cwd=tmp_path)
    assert "foreign is loaded" in done.stderr
    assert f"judging {BROKEN}" in done.stdout, done.stderr
