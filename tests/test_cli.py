"""``stingy``: its output, its files and its exit status.

lab/tests/test_command.py has what only a real process shows.
"""

import json
import sys
from itertools import count
from queue import Queue

import pytest

from stingy.cli import run
from stingy.cli.run import command
from stingy.engine import cpython
from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.language import order
from stingy.request import Request

BROKEN = "stingy_broken.queues:DropsWhatIsHeld"
FIRST = ("--rule", "handing_out/an-added*")


def test_pytest_options_of_the_project_do_not_count(stingy, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k nothing --maxfail 1")
    assert stingy("run", "--rule", "fair/*").returncode == 0


def test_without_a_target_the_reference_is_judged_and_that_is_said(stingy):
    done = stingy("run", "--rule", "fair/*")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == "no TARGET is given: the embedded reference is judged"
    assert stingy("run", "--reference", "--rule", "fair/*").stderr == ""


@pytest.mark.parametrize(("value", "status"), [("true", 4), ("1", 4), ("", 0), ("false", 0)])
@pytest.mark.parametrize("variable", ["CI", "PRE_COMMIT"])
def test_in_ci_a_target_must_be_given(stingy, monkeypatch, variable, value, status):
    monkeypatch.setenv(variable, value)
    done = stingy("run", "--rule", "fair/*")
    assert done.returncode == status
    assert ("name one, or judge the embedded reference with --reference" in done.stderr) == (status == 4)
    assert stingy("run", "--reference", "--rule", "fair/*").returncode == 0


UNUSABLE = """
from queue import Queue

from stingy_reference import WorkQueue


class CamelCase:
    def Add(self, item): ...
    def Get(self): ...
    def Done(self, item): ...
    def Len(self): ...
    def ShutDown(self): ...
    def ShuttingDown(self): ...


class NeedsASize(WorkQueue):
    def __init__(self, size): ...


class NoPair(WorkQueue):
    def get(self):
        return super().get()[0]


def decorated(function):
    return lambda *words: function(*words)


class Decorated(WorkQueue):
    @decorated
    async def get(self):
        return super().get()


class NoMethod(WorkQueue):
    get = None


class Quiet(WorkQueue):
    def _enqueue(self, item):
        self._queue.push(item)
"""


CAMEL_CASE = (
    *("it has no add, done, get, __len__, shut_down, shutting_down", "Add may be add", "Len may be __len__"),
    *("from unusable import CamelCase", "class WorkQueue(CamelCase):", "shut_down = CamelCase.ShutDown"),
)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("CamelCase", CAMEL_CASE),
        ("Queue", ("it has no add, done", "put may be add, task_done may be done, qsize may be __len__")),
        ("NoMethod", ("judge: it has no get: name its methods as the contract does",)),
        ("NeedsASize", ("it cannot be made", "argument: 'size': name a function that makes it")),
        ("Decorated", ("its get returns a coroutine, but is not a coroutine function: write async def",)),
        ("NoPair", ("Get returned 'a', not a pair of an item and a flag: return both, as in item, False",)),
    ],
)
def test_an_unusable_candidate_is_told_what_to_write(stingy, tmp_path, name, says):
    (tmp_path / "unusable.py").write_text(UNUSABLE)
    done = stingy("run", f"unusable:{name}")
    assert (done.returncode, done.stdout) == (3, "")
    assert [it for it in says if it not in done.stderr] == []


def test_the_doctor_shows_an_adapter(stingy, tmp_path):
    (tmp_path / "unusable.py").write_text(UNUSABLE)
    shown = stingy("doctor", "unusable:Queue").stdout
    lacks = "shutting_down" if hasattr(Queue, "shutdown") else "shut_down, shutting_down"
    adapter = "class WorkQueue(Queue):", "    add = Queue.put", f"    # and its own {lacks}"
    assert [line for line in adapter if f"\n    {line}\n" not in shown] == [], shown


def test_a_queue_that_wakes_no_worker_is_judged(stingy, tmp_path):
    (tmp_path / "unusable.py").write_text(UNUSABLE)
    assert stingy("run", "unusable:Quiet", "--rule", "workers/*").returncode == 1
    told = " ".join(stingy("doctor", "unusable:Quiet").stdout.split())
    assert "does not return although an item has been added: the rules will show why" in told


def test_strict_makes_a_should_count(stingy):
    words = ("run", "stingy_broken.lengths:CountsWhatIsDirty", "--rule", "length/len-leaves-out*")
    lenient, strict = stingy(*words), stingy(*words, "--strict")
    assert (lenient.returncode, strict.returncode) == (0, 1)
    told = " ".join(lenient.stdout.split())
    assert "1 of the broken is a SHOULD: only --strict counts it" in told


