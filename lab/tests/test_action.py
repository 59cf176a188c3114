"""action.yml passes the user's words on unchanged, and the runner obeys no output of a candidate."""

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from machine import patience

from stingy.judging.verdict import Exit

ACTION = (Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8")
FAKE = """#!/bin/sh
if [ "$1" = diff ]; then
  cat "$4" "$5"
  exit ${FAKE_DIFF:-0}
fi
for word; do printf '%s\\n' "$word"; done > words
echo '::error title=x::from the report for github'
printf '%s\\n' '::add-mask::from the candidate' > "$REPORT/stingy.txt"
if [ ${FAKE_STATUS:-0} -lt 4 ]; then echo new > "$REPORT/stingy.json"; fi
exit ${FAKE_STATUS:-0}
"""

FAKE_PYTHON = f"""#!/bin/sh
if [ "$1" = -c ]; then exec {shlex.quote(sys.executable)} "$@"; fi
for word; do printf '%s\\n' "$word"; done >> words
if [ "$3" = wheel ]; then while [ "$1" != --wheel-dir ]; do shift; done; touch "$2/stingy.whl"; fi
"""


def script(step):
    """Return the script that bash runs in the step that contains these words."""
    (found,) = (run for run in re.findall(r"\n      run: \|\n((?:        .*\n|\n)+)", ACTION) if step in run)
    return textwrap.dedent(found)


@pytest.fixture
def run(tmp_path):
    """Return a function that runs the script of a step, with this program in place of the real one."""

    def run(step, program, text, given):
        fake = tmp_path / "bin" / program
        fake.parent.mkdir()
        fake.write_text(text)
        fake.chmod(0o755)
        (tmp_path / "action.sh").write_text(script(step))
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "action.sh"],
            cwd=tmp_path,
            env=os.environ | given | {"PATH": f"{fake.parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=patience(5),
        )

    return run


@pytest.fixture
def judged(run):
    def judged(target, arguments, status=0, baseline="", diff=0):
        given = {"TARGET": target, "ARGUMENTS": arguments, "REPORT": "a folder", "FAKE_STATUS": str(status)}
        given |= {
            "BASELINE": baseline,
            "FAKE_DIFF": str(diff),
            "GITHUB_OUTPUT": "output",
            "GITHUB_STEP_SUMMARY": "summary",
        }
        return run("stingy run", "stingy", FAKE, given)

    return judged


@pytest.fixture
def installed(run):
    def installed(words):
        return run(
            "pip install", "python3", FAKE_PYTHON, {"INSTALL": words, "GITHUB_ACTION_PATH": "the action"}
        )

    return installed


def test_words_are_quoted_as_in_a_shell_and_nothing_is_a_glob(judged, tmp_path):
    (tmp_path / "shutdown").mkdir()
    (tmp_path / "shutdown" / "a-file").touch()
    done = judged("cmd:./my driver --fast", """-n 2 --rule 'shutdown/*' --rule "a b" --rule '' --rule \\*""")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "words").read_text().splitlines() == [
        *("run", "-n", "2", "--rule", "shutdown/*", "--rule", "a b", "--rule", "", "--rule", "*"),
        *("--report", "github", "--report", "terminal=a folder/stingy.txt"),
        *("--report", "json=a folder/stingy.json", "--report", "html=a folder/stingy.html"),
        *("--report", "markdown=summary", "--", "cmd:./my driver --fast"),
    ]


def test_without_words_there_are_none(judged, tmp_path):
    assert judged("m:Queue", "").returncode == 0
    words = (tmp_path / "words").read_text()
    assert words.startswith("run\n--report\n")
    assert words.endswith("\n--\nm:Queue\n")


def test_a_target_that_looks_like_an_option_is_a_usage_error(judged, tmp_path):
    """As an option, ``--help`` would end with status 0 and no report."""
    judged("--help", "--rule 'shutdown/*'")
    words = (tmp_path / "words").read_text().splitlines()
    command = [sys.executable, "-m", "stingy", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=patience(5))
    assert done.returncode == Exit.USAGE, done.stdout
    assert "--help" in done.stderr


def test_dependencies_are_installed_by_their_hashes_before_the_words_of_the_user(installed, tmp_path):
    done = installed("-e '.[my extra]' other")
    assert done.returncode == 0, done.stderr
    lock, wheel, words = (it.split() for it in (tmp_path / "words").read_text().split("-m\npip\n")[1:])
    assert lock == ["install", "--quiet", "--require-hashes", "-r", "the", "action/.ci/action.lock"]
    assert {"wheel", "--no-index", "--no-deps", "--no-build-isolation"} < set(wheel)
    assert wheel[-2:] == ["the", "action"]
    assert words[:2] == ["install", "--quiet"]
    assert words[2].endswith("/stingy.whl")
    assert words[3:] == ["-e", ".[my", "extra]", "other"]


@pytest.mark.parametrize("status", [0, 1, 3])
def test_the_status_and_the_paths_are_told_however_it_ended(judged, tmp_path, status):
    assert judged("m:Queue", "", status).returncode == status
    told = (tmp_path / "output").read_text().splitlines()
    assert told == [
        f"status={status}",
        "json=a folder/stingy.json",
        "html=a folder/stingy.html",
        "text=a folder/stingy.txt",
        "worse=",
    ]
    assert set(re.findall(r"steps\.judge\.outputs\.(\w+)", ACTION)) == {
        line.partition("=")[0] for line in told
    }


def test_no_command_of_a_candidate_is_obeyed(judged):
    annotation, stop, said, resume = judged("m:Queue", "").stdout.splitlines()
    token = stop.removeprefix("::stop-commands::")
    assert annotation.startswith("::error")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert (said, resume) == ("::add-mask::from the candidate", f"::{token}::")


def test_a_quote_that_is_never_closed_is_said(judged, tmp_path):
    done = judged("m:Queue", "--rule 'shutdown/*")
    assert done.returncode == 4
    assert "a quote in arguments is never closed" in done.stdout
    assert not (tmp_path / "words").exists()


@pytest.mark.parametrize(("diff", "worse"), [(0, "false"), (1, "true"), (4, "")])
def test_the_summary_and_an_output_say_what_changed_since_an_earlier_report(judged, tmp_path, diff, worse):
    (tmp_path / "base.json").write_text("old\n")
    assert judged("m:Queue", "", 1, "base.json", diff).returncode == 1, "the status stays that of the run"
    assert (tmp_path / "summary").read_text() == "old\nnew\n"
    assert f"worse={worse}" in (tmp_path / "output").read_text().splitlines()


def test_an_earlier_report_may_be_where_the_new_one_is_written(judged, tmp_path):
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "stingy.json").write_text("old\n")
    judged("m:Queue", "", baseline="a folder/stingy.json")
    assert (tmp_path / "summary").read_text() == "old\nnew\n"


@pytest.mark.parametrize(("status", "baseline"), [(4, "base.json"), (0, "no-such.json"), (0, "")])
def test_without_two_reports_nothing_is_compared(judged, tmp_path, status, baseline):
    """A run with a usage error writes no report; one of an earlier run does not count."""
    (tmp_path / "base.json").write_text("old\n")
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "stingy.json").write_text("of an earlier run\n")
    assert judged("m:Queue", "", status, baseline).returncode == status
    assert not (tmp_path / "summary").exists()
    assert "worse=" in (tmp_path / "output").read_text().splitlines()
