"""Starters of ``stingy init``: each builds unchanged, passes the doctor, and keeps the rules of a queue."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import machine
import pytest

from lab.keys import files
from stingy import starters
from stingy.guarantees import all_rules
from stingy.judging.isolation import reach
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding
from stingy.request import Request
from stingy.starters import LANGUAGES, LIBRARY, StarterError, write

ONE_RUN = [rule for rule in all_rules().values() if not (rule.races or rule.for_all)]
"""Rules that take one run; all of them together take a second."""
DRIVERS = Path(__file__).parent / "drivers"
COMMAND_CPU_S = 90
"""CPU-seconds for a command, which may build all dependencies of a driver in Rust."""
pytestmark = pytest.mark.budget(40)
"""CPU-seconds for the first build in Rust or Go, which compiles the shared dependencies."""
LIMITERS = {"java": ("Limiter.java", "Limiter.java"), "rust": ("limiter.rs", "src/limiter.rs")}
"""Source of a limiter by language, and the file that it belongs to."""
TIMERS = Path(starters.__file__).parent / "node" / LIBRARY / "timers.mjs"


EDITS = tomllib.loads((Path(__file__).parent / "starters.toml").read_text())
RULE = "once_more/added-while-processed-comes-back-after-done"
"""Rule that the edit ``forgets`` breaks."""


def run(folder, command):
    """Run a command, a list of words or a line, in this folder."""
    words = shlex.split(command) if isinstance(command, str) else command
    timeout = machine.patience(COMMAND_CPU_S)
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=timeout)


def stingy(folder, *words):
    return run(folder, [sys.executable, "-m", "stingy", *words])


def results(folder):
    return json.loads((folder / "out.json").read_text())["results"]


def edit(folder, language, name, *, back=False):
    """Make these edits of ``starters.toml``, or undo them."""
    edits = EDITS[language][name]
    for it in reversed(edits) if back else edits:
        file, slip = folder / it["file"], (it["before"], it["after"])
        before, after = slip[::-1] if back else slip
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after, 1))


@pytest.fixture
def judged(monkeypatch):
    """Function that returns the verdict on each offered row, with its evidence and its reason."""

    def judged(folder, language):
        monkeypatch.chdir(folder)
        monkeypatch.syspath_prepend(folder)  # for the process that imports a candidate in Python
        for module in ("candidate", "my_queue"):
            monkeypatch.delitem(sys.modules, module, raising=False)  # import this folder's one
        candidate = reach(Request(LANGUAGES[language].target, seed=1))
        try:
            judge = Judge(candidate, 1)
            found = [judge.verdict(rule, row) for rule in ONE_RUN for row in rule.cases]
        finally:
            candidate.close()
        offered = [verdict for verdict in found if verdict.verdict is not Finding.NOT_OFFERED]
        return {verdict.id: (verdict.verdict, verdict.evidence, verdict.because) for verdict in offered}

    return judged


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_the_keys_of_each_op_are_those_of_the_table(path):
    """python -m lab derive writes these files."""
    assert path.read_text() == files()[path]


@pytest.fixture(scope="session")
def cargos(tmp_path_factory):
    """Folder for Rust's build results: the crates that every driver depends on take 10 CPU-seconds."""
    return tmp_path_factory.mktemp("target")


@pytest.fixture
def started(tmp_path, cargos):
    """Built folder of the starter in this language."""

    def started(language, *edits):
        if missing := [command for command in LANGUAGES[language].needs if shutil.which(command) is None]:
            pytest.skip(f"needs {' and '.join(missing)}")
        write(tmp_path / "mine", language)
        if language == "rust":
            (tmp_path / "mine" / "target").symlink_to(cargos)
        if "limiter" in edits:
            source, to = LIMITERS[language]
            shutil.copyfile(DRIVERS / "beside" / source, tmp_path / "mine" / to)
        for name in edits:
            edit(tmp_path / "mine", language, name)
        for command in LANGUAGES[language].build:
            done = run(tmp_path / "mine", command)
            if done.returncode and "requires go" in done.stderr:
                pytest.skip(done.stderr.strip())
            assert done.returncode == 0, done.stderr
        return tmp_path / "mine"

    return started


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_conforms_as_it_stands(language, started, judged):
    folder = started(language)
    well = stingy(folder, "doctor", LANGUAGES[language].target)
    assert (well.returncode, "?" in well.stdout) == (0, False), well.stdout + well.stderr
    verdicts = judged(folder, language)
    assert {verdict[:2] for verdict in verdicts.values()} == {(Finding.PASS, Evidence.DETERMINISTIC)}
    assert len(verdicts) > 60