@pytest.mark.parametrize(
    ("request_", "processes"),
    [
        (Request(isolate=True), 4),
        (Request("cmd:./driver"), 4),
        (Request(), 1),
        (Request(profile=("limit",), isolate=True), 1),
        (Request(rule=("stingy/*",), isolate=True), 1),
        (Request("attach:localhost:4711"), 1),
    ],
    ids=lambda it: "",
)
def test_only_a_run_of_all_rules_uses_all_processors(monkeypatch, request_, processes):
    monkeypatch.setattr(run, "count_processors", lambda: 4)
    assert run.choose_processes(request_) == processes


def test_the_json_report_is_schema_3(stingy, tmp_path):
    words = ("run", BROKEN, "--seed", "1", "--rule", "once_more/added-*")
    done = stingy(*words, "--report", "json=out.json", "--report", "terminal")
    assert done.returncode == 1
    assert "DropsWhatIsHeld does not conform" in done.stdout
    assert "FAIL  MUST  once_more/added-while-processed-comes-back-after-done" in done.stdout
    report = json.loads((tmp_path / "out.json").read_text())
    assert (report["schema"], report["status"], report["seed"]) == (3, "complete", 1)
    assert report["candidate"]["target"] == BROKEN
    assert report["summary"]["exit"] == 1
    asked = [rule for id_, rule in all_rules().items() if id_.startswith("once_more/added-")]
    judged = with_what_they_build_on(asked)
    assert len(judged) > len(asked)
    assert len(report["results"]) == sum(len(rule.cases) for rule in judged.values())
    (row,) = [row for row in report["results"] if row["rule"].endswith("comes-back-after-done")]
    assert set(row) == {
        *("rule", "case", "profile", "level", "verdict", "evidence", "because", "story", "source"),
        *("hint", "runs", "code"),
    }
    assert row["verdict"] == "FAIL"
    assert row["story"][0]["lane"] == "producer"
    assert row["story"][0]["did"] == "Add('a')"
    assert row["source"].startswith("https://github.com/kubernetes/client-go/blob/")


def test_a_replay_fails_in_the_orders_of_the_report(stingy, tmp_path):
    race = "stingy_broken.races:TakesBeforeItMarks"
    words = ("run", race, "--seed", "1", "--rule", "stingy/no-item-is-with-two-workers")
    first = stingy(*words, "--report", "json=out.json", "--report", "terminal")
    results = json.loads((tmp_path / "out.json").read_text())["results"]
    broken = [row for row in results if row["verdict"] == "FAIL"]
    assert any(row.get("order") for row in broken)
    again = stingy("replay", "out.json")
    assert "looks like" not in again.stdout, "that would need the rules that are kept"
    assert (first.returncode, again.returncode) == (1, 1)
    assert again.stdout.count("FAIL") == first.stdout.count("FAIL")
    told = first.stdout.partition("FAIL")[2].partition("see it")[0]
    assert told in again.stdout
    assert told.count("\n") > 5
    assert stingy("replay", "out.json", "stingy_reference").returncode == 0


@pytest.mark.parametrize(("words", "again"), [((), ""), (("--kubernetes", "1.26"), " --kubernetes 1.26")])
def test_a_replay_suggests_no_version_of_kubernetes_unless_the_run_had_one(stingy, words, again):
    rule = "once_more/added-while-processed-comes-back-after-done"
    stingy("run", BROKEN, "--rule", rule, "--seed", "1", *words, "--report", "json=out.json")
    shown = stingy("replay", "out.json").stdout
    assert f"see it  stingy run {BROKEN} --seed 1{again} --rule {rule} -s" in shown


@pytest.mark.parametrize(
    ("debugger", "says"),
    [
        ("debugpy", "pip install debugpy"),
        ("debugpy:", "write pdb, debugpy or debugpy:PORT"),
        ("debugpy:65536", "write pdb, debugpy or debugpy:PORT"),
        ("pudb", "write pdb, debugpy or debugpy:PORT"),
    ],
)
def test_a_debugger_that_cannot_be_used_is_refused(stingy, monkeypatch, debugger, says):
    monkeypatch.setitem(sys.modules, "debugpy", None)
    stingy("run", BROKEN, "--rule", "once_more/added-while*", "--report", "json=out.json")
    done = stingy("replay", "out.json", "--debug-with", debugger)
    assert done.returncode == 4
    assert says in done.stderr


def test_a_larger_budget_buys_more_orders(stingy, monkeypatch):
    """The test's clock advances by a second at each reading."""
    race = "stingy/no-item-is-with-two-workers"

    def orders(budget):
        seconds = count()
        monkeypatch.setattr(order, "perf_counter", lambda: float(next(seconds)))
        told = json.loads(stingy("run", "--rule", race, "--budget", budget, "--report", "json").stdout)
        return next(row["runs"] for row in told["results"] if row["rule"] == race)

    assert 0 < orders(2) < orders(10)


