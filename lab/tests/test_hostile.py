"""A candidate that harms its process is reported, other rules are judged, and no process is left behind."""

import _thread
import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hostile import HOSTILE, write
from machine import patience, wait_for

from stingy.engine import pool, watch
from stingy.guarantees import all_rules
from stingy.judging import isolation
from stingy.judging.isolation import CANNOT_FORK, Isolated, inside
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Exit, Finding, exit_code
from stingy.language.session import CandidateError
from stingy.request import Limits
from stingy.transport import TargetError, locate, processes, realthreads
from stingy.transport.target import Target

pytestmark = pytest.mark.skipif(bool(CANNOT_FORK), reason=CANNOT_FORK)

STATM = Path("/proc/self/statm")
CANDIDATES = Path(__file__).parents[2] / "tests" / "candidates"
BEFORE, IN_HAND, AFTER = (
    all_rules()[id_]
    for id_ in (
        "handing_out/an-added-item-is-handed-out",
        "shutdown/shutting-down-says-so",
        "fair/first-come-first-served",
    )
)


def resident():
    """Return the resident megabytes of this process, as a candidate's process starts with; 0 without /proc."""
    if not STATM.exists():
        return 0
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


@pytest.fixture
def forked(monkeypatch):
    """Ids of the processes that candidates have had."""
    ids, fork = [], os.fork

    def forks():
        ids.append(fork())
        return ids[-1]

    monkeypatch.setattr(os, "fork", forks)
    return ids


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Folder of the hostile modules."""
    return write(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def hostile(monkeypatch, tmp_path, folder):
    """Make the hostile modules importable; the process of a candidate inherits that."""
    monkeypatch.setattr(Target, "version", "")  # a search of all other folders would take longer
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def impatient(monkeypatch, hostile):
    """Shorten the time-outs.

    The first two do not count time that a busy machine gives to other processes.
    """
    monkeypatch.setattr(isolation, "SILENCE", 2.5)
    monkeypatch.setattr(watch, "WATCHDOG", 0.25)
    monkeypatch.setattr(realthreads, "GENEROUS", patience(0.1))


def left(sessions):
    """Return the processes of these sessions that still run; empty without /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, session, *_ = stat.read_text().rpartition(")")[2].split()
            if state != "Z" and int(session) in sessions:
                found.append(stat.read_text())
    return found


TAKES_LONG = {"starts_threads_without_end", "fills_the_memory", "fills_the_memory_elsewhere"}
"""Candidates that reach a limit of memory or threads, and must not be ended before."""
MEGABYTES = 768
"""Megabytes of memory that a candidate may take; those that exceed it take up to 1.25 GB."""


@pytest.mark.skipif(find_spec("ctypes") is None, reason="no ctypes")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_candidate_spoils_the_current_rule_and_no_other(name, request, hostile, forked, tmp_path):
    if name not in TAKES_LONG:
        request.getfixturevalue("impatient")
    finding, _, because = HOSTILE[name]["says"].partition(": ")
    exit_ = Exit(HOSTILE[name]["exit"])
    threads = set(sys._current_frames())
    try:
        candidate = Isolated(f"{name}:Queue", 1, Limits(patience(10), resident() + MEGABYTES, 2))
    except (TargetError, CandidateError) as refused:
        assert because in str(refused)
        assert exit_ is (Exit.USAGE if isinstance(refused, TargetError) else Exit.CANDIDATE_ERROR)
        return
    try:
        judge = Judge(candidate, 1)
        before, in_hand, after = (judge.verdict(rule) for rule in (BEFORE, IN_HAND, AFTER))
    finally:
        candidate.close()
    where = in_hand if "call" in HOSTILE[name] else before
    if where.verdict is Finding.PASS:
        where = in_hand
    assert (where.verdict, because in where.because) == (Finding(finding), True), where
    assert len(where.because) < 10_000
    if where is in_hand:
        assert (before.verdict, after.verdict) == (Finding.PASS, Finding.PASS), (before, after)
        assert after.evidence is Evidence.DETERMINISTIC, "control is not lost for the next rule"
    assert exit_code((before, in_hand, after), strict=False) is exit_
    assert set(sys._current_frames()) <= threads
    assert {path.name for path in tmp_path.iterdir()} <= {"stingy.json"}
    assert wait_for(lambda: not left(forked), 2), left(forked)