def having(name):
    """Parametrize by the languages that have these edits."""
    return pytest.mark.parametrize("language", [it for it in LANGUAGES if name in EDITS[it]])


@having("adds_later")
def test_an_op_that_is_named_beside_the_others_is_judged(language, started):
    """Only the calls and the queue are edited."""
    folder = started(language, "adds_later")
    target = LANGUAGES[language].target
    well = stingy(folder, "doctor", target)
    assert well.returncode == 0 and re.search(r"offers .*\bdelay", well.stdout), well.stdout + well.stderr
    rules = ("--profile", "delay", "--rule", "delays/an-item-is-*")
    done = stingy(folder, "run", target, *rules, "--report", "json=out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = {row["verdict"] for row in results(folder) if row["rule"].startswith("delays/an-item-is-")}
    assert verdicts == {"PASS"}, done.stdout


@having("limiter")
def test_a_limiter_is_made_beside_a_queue(language, started):
    folder = started(language, "limiter")
    rules = ["--rule", "backoff/*", "--rule", "once_more/*"]
    done = stingy(folder, "run", LANGUAGES[language].target, *rules, "--report", "json=out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    kept = {row["rule"] for row in results(folder) if row["verdict"] == "PASS"}
    assert {"backoff/each-failure-doubles-the-wait", "once_more/no-add-is-lost"} <= kept


@pytest.mark.parametrize("language", [it for it in LANGUAGES if it != "python"])
def test_the_same_fault_gets_the_same_verdicts_in_each_language(language, started, judged, tmp_path):
    """Verdicts and reasons are those of the queue in Python, which has no driver."""
    theirs = started(language, "forgets")
    write(tmp_path / "python", "python")
    edit(tmp_path / "python", "python", "forgets")
    there, here = judged(theirs, language), judged(tmp_path / "python", "python")
    assert there[RULE][0] is Finding.FAIL
    assert there == {key: here[key] for key in there}


def test_the_clock_in_javascript_begins_on_no_whole_second():
    """Otherwise a queue that rounds readings down to seconds would pass."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    ask = f"import {str(TIMERS)!r}; console.log(Date.now(), performance.now())"
    done = subprocess.run(["node", "--input-type=module", "-e", ask], capture_output=True, text=True)
    reading, passed = done.stdout.split()
    assert int(reading) % 1000 != 0
    assert passed == "0"


def test_a_story_is_exported_to_go_as_a_test_that_runs_beside_the_driver(started):
    """The test fails for the broken queue and passes for the fixed one."""
    folder = started("go", "forgets")
    assert stingy(folder, "run", "cmd:./driver", "--rule", RULE, "--report", "json=out.json").returncode == 1
    exported = stingy(folder, "replay", "out.json", "--export", "go")
    assert exported.returncode == 0, exported.stderr
    (folder / "stories_test.go").write_text(exported.stdout)
    assert not run(folder, "go vet .").returncode
    told = run(folder, "go test -v .")
    assert told.returncode
    assert "--- SKIP: TestDriver" in told.stdout
    assert "--- FAIL: TestAddedWhileProcessedComesBackAfterDone" in told.stdout
    edit(folder, "go", "forgets", back=True)
    mended = run(folder, "go test .")
    assert not mended.returncode, mended.stdout + mended.stderr
    assert not run(folder, "go test -c -o driver .").returncode
    assert stingy(folder, "run", "cmd:./driver", "--rule", RULE).returncode == 0


SOME_ORDER = "interleavings/some-order-of-the-calls-explains-every-answer"
WORK = "interleavings/work-is-done-in-every-order"
PYTEST = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider -c {os.devnull} test_stories.py"
RACES = {
    "python": (SOME_ORDER, "pytest", "test_stories.py", [PYTEST]),
    "go": (
        WORK,
        "go",
        "stories_test.go",
        ["go run stingy.invalid/driver/control -o driver .", "./driver -test.v -test.skip=^TestDriver$"],
    ),
    "java": (
        WORK,
        "java",
        "StingyRaces.java",
        ["javac -cp classes -sourcepath . -d classes StingyRaces.java", "java -cp classes StingyRaces"],
    ),
    "rust": (WORK, "rust", "tests/stories.rs", ["cargo test --release"]),
    "node": (SOME_ORDER, "node", "stories.test.mjs", ["node --test stories.test.mjs"]),
}
"""By language: a rule that only some orders break, the format and file of its export, and its commands."""
ANY_ORDER = ("history.unexplained() == []", "race.overlooked(history) == []", "was queued")


@pytest.mark.parametrize("language", RACES)
def test_a_race_is_exported_as_a_test_that_repeats_it(language, started):
    """The test fails in the order that broke the rule while the race exists, and passes once it is fixed."""
    id_, exported, file, commands = RACES[language]
    folder = started(language, "races")
    words = ("--seed", "3", "--strict", "--fail-fast", "--rule", id_, "--report", "json=out.json")
    broken = stingy(folder, "run", LANGUAGES[language].target, *words)
    if "timed" in broken.stdout or "no JDK 25" in broken.stdout + broken.stderr:
        pytest.skip("needs a JDK 25 to have the order chosen")
    assert broken.returncode == 1, broken.stdout + broken.stderr
    told = stingy(folder, "replay", "out.json", "--export", exported)
    assert (told.returncode, "left out" in told.stderr) == (0, False), told.stderr
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(told.stdout)
    red = run_all(folder, commands)
    said = red.stdout + red.stderr
    assert red.returncode in (1, 101), said
    assert any(how in said for how in ANY_ORDER)
    edit(folder, language, "races", back=True)
    green = run_all(folder, [*LANGUAGES[language].build, *commands])
    assert green.returncode == 0, green.stdout + green.stderr
    assert "SKIP" not in green.stdout + green.stderr


def run_all(folder, commands):
    """Run the commands; return the result of the last one."""
    for command in commands[:-1]:
        done = run(folder, command)
        assert done.returncode == 0, done.stdout + done.stderr
    return run(folder, commands[-1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_and_files_that_a_starter_names_exist(language, tmp_path):
    commands = write(tmp_path / "mine", language)
    readme = (tmp_path / "mine" / "README.md").read_text()
    assert all(command in readme for command in commands[1:])
    library = tmp_path / "mine" / LIBRARY
    assert (library / "README.md").is_file() or not library.is_dir()
    for file in (LANGUAGES[language].queue, LANGUAGES[language].calls):
        assert (tmp_path / "mine" / file.strip("`")).is_file()
    assert "your own queue here" in (tmp_path / "mine" / LANGUAGES[language].calls.strip("`")).read_text()


def test_no_file_is_overwritten(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StarterError, match="exists already: name a new"):
        write(tmp_path, "python")
    (tmp_path / "empty").mkdir()
    assert write(tmp_path / "empty", "python")


def test_the_command_says_what_to_type_next(tmp_path):
    done = stingy(tmp_path, "init", "mine", "--language", "go")
    assert done.returncode == 0
    assert (
        '    cd mine\n    go run stingy.invalid/driver/control -o driver .\n    stingy doctor "cmd:./driver"'
        in done.stdout
    )
    again = stingy(tmp_path, "init", "mine")
    assert (again.returncode, "exists already" in again.stderr) == (4, True)