def test_profiles_and_globs_choose_rules(stingy):
    report = json.loads(stingy("run", "--profile", "memory", "--report", "json").stdout)
    assert {row["profile"] for row in report["results"]} == {"memory", "queue"}
    assert {row["rule"] for row in report["results"] if row["profile"] == "memory"} == {
        rule.id for rule in all_rules().values() if rule.profile.name == "memory"
    }
    report = json.loads(stingy("run", "--rule", "fair/*", "--report", "json").stdout)
    assert {row["rule"].partition("/")[0] for row in report["results"]} == {"handing_out", "fair"}


def test_each_profile_that_is_offered_has_rules():
    (profile,) = (option for option in command.params if option.name == "profile")
    assert sorted(profile.type.choices) == sorted({rule.profile.name for rule in all_rules().values()})


def test_rules_are_listed_for_people_and_for_programs(stingy):
    assert "MUST       queue    fair/first-come-first-served" in stingy("rules", "fair/*").stdout
    listed = json.loads(stingy("rules", "--json").stdout)
    assert [(rule["rule"], rule["guarantee"]) for rule in listed] == [
        (id_, rule.guarantee) for id_, rule in all_rules().items()
    ]
    assert all(rule["sentence"] and rule["level"] and rule["profile"] and rule["source"] for rule in listed)


def test_a_rule_is_explained(stingy):
    done = stingy("explain", "stingy/one-worker-at-a-time")
    assert "An item that a worker holds MUST NOT be handed out" in done.stdout
    assert "util/workqueue/doc.go" in done.stdout
    assert "other = queue.ask()" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "no_such_module:X"), "there is no module 'no_such_module'"),
        (("run", "stingy_reference:Nope"), "has no 'Nope'"),
        (("run", "stingy_reference:__doc__"), "not something to call"),
        (("run", "stingy_reference.WorkQueue"), "write stingy_reference:WorkQueue"),
        (("run", "cmd:no-such-command"), "there is no command"),
        (("run", "--rule", "fare/*"), "there is no rule"),
        (("run", "--profile", "quue"), "not one of"),
        (("run", "--report", "pdf"), "choose one of terminal, verbose, json"),
        (("run", "--report", "json=/no/such/folder/x"), "cannot be written"),
        (("explain", "fair/first-come"), "did you mean fair/first-come-first-served?"),
        (("explain", "fair/*"), "say which"),
        (("run", "--budget", "0"), "not in the range"),
        (("run", "--limit", "nan"), "Invalid value for '--limit': nan is not a number"),
        (("run", "--start", "inf"), "inf is too large: it must be at most 1,000,000"),
        (("run", "--time", "1e300"), "1e+300 is too large: it must be at most 1,000,000"),
        (("run", "--time", "nan"), "nan is not a number"),
        (("doctor", "stingy_reference", "--patience", "inf"), "inf is too large"),
        (("run", "--kubernetes", "latest"), "write it as in 1.30"),
        (("run", "-v", "-q"), "-v and -q exclude each other"),
        (("run", BROKEN, "--reference"), "TARGET and --reference exclude each other"),
        (("run", "./driver.sh"), "write cmd:./driver.sh"),
        (("run", "cmd:./driver.sh"), "chmod +x ./driver.sh"),
        (("watch", "nowhere:WorkQueue"), "there is no module 'nowhere' here"),
        (("watch", "stingy_reference", "--rule", "fear/*"), "'fear/*'; did you mean fair/*?"),
        (("replay", "no-such-file"), "cannot be read"),
        (("replay", sys.executable), "is not a report of --report json"),
        (("runn",), "No such command"),
    ],
)
def test_a_usage_error_is_one_sentence(stingy, tmp_path, words, says):
    (tmp_path / "driver.sh").touch(mode=0o644)
    done = stingy(*words)
    assert done.returncode == 4
    assert says in done.stderr
    assert "Traceback" not in done.stderr


HEADLINE = "nothing broken among the"


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ((), True),
        (("--report", "json=out.json"), True),
        (("--report", "json=out.json", "--report", "html=out.html"), True),
        (("--report", "terminal=out.txt"), True),
        (("--report", "json"), False),
        (("--report", "json=-"), False),
        (("--report", "json", "--report", "terminal"), True),
        (("-q",), False),
        (("-q", "--report", "json=out.json"), False),
        (("-q", "--report", "terminal"), False),
        (("-q", "--report", "terminal=out.txt"), False),
    ],
)
def test_standard_output_has_the_terminal_report_unless_another_is_sent_there(stingy, words, is_told):
    done = stingy("run", "--reference", "--rule", "fair/*", *words)
    assert (done.returncode, HEADLINE in done.stdout) == (0, is_told)