@pytest.fixture
def stingy(tmp_path, folder):
    def stingy(*words, **more):
        paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
        environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-m", "stingy", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=patience(15),
            **more,
        )

    return stingy


MANY = all_rules()["delays/of-many-delayed-items-none-is-lost"]
"""Rule in which a queue that starts a timer for each item has thousands of threads."""


def judged(target, rule, **limits):
    candidate = Isolated(target, 1, Limits(**limits))
    try:
        return candidate.judge(rule, None)
    finally:
        candidate.close()


def a_timer_an_item(**limits):
    return judged("stingy_sound.delays:TimerForEach", MANY, **limits)


def a_quarter_of_a_gigabyte(monkeypatch, **limits):
    monkeypatch.syspath_prepend(CANDIDATES)
    return judged("weighty:Queue", IN_HAND, **limits)


@pytest.mark.parametrize("megabytes", [Limits.megabytes, 1024])
def test_threads_of_which_each_could_use_much_memory_and_does_not_are_not_too_many(megabytes):
    """Each reserves a stack of eight megabytes and uses some kilobytes of it."""
    assert a_timer_an_item(megabytes=megabytes).verdict is Finding.PASS


in_linux = pytest.mark.skipif(not STATM.exists(), reason="memory of a process is read in /proc")


@in_linux
def test_a_limit_names_the_option_that_lifts_it(monkeypatch, folder):
    few = resident() + 100
    verdict = a_quarter_of_a_gigabyte(monkeypatch, megabytes=few)
    assert (verdict.verdict, verdict.limit) == (Finding.INCONCLUSIVE, "--memory")
    assert verdict.because == f"the candidate has more than {few} MB resident: --memory MB lifts that limit"
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(watch, "WATCHDOG", patience(2))  # only the limit ends the candidate
    verdict = judged("spins:Queue", IN_HAND, seconds=1)
    assert (verdict.verdict, verdict.limit) == (Finding.INCONCLUSIVE, "--limit")
    assert "has not finished within 1 s: --limit S lifts that limit" in verdict.because


@in_linux
def test_the_process_counts_its_memory_where_the_judge_cannot_see_it(monkeypatch):
    monkeypatch.setattr(isolation, "CAN_BE_SEEN", False)
    monkeypatch.setattr(inside, "CAN_BE_SEEN", False)
    monkeypatch.setattr(processes, "_HELD", b"nothing")
    verdict = a_quarter_of_a_gigabyte(monkeypatch, megabytes=resident() + 100)
    assert (verdict.verdict, verdict.limit) == (Finding.INCONCLUSIVE, "--memory")


def test_a_machine_that_starts_no_more_threads_is_no_fault_of_the_candidate(monkeypatch):
    """Either the candidate or the suite starts the last thread."""

    def machine_for(threads):
        left = iter(range(threads))

        def start_new_thread(*job):
            if next(left, None) is None:
                raise RuntimeError("can't start new thread")
            return _thread.start_new_thread(*job)

        return start_new_thread

    for threads in (100, 0):
        monkeypatch.setattr(pool, "spawn", machine_for(threads))
        verdict = a_timer_an_item()
        assert (verdict.verdict, verdict.limit) == (Finding.INCONCLUSIVE, "")
        assert "the machine starts no more threads" in verdict.because


def test_a_limit_of_the_system_is_no_fault_of_the_candidate(stingy):
    resource = pytest.importorskip("resource")
    done = stingy(
        *("run", "stingy_sound.delays:TimerForEach", "--rule", MANY.id, "--seed", "1"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert done.returncode == Exit.INCONCLUSIVE
    assert "the machine starts no more threads" in done.stdout


FEW = ("--rule", BEFORE.id, "--rule", IN_HAND.id, "--rule", AFTER.id, "--seed", "1")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "shared"])
def test_the_report_is_complete_though_the_candidate_ends_its_process(stingy, workers, tmp_path):
    """Only the command writes its report."""
    done = stingy("run", "writes_the_report_itself:Queue", *FEW, *workers, "--report", "json=stingy.json")
    report = json.loads((tmp_path / "stingy.json").read_text())
    assert done.returncode == report["summary"]["exit"] == Exit.CANDIDATE_ERROR
    assert report["status"] == "complete"
    assert [row["verdict"] for row in report["results"]] == ["PASS"] * (len(report["results"]) - 1) + [
        "ERROR"
    ]


