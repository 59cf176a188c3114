"""What stingy init writes runs as it stands: it is built, is well, and keeps the rules of a queue."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import machine
import pytest

from stingy import starters
from stingy.guarantees import all_rules
from stingy.isolation import reach
from stingy.request import Request
from stingy.starters import LANGUAGES, LIBRARY, StarterError, write
from stingy.starters.keys import files
from stingy.trial import Judge
from stingy.verdict import Evidence, Finding

ONE_RUN = [rule for rule in all_rules().values() if not (rule.races or rule.for_all)]
"""They take a second."""
DRIVERS = Path(__file__).parent / "drivers"
COMMAND_CPU_S = 90
"""A command may take as long as a build of all that a driver in Rust depends on."""
pytestmark = pytest.mark.budget(40)
"""The first one in Rust or Go compiles what all of them depend on."""
TIMERS = Path(starters.__file__).parent / "node" / LIBRARY / "timers.mjs"


def stingy(folder, *words):
    command = [sys.executable, "-m", "stingy", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=machine.patience(COMMAND_CPU_S)
    )


@pytest.fixture
def judged(monkeypatch):
    """Each verdict of what is offered there, with its evidence and its reason."""

    def judged(folder, language):
        monkeypatch.chdir(folder)
        monkeypatch.syspath_prepend(folder)  # for the process in which a candidate in Python is imported,
        for module in ("candidate", "my_queue"):
            monkeypatch.delitem(sys.modules, module, raising=False)  # as it stands here, and not elsewhere
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
    """python -m stingy.starters writes them anew."""
    assert path.read_text() == files()[path]


@pytest.fixture(scope="session")
def cargos(tmp_path_factory):
    """Return a folder for what Rust has built: the crates that every driver depends on take 10 CPU-seconds."""
    return tmp_path_factory.mktemp("target")


@pytest.fixture
def started(tmp_path, cargos):
    """A folder with what it takes in this language, built."""

    def started(language, edit=lambda folder: None):
        if missing := [command for command in LANGUAGES[language].needs if shutil.which(command) is None]:
            pytest.skip(f"needs {' and '.join(missing)}")
        write(tmp_path / "mine", language)
        if language == "rust":
            (tmp_path / "mine" / "target").symlink_to(cargos)
        edit(tmp_path / "mine")
        for command in LANGUAGES[language].build:
            done = subprocess.run(
                shlex.split(command),
                cwd=tmp_path / "mine",
                capture_output=True,
                text=True,
                timeout=machine.patience(COMMAND_CPU_S),
            )
            if done.returncode and "requires go" in done.stderr:
                pytest.skip(done.stderr.strip())
            assert done.returncode == 0, done.stderr
        return tmp_path / "mine"

    return started


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_runs_as_it_stands(language, started, judged):
    folder = started(language)
    well = stingy(folder, "doctor", LANGUAGES[language].target)
    assert (well.returncode, "?" in well.stdout) == (0, False), well.stdout + well.stderr
    verdicts = judged(folder, language)
    assert {verdict[:2] for verdict in verdicts.values()} == {(Finding.PASS, Evidence.DETERMINISTIC)}
    assert len(verdicts) > 60


FORGETS = {
    "python": ("my_queue.py", "if item in self._dirty:\n                    self._queue", "if False:\n                    self._queue"),
    "go": ("queue.go", "delete(q.processing, item)\n\tif q.dirty[item] {", "delete(q.processing, item)\n\tif false {"),
    "java": ("Queue.java", "&& dirty.contains(item)) {\n            queue.add", "&& false) {\n            queue.add"),
    "rust": ("src/queue.rs", "&& state.dirty.contains(item) {\n            state.queue.push_back", "&& false {\n            state.queue.push_back"),
    "node": ("queue.mjs", "&& this.#dirty.has(item)) this.#push", "&& false) this.#push"),
}  # fmt: skip
"""By language: the same fault, Done forgets what was added meanwhile."""

ADDS_LATER = {
    "go": [
        (
            "calls.go",
            '\t"shutting_down":',
            (
                '\t"add_after": driver.OnItem(func(q candidate, item string, req driver.Request) any {\n'
                '\t\tq.AddAfter(item, req.NS)\n\t\treturn nil\n\t}),\n\t"shutting_down":'
            ),
        ),
        ("queue.go", 'import "sync"', 'import (\n\t"sync"\n\t"time"\n)'),
        (
            "queue.go",
            "func (q *Queue) Len()",
            (
                "func (q *Queue) AddAfter(item string, after time.Duration) {\n"
                "\tgo func() { time.Sleep(after); q.Add(item) }()\n}\n\nfunc (q *Queue) Len()"
            ),
        ),
    ],
    "node": [
        (
            "calls.mjs",
            "  shutting_down:",
            (
                "  add_after: (q, item, { ns }) => {\n    if (ns > 0) setTimeout(() => q.add(item), Math.ceil(ns / 1e6));\n"
                "    else q.add(item);\n  },\n  shutting_down:"
            ),
        ),
    ],
    "java": [
        ("Driver.java", "makers).serve", "makers).clocked(1).serve"),
        ("Calls.java", '"shutting_down");', '"shutting_down", "add_after");'),
        (
            "Calls.java",
            "implements Candidate {",
            """implements Candidate, stingy.Clock.Sleeper {
    private final java.util.Map<String, Long> later = new java.util.TreeMap<>();
    private final stingy.Clock clock;

    public synchronized long due() {
        return later.values().stream().mapToLong(due -> due).min().orElse(stingy.Clock.NEVER);
    }

    public synchronized void wake() {
        later.keySet().stream().filter(item -> later.get(item) <= clock.nanos()).forEach(queue::add);
        later.values().removeIf(due -> due <= clock.nanos());
    }

    private synchronized Object addAfter(String item, long span) {
        return later.merge(item, clock.in(Math.max(span, 0)), Math::min);
    }
""",
        ),
        (
            "Calls.java",
            "queue = new Queue(); // 0. how it is made",
            "queue = new Queue();\n        clock = around.clock();\n        clock.begin();\n        clock.serve(this);",
        ),
        (
            "Calls.java",
            'case "shutting_down":',
            """case "add_after":
                addAfter(call.item, call.number("ns"));
                return null;
            case "shutting_down":""",
        ),
    ],
    "rust": [
        ("src/calls.rs", "pub type Candidate = Queue;", "pub type Candidate = std::sync::Arc<Queue>;"),
        ("src/calls.rs", "Queue::default()", "Candidate::default()"),
        ("src/calls.rs", '"shutting_down"];', '"shutting_down", "add_after"];'),
        (
            "src/calls.rs",
            '        "shutting_down" =>',
            """        "add_after" => {
            let (its, item) = (queue.clone(), item.to_owned());
            let span = stingy::time::Duration::from_nanos(_keys["ns"].as_i64()?.max(0) as u64);
            let later = move || [stingy::thread::sleep(span), its.add(&item)];
            json!(drop(stingy::thread::spawn(later)))
        }
        "shutting_down" =>""",
        ),
    ],
    "python": [
        (
            "candidate.py",
            "from my_queue import MyQueue",
            "from threading import Timer\n\nfrom my_queue import MyQueue",
        ),
        (
            "candidate.py",
            "    def shutting_down(self):",
            """    def add_after(self, item, seconds):
        Timer(seconds, self.add, [item]).start()

    def shutting_down(self):""",
        ),
    ],
}


@pytest.mark.parametrize("language", ADDS_LATER)
def test_an_op_that_is_named_beside_the_others_is_judged(language, started):
    """Nothing but the calls and the queue is touched."""

    def names(folder):
        for file, before, after in ADDS_LATER[language]:
            source = (folder / file).read_text()
            assert before in source
            (folder / file).write_text(source.replace(before, after, 1))

    folder = started(language, names)
    well = stingy(folder, "doctor", LANGUAGES[language].target)
    assert well.returncode == 0 and re.search(r"offers .*\bdelay", well.stdout), well.stdout + well.stderr
    done = stingy(
        folder,
        "run",
        LANGUAGES[language].target,
        "--profile",
        "delay",
        "--rule",
        "delays/an-item-is-*",
        "--report",
        "json=out.json",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads((folder / "out.json").read_text())["results"]
    verdicts = {row["verdict"] for row in told if row["rule"].startswith("delays/an-item-is-")}
    assert verdicts == {"PASS"}, done.stdout


BESIDE = {
    "java": (
        "Limiter.java",
        "Limiter.java",
        [
            (
                "Driver.java",
                'new Server("my queue", Calls.OPS, makers)',
                """makers.put("exponential_rate_limiter", (options, around) -> new Limiter(options));
        var ops = new java.util.ArrayList<>(Calls.OPS);
        ops.addAll(Limiter.OPS);
        new Server("my queue", ops, makers)""",
            )
        ],
    ),
    "rust": (
        "limiter.rs",
        "src/limiter.rs",
        [
            ("src/main.rs", "mod calls;", "mod calls;\nmod limiter;"),
            ("src/main.rs", "use calls::", "use limiter::"),
            ("src/main.rs", "stingy::queues(OPS)", 'vec!["work_queue", "exponential_rate_limiter"]'),
        ],
    ),
}
"""By language: a limiter, where it goes, and how the driver is told of it."""


@pytest.mark.parametrize("language", BESIDE)
def test_what_is_no_queue_is_made_beside_one(language, started):
    source, to, edits = BESIDE[language]

    def beside(folder):
        shutil.copyfile(DRIVERS / "beside" / source, folder / to)
        for file, before, after in edits:
            text = (folder / file).read_text()
            assert before in text
            (folder / file).write_text(text.replace(before, after, 1))

    folder = started(language, beside)
    rules = ["--rule", "backoff/*", "--rule", "once_more/*"]
    done = stingy(folder, "run", LANGUAGES[language].target, *rules, "--report", "json=out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    kept = {
        row["rule"]
        for row in json.loads((folder / "out.json").read_text())["results"]
        if row["verdict"] == "PASS"
    }
    assert {"backoff/each-failure-doubles-the-wait", "once_more/no-add-is-lost"} <= kept


@pytest.mark.parametrize("language", [it for it in LANGUAGES if it != "python"])
def test_the_same_queue_with_the_same_fault_is_judged_alike_in_each_language(
    language, started, judged, tmp_path
):
    """Each driver tells of its queue what is told of the one in Python, which has none between: every verdict, and why."""

    def breaks(language):
        file, right, wrong = FORGETS[language]

        def edit(folder):
            source = (folder / file).read_text()
            assert right in source
            (folder / file).write_text(source.replace(right, wrong))

        return edit

    theirs = started(language, breaks(language))
    write(tmp_path / "python", "python")
    breaks("python")(tmp_path / "python")
    there, here = judged(theirs, language), judged(tmp_path / "python", "python")
    assert there["once_more/added-while-processed-comes-back-after-done"][0] is Finding.FAIL
    assert there == {key: here[key] for key in there}


def test_the_clock_in_javascript_begins_on_no_whole_second():
    """Or who cuts readings down to seconds passes."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    ask = f"import {str(TIMERS)!r}; console.log(Date.now(), performance.now())"
    done = subprocess.run(["node", "--input-type=module", "-e", ask], capture_output=True, text=True)
    reading, passed = done.stdout.split()
    assert int(reading) % 1000 != 0
    assert passed == "0"


def test_what_is_exported_to_go_runs_beside_it(started):
    """The broken queue fails the test, and the mended one passes; that the driver stands there, too, does not matter."""

    def breaks(folder):
        (folder / "queue.go").write_text((folder / "queue.go").read_text().replace(*slip))

    _, *slip = FORGETS["go"]
    folder = started("go", breaks)
    assert slip[1] in (folder / "queue.go").read_text()
    rule = "once_more/added-while-processed-comes-back-after-done"
    assert stingy(folder, "run", "cmd:./driver", "--rule", rule, "--report", "json=out.json").returncode == 1
    exported = stingy(folder, "replay", "out.json", "--export", "go")
    assert exported.returncode == 0, exported.stderr
    (folder / "stories_test.go").write_text(exported.stdout)
    assert not go(folder, "vet", ".").returncode
    told = go(folder, "test", "-v", ".")
    assert told.returncode
    assert "--- SKIP: TestDriver" in told.stdout
    assert "--- FAIL: TestAddedWhileProcessedComesBackAfterDone" in told.stdout
    (folder / "queue.go").write_text((folder / "queue.go").read_text().replace(*slip[::-1]))
    mended = go(folder, "test", ".")
    assert not mended.returncode, mended.stdout + mended.stderr
    assert not go(folder, "test", "-c", "-o", "driver", ".").returncode
    assert stingy(folder, "run", "cmd:./driver", "--rule", rule).returncode == 0


CHECKS_OUTSIDE = (
    "        with self._changed:\n            if self._closed or item in self._dirty:\n                return\n",
    "        if self._closed or item in self._dirty:\n            return\n        with self._changed:\n",
)
SOME_ORDER = "interleavings/some-order-of-the-calls-explains-every-answer"
WORK = "interleavings/work-is-done-in-every-order"
RACES = {
    "python": (
        SOME_ORDER,
        [("my_queue.py", *CHECKS_OUTSIDE)],
        ("pytest", "test_stories.py", [f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider -c {os.devnull} test_stories.py"]),
    ),
    "go": (
        WORK,
        [("queue.go", "q.changed.Signal()", "if len(q.queue) == 1 {\n\t\t\tq.changed.Signal()\n\t\t}")],
        (
            "go",
            "stories_test.go",
            ["go run stingy.invalid/driver/control -o driver .", "./driver -test.v -test.skip=^TestDriver$"],
        ),
    ),
    "java": (
        WORK,
        [("Queue.java", "notify();", "if (queue.size() == 1) notify();")],
        (
            "java",
            "StingyRaces.java",
            ["javac -cp classes -sourcepath . -d classes StingyRaces.java", "java -cp classes StingyRaces"],
        ),
    ),
    "rust": (
        WORK,
        [("src/queue.rs", "self.changed.notify_one();", "if state.queue.len() == 1 { self.changed.notify_one(); }")],
        ("rust", "tests/stories.rs", ["cargo test --release"]),
    ),
    "node": (
        SOME_ORDER,
        [
            ("queue.mjs", "  add(item) {", "  async add(item) {"),
            ("queue.mjs", "    this.#dirty.add(item);", "    await null;\n    this.#dirty.add(item);"),
            ("calls.mjs", "{ q.add(item); }", "q.add(item)"),
        ],
        ("node", "stories.test.mjs", ["node --test stories.test.mjs"]),
    ),
}  # fmt: skip
"""By language: a rule that only some orders break, what breaks it, and how its export is run."""


@pytest.mark.parametrize("language", RACES)
def test_a_race_is_exported_as_a_test_that_brings_it_about_again(language, started):
    """It fails while the race is there, in the order that broke it, and passes when that is mended."""
    id_, slips, (exported, file, commands) = RACES[language]

    def edit(folder, back=1):
        for name, *slip in slips[::back]:
            text = (folder / name).read_text()
            assert slip[::back][0] in text
            (folder / name).write_text(text.replace(*slip[::back], 1))

    folder = started(language, edit)
    broken = stingy(
        folder, "run", LANGUAGES[language].target, "--seed", "3", "--strict", "--fail-fast", "--rule", id_, "--report", "json=out.json"
    )  # fmt: skip
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
    assert any(
        how in said for how in ("history.unexplained() == []", "race.overlooked(history) == []", "was queued")
    )
    edit(folder, -1)
    green = run_all(folder, [*LANGUAGES[language].build, *commands])
    assert green.returncode == 0, green.stdout + green.stderr
    assert "SKIP" not in green.stdout + green.stderr


def run_all(folder, commands):
    """What comes of the last one."""
    for command in commands:
        done = subprocess.run(
            shlex.split(command),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=machine.patience(COMMAND_CPU_S),
        )
        if done.returncode and command != commands[-1]:
            pytest.fail(done.stdout + done.stderr)
    return done


DELAYING = {
    "queue.go": (
        'import "sync"\n',
        """import (
	"sync"
	"time"
)

func (q *Queue) AddAfter(item string, delay time.Duration) { time.AfterFunc(delay, func() { q.Add(item) }) }
""",
    ),
    "calls.go": ("Ops{", 'Ops{\n"add_after": driver.Delay["add_after"],'),
}


def test_a_driver_in_go_takes_any_op_that_is_named(started):
    def delays(folder):
        for file, (what, by) in DELAYING.items():
            text = (folder / file).read_text()
            assert what in text
            (folder / file).write_text(text.replace(what, by))

    folder = started("go", delays)
    well = stingy(folder, "doctor", "cmd:./driver")
    assert (well.returncode, "queue, delay" in well.stdout) == (0, True), well.stdout + well.stderr
    done = stingy(folder, "run", "cmd:./driver", "--rule", "delays/a-waiting-worker-is-woken")
    assert done.returncode == 0, done.stdout + done.stderr


def go(folder, *words):
    return subprocess.run(
        ["go", *words], cwd=folder, capture_output=True, text=True, timeout=machine.patience(COMMAND_CPU_S)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_and_the_files_that_it_names_are_those_that_are_there(language, tmp_path):
    commands = write(tmp_path / "mine", language)
    readme = (tmp_path / "mine" / "README.md").read_text()
    assert all(command in readme for command in commands[1:])
    library = tmp_path / "mine" / LIBRARY
    assert (library / "README.md").is_file() or not library.is_dir()
    for file in (LANGUAGES[language].queue, LANGUAGES[language].calls):
        assert (tmp_path / "mine" / file.strip("`")).is_file()
    assert "your own queue here" in (tmp_path / "mine" / LANGUAGES[language].calls.strip("`")).read_text()


def test_nothing_is_written_over(tmp_path):
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