@pytest.mark.parametrize("path", ["-", "/dev/stdout"])
def test_a_report_that_is_sent_to_standard_output_is_alone_there(stingy, path, monkeypatch, tmp_path):
    with (tmp_path / "output").open("w") as output:
        monkeypatch.setattr(sys, "__stdout__", output)
        path = path if path == "-" else f"/dev/fd/{output.fileno()}"
        done = stingy("run", "--reference", "--rule", "fair/*", "--report", f"json={path}")
    assert done.returncode == 0
    assert json.loads(done.stdout or (tmp_path / "output").read_text())["status"] == "complete"
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("words", [("-q",), ("--report", "json"), ("--report", "json=-", "-q")])
def test_a_quiet_run_prints_what_programs_read(stingy, words):
    done = stingy("run", "--reference", "--rule", "fair/*", *words)
    assert (done.stdout == "") == ("--report" not in words)
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_python_that_the_engine_does_not_know_judges_nobody(stingy, monkeypatch, command):
    monkeypatch.setattr(cpython, "NEWEST", (3, 10))
    done = stingy(command, "stingy_reference")
    assert "stingy knows Python up to 3.10" in done.stdout + done.stderr
    assert done.returncode == 4


def test_two_reports_into_one_file_are_refused_before_anything_is_judged(stingy, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to("x")
    for other in ("x", "./x", str(tmp_path / "x"), "link", "../" + tmp_path.name + "/x"):
        done = stingy("run", "no_such_module", "--report", "json=x", "--report", f"html={other}")
        assert done.returncode == 4
        assert f"the reports json=x and html={other} would be written to the same file" in done.stderr
    assert not (tmp_path / "x").exists()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    (tmp_path / "summary").touch()
    for path in ("summary", "/dev/null"):
        asked = ("--report", f"markdown={path}", "--report", f"terminal={path}", "-q")
        assert stingy("run", "--reference", "--rule", "fair/*", *asked).returncode == 0
    told = (tmp_path / "summary").read_text()
    assert ("### " in told, HEADLINE in told) == (True, True)


def test_a_profile_may_be_written_with_a_capital(stingy):
    assert stingy("run", "--profile", "Ending", "--reference").returncode == 0


OWNED = "\x1b]0;owned\x07\u202e\n::error::x"


@pytest.mark.parametrize("doctor", [False, True])
@pytest.mark.parametrize(
    "source",
    [
        "raise ValueError(OWNED)",
        "from stingy_reference import WorkQueue\nclass Queue(WorkQueue):\n    add = lambda *_: int(OWNED)",
    ],
)
def test_no_terminal_or_runner_obeys_what_a_candidate_says(stingy, tmp_path, source, doctor):
    (tmp_path / "evil.py").write_text(f"OWNED = {OWNED!a}\n{source}\n")
    done = stingy("doctor", "evil:Queue") if doctor else stingy("run", "evil:Queue", *FIRST)
    said = done.stdout + done.stderr
    assert "owned" in said or (doctor and done.returncode == 0)
    assert said.replace("\n", "").isprintable()
    assert not any(line.lstrip().startswith("::") for line in said.splitlines())


def test_a_long_item_is_cut_in_every_report(stingy, tmp_path):
    (tmp_path / "big.py").write_text(
        "from stingy_reference import WorkQueue\n"
        "class Queue(WorkQueue):\n"
        "    def get(self):\n"
        "        item, shutdown = super().get()\n"
        "        return (None, True) if shutdown else ('zebra' * 2_000_000, False)\n"
    )
    names = ("json", "junit", "markdown", "html", "terminal")
    done = stingy("run", "big:Queue", *FIRST, *(f"--report={name}={tmp_path / name}" for name in names))
    assert done.returncode == 1
    for name in names:
        report = (tmp_path / name).read_text()
        assert "zebrazebra" in report
        assert "(10,000,000 characters)" in " ".join(report.split())
        assert len(report) < 40_000


def test_a_report_names_the_version_of_kubernetes_that_is_followed(stingy):
    done = stingy("run", "--rule", "restart/*", "--kubernetes", "1.26")
    assert "Kubernetes 1.26" in done.stdout.splitlines()[1]


def test_a_report_of_another_stingy_is_not_replayed(stingy, tmp_path):
    assert stingy("run", BROKEN, "--rule", "once_more/added-*", "--report", "json=out.json").returncode == 1
    report = (tmp_path / "out.json").read_text()
    (tmp_path / "out.json").write_text(report.replace("comes-back-after-done", "comes-back-in-time"))
    done = stingy("replay", "out.json")
    assert done.returncode == 4
    assert "was written by another version of stingy: this one has no rule once_more/" in done.stderr