def test_a_candidate_that_ends_the_process_as_it_is_imported_exits_with_3(stingy):
    done = stingy("run", "ends_the_process_when_imported:Queue", *FEW)
    assert done.returncode == Exit.CANDIDATE_ERROR
    assert done.stderr == (
        "Error: ends_the_process_when_imported:Queue cannot be imported: "
        "the candidate ended the process (exit status 0)\n"
    )


@pytest.mark.parametrize("target", ["stingy_reference", "stingy_broken.queues:DropsWhatIsHeld"])
def test_the_verdicts_are_those_of_a_candidate_in_this_process(target):
    """The stories and the orders of races as well. It has been imported before the fork."""
    here, there = locate(target, 1), Isolated(target, 1)
    try:
        verdicts = [
            [verdict for rule in RULES for verdict in judge.verdicts(rule)]
            for judge in (Judge(here, 1), Judge(there, 1))
        ]
    finally:
        here.close()
        there.close()
    assert [pair for pair in zip(*verdicts, strict=True) if pair[0] != pair[1]] == []
    assert there.processes == 1


RULES = [
    rule
    for rule in all_rules().values()
    if rule.guarantee in ("once_more", "shutdown", "delays", "cancellation")
]


def test_a_new_process_knows_no_thread_that_was_given_up_before_it(monkeypatch):
    """The system may give the ids of given-up threads to new threads."""
    seen = Isolated("stingy_reference", 1)
    seen.close()
    monkeypatch.setattr(pool, "_abandoned", Everybody())
    assert Judge(seen, 1).verdict(BEFORE).verdict is Finding.PASS
    seen.close()


class Everybody(set):
    """Set that contains every element until it is cleared."""

    full = True

    def __contains__(self, _):
        return self.full

    def __bool__(self):
        return self.full

    def clear(self):
        self.full = False


def test_ctrl_c_ends_the_process_of_the_candidate(impatient, forked, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    candidate = Isolated("spins:Queue", 1)
    monkeypatch.setattr(isolation._Process, "_hear", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Judge(candidate, 1).verdict(IN_HAND)
    candidate.close()
    assert wait_for(lambda: not left(forked), 2), left(forked)


def test_three_rules_are_stuck_in_a_place_though_that_of_another_one_is_unknown(monkeypatch):
    def limited(*_):
        raise isolation._Limited("has not finished", "--limit S")

    places = iter([("in get, spins.py", "6"), ("", ""), *[("in get, spins.py", "6")] * 2])
    candidate = Isolated("stingy_reference", 1)
    monkeypatch.setattr(candidate, "_ask", limited)
    monkeypatch.setattr(candidate, "_find_place", lambda: next(places))
    verdicts = [Judge(candidate, 1).verdict(IN_HAND) for _ in range(5)]
    candidate.close()
    assert [it.because.startswith("not tried: 3 rules in a row") for it in verdicts] == [False] * 4 + [True]


@pytest.mark.parametrize("edit", ["class Queue: pass\n", "no Python\n", None])
def test_two_versions_of_an_edited_candidate_are_not_judged_as_one(edit, monkeypatch, tmp_path):
    file = tmp_path / "edited.py"
    file.write_text("from stingy_reference import WorkQueue\nclass Queue(WorkQueue): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    candidate = Isolated("edited:Queue", 1)
    try:
        assert candidate.judge(BEFORE, None).verdict is Finding.PASS
        file.unlink() if edit is None else file.write_text(edit)
        assert candidate.judge(IN_HAND, None).verdict is Finding.PASS, "it was not imported again"
        candidate.close()  # as after a rule that leaves the process unfit
        verdict = candidate.judge(AFTER, None)
    finally:
        candidate.close()
    assert (verdict.verdict, verdict.because) == (
        Finding.INCONCLUSIVE,
        "not tried: edited.py was edited during the run: start a new one",
    )
