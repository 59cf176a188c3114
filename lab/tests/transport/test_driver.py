"""A candidate in another process gets the same verdicts as in this process, whatever its driver does."""

import contextlib
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import machine
import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge, Trial
from stingy.judging.verdict import Evidence, Finding
from stingy.language.session import CandidateError
from stingy.request import Limits
from stingy.transport import TargetError, locate, wire
from stingy.transport.driver import _call
from stingy.transport.processes import CAN_BE_SEEN, Processes, Spending
from stingy.transport.protocol import Error, Made

DRIVERS = Path(__file__).parent.parent / "drivers"
RULES = all_rules()
RACE = RULES["interleavings/work-is-done-in-every-order"].cases[0]
FIRST = RULES["handing_out/an-added-item-is-handed-out"]


def driver(script, *words):
    return "cmd:" + shlex.join([sys.executable, str(DRIVERS / script), *words])


@pytest.fixture
def impatient(monkeypatch):
    """Give up a silent driver as soon as a machine of this speed allows."""
    monkeypatch.setattr(wire, "SILENCE", machine.patience(0.5))


COPIED = "what a driver is handed is a copy of its own"
BEGINS_ANEW = "the clock of this driver begins anew with each candidate"
NOT_ASKED = {
    "trigger_times/a-slice-that-is-handed-in-stays-as-it-was": COPIED,
    "triggers/what-is-handed-in-stays-as-it-was": COPIED,
    "restart/a-tracker-that-is-made-later-starts-later": BEGINS_ANEW,
    "journey/at-another-time-the-latencies-are-the-same": BEGINS_ANEW,
}
"""Rules that do not judge this driver, with the reason."""


def told():
    """Return the rows to judge over a driver, with their rules.

    These are one row of each rule with one order, and of each profile one race and one rule with
    examples. A race takes a second. Other tests judge that a candidate keeps every row; the only difference
    here is the pipe.
    """
    asked = [rule for id_, rule in RULES.items() if id_ not in NOT_ASKED]
    several = {(rule.profile.name, rule.races): rule for rule in asked if rule.races or rule.for_all}
    one = [rule for rule in asked if not (rule.races or rule.for_all)]
    return [(rule, rule.cases[0]) for rule in (*one, *several.values()) if _is_offered(rule)]


def _is_offered(rule):
    """Return True unless a driver cannot be asked: it has texts only, and makes one candidate at a time."""
    return not rule.profile.any_value and not rule.asks[1].two


def findings(target, seed=1):
    """Return the verdicts by their ids."""
    candidate = locate(target, seed)
    try:
        judge = Judge(candidate, seed, goes_on=False)
        return {verdict.id: verdict for verdict in (judge.verdict(*each) for each in told())}
    finally:
        candidate.close()


@pytest.mark.budget(70)
@pytest.mark.parametrize(
    "target",
    ["stingy_reference", "stingy_broken.queues:DropsWhatIsHeld"],
)
def test_a_driver_gives_the_same_verdicts_as_the_candidate_in_this_process(target):
    here, there = findings(target), findings(driver("served.py", target))
    assert {id_: v.verdict for id_, v in here.items()} == {id_: v.verdict for id_, v in there.items()}
    assert _stories(here) == _stories(there)
    assert {v.evidence for v in there.values()} <= {Evidence.DETERMINISTIC, Evidence.SAMPLED, Evidence.NONE}


def _stories(verdicts):
    """Return the stories of rules without races, by id.

    Whether the clock stood still is left out: a driver is given time where this process knows that nothing can happen.
    """
    return {
        id_: [replace(line, still=False) for line in verdict.story]
        for id_, verdict in verdicts.items()
        if not RULES[verdict.rule].races
    }


def test_a_race_in_random_orders_does_not_report_the_ways_it_went():
    """It differs each time, so two reports of one seed would differ."""
    here, there = locate("stingy_reference", 1), locate(driver("served.py", "stingy_reference"))
    race = RULES["stingy/never-more-runs-than-adds"]
    verdicts = [Trial(candidate, 1).judge(race, None) for candidate in (here, there)]
    here.close()
    there.close()
    assert {verdict.verdict for verdict in verdicts} == {Finding.PASS}
    assert [bool(verdict.went) for verdict in verdicts] == [True, False]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("DiesAtHello", "exited with 7 while it had to answer.*\n  stderr: cannot find my library"),
        ("PanicsAtHello", "it ends the whole program: panic: no configuration"),
        ("PrintsAtHello", "wrote 'Hello, world!' to its standard output"),
        ("SpeaksAnotherProtocol", "but this version of stingy speaks protocol 1"),
        ("SleepsAtHello", "has not answered"),
    ],
)
def test_a_driver_that_cannot_say_hello_gets_a_sentence(name, says, impatient):
    with pytest.raises(CandidateError, match=says):
        locate(driver("ailing.py", name))


FAULTY_ELSEWHERE = {
    *("HandsOutInAFormOfItsOwn", "NestsDeep"),
    *("TurnsItsClockBack", "ShowsATimeThatIsNone", "ShowsATimeBeyondAll"),
}
"""Drivers whose fault also shows in calls of the next rule."""


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Aborts", "was ended by SIGABRT while it had to answer"),
        ("PrintsWhatItDoes", "wrote 'adding "),
        ("AnswersTwice", "answered a request that is not open"),
        ("AnswersAnotherRequest", "answered a request that is not open"),
        ("HandsOutInAFormOfItsOwn", "which has the wrong form"),
        ("WritesALineWithoutEnd", "which is not an answer: an answer has at most 8 MB"),
        ("NestsWithoutEnd", "which is not an answer: it is nested too deep"),
        ("NestsDeep", "which has the wrong form"),
        ("TurnsItsClockBack", "the driver's clock runs backwards: now_ns was 1699999999999999"),
        ("ShowsATimeThatIsNone", "now_ns': 1e+30}, which has the wrong form"),
        ("ShowsATimeBeyondAll", f"the driver answers now_ns {10**30}, which is not a time"),
    ],
)
def test_a_driver_that_misbehaves_is_an_error_and_the_next_rule_is_judged(name, says, impatient):
    candidate = locate(driver("ailing.py", name))
    judge = Judge(candidate, 1)
    verdict = judge.verdict(FIRST)
    assert verdict.verdict is Finding.ERROR, verdict
    assert says in verdict.because
    other = judge.verdict(RULES["shutdown/shutting-down-says-so"]).verdict
    assert other is (Finding.ERROR if name in FAULTY_ELSEWHERE else Finding.PASS)
    candidate.close()


def test_a_race_with_a_call_that_its_driver_cannot_make_in_a_burst_stays_undecided():
    candidate = locate(driver("ailing.py", "CannotMakeACallInABurst"))
    verdict = Judge(candidate, 1).again(RULES["interleavings/work-is-done-in-every-order"], RACE, "")
    candidate.close()
    assert verdict.verdict is Finding.INCONCLUSIVE
    assert "its driver cannot make these calls at once: start in a burst" in verdict.because


def test_a_line_without_end_takes_no_more_memory_than_a_long_one():
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    candidate = locate(driver("ailing.py", "WritesALineWithoutEnd"))
    Judge(candidate, 1).verdict(FIRST)
    candidate.close()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * (wire.LONGEST >> 10)


def test_a_late_hello_names_the_option_that_allows_more_time():
    with pytest.raises(CandidateError, match=r'"hello".* within 0\.5 s: --start S lifts that limit'):
        locate(driver("ailing.py", "SleepsAtHello"), start=0.5)


def test_a_driver_that_does_not_come_back_in_time_leaves_the_rule_in_hand_undecided(tmp_path):
    """It has said hello before, so a limit of ours ends the wait."""
    once = driver("ailing.py", "SaysHelloOnce", str(tmp_path / "said"))
    candidate = locate(once, start=machine.patience(1))
    judge = Trial(candidate, 1)
    assert judge.judge(FIRST, None).verdict is Finding.ERROR
    candidate._start = 0.5
    verdict = judge.judge(FIRST, None)
    candidate.close()
    assert (verdict.verdict, verdict.limit) == (Finding.INCONCLUSIVE, "--start")


def test_a_driver_that_is_slow_because_others_have_the_machine_is_waited_for():
    """Only processor time that the driver gets counts: with more time it would have answered."""
    processes = Processes(os.getpid())
    processes._members = lambda: [os.getpid()]
    spending = Spending(processes)
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    counted = spending.add(3.0)
    assert 0.1 <= counted < 3 if CAN_BE_SEEN else counted == 3


def test_a_call_of_a_burst_that_is_no_op_is_an_error_of_the_driver():
    with pytest.raises(CandidateError, match="has a call of 'ad', which is not an op"):
        _call(Made(lane="p1", op="ad", start=1, item="a", end=2))


def test_a_call_of_a_burst_that_raises_without_a_word_has_raised():
    call = Made(lane="p1", op="add", start=1, item="a", end=2, error=Error("raised", ""))
    assert _call(call).fault == "raises an error without a text"


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("MakesNothing", "its driver refuses to make it: new"),
        ("RefusesAdd", "its driver refuses add: add"),
    ],
)
def test_what_a_driver_refuses_is_not_offered(name, because):
    candidate = locate(driver("ailing.py", name))
    verdict = Judge(candidate, 1).verdict(FIRST)
    candidate.close()
    assert verdict.verdict is Finding.NOT_OFFERED
    assert verdict.because == because


def test_a_burst_that_is_told_in_half_is_no_fault_of_the_suite():
    candidate = locate(driver("ailing.py", "BurstsWithoutStamps"))
    verdict = Judge(candidate, 1).again(RULES["interleavings/work-is-done-in-every-order"], RACE, "")
    candidate.close()
    assert (verdict.verdict, verdict.fault) == (Finding.ERROR, False)
    assert "the driver answered burst with" in verdict.because


@pytest.mark.parametrize("name", ["SleepsAtHello", "Aborts", "PrintsWhatItDoes"])
def test_no_process_is_left_behind(name, impatient):
    ours = f"of-{os.getpid()}"  # other tests may run the same driver at the same time
    try:
        candidate = locate(driver("ailing.py", name, ours))
        Judge(candidate, 1).verdict(FIRST)
        candidate.close()
    except CandidateError:
        pass
    left = subprocess.run(["pgrep", "-f", f"ailing.py {name} {ours}"], capture_output=True, text=True)
    assert not left.stdout.split()


@pytest.fixture
def listening():
    """Address of a driver that listens, and serves each connection with a fresh reference."""
    served = [sys.executable, str(DRIVERS / "served.py"), "stingy_reference"]
    with socket.create_server(("localhost", 0)) as server, contextlib.ExitStack() as ends:

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = server.accept()
                    with peer:
                        process = subprocess.Popen(served, stdin=peer.fileno(), stdout=peer.fileno())
                    ends.callback(process.wait)
                    ends.callback(process.kill)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"localhost:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_driver_that_is_running_already_is_attached_to(listening):
    candidate = locate(f"attach:{listening}")
    judge = Judge(candidate, 1)
    assert judge.verdict(FIRST).verdict is Finding.PASS
    with pytest.raises(CandidateError):
        candidate._wire.ask("bye")
        candidate._wire.ask("settle")
    assert judge.verdict(RULES["shutdown/shutting-down-says-so"]).verdict is Finding.PASS, (
        "it is attached to once more"
    )
    candidate.close()


def test_a_driver_that_listens_and_says_nothing_is_given_up(monkeypatch):
    """The wait is longer than for other drivers, because a breakpoint may have stopped the driver."""
    monkeypatch.setattr("stingy.transport.wire.STANDING", 0.5)
    with (
        socket.create_server(("localhost", 0)) as server,
        pytest.raises(CandidateError, match=r"within 0\.5 s"),
    ):
        locate(f"attach:localhost:{server.getsockname()[1]}")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("cmd:", "needs a command line, as in cmd:./driver"),
        ("cmd:no-such-command-anywhere", "there is no command 'no-such-command-anywhere' to run"),
        ("attach:4711", "write attach:HOST:PORT"),
        ("attach:localhost:1", "no driver listens at localhost:1"),
        ("cmd:'./driver", "is not a command line: No closing quotation"),
    ],
)
def test_a_target_where_no_driver_can_be_gets_a_sentence(target, says):
    with pytest.raises(TargetError, match=says):
        locate(target)


@pytest.mark.parametrize(
    ("limits", "option", "says"),
    [
        (Limits(seconds=1e-9), "--limit", "the driver has not finished the rule within 1e-09 s"),
        pytest.param(
            Limits(megabytes=1),
            "--memory",
            "the driver has more than 1 MB resident",
            marks=pytest.mark.skipif(
                not CAN_BE_SEEN, reason="the memory of another process cannot be seen here"
            ),
        ),
    ],
)
def test_a_driver_that_uses_more_than_it_may_leaves_the_rule_undecided(limits, option, says):
    candidate = locate(driver("served.py", "stingy_reference"), 1, limits=limits)
    try:
        verdicts = [Trial(candidate, 1).judge(FIRST, None) for _ in range(2)]
    finally:
        candidate.close()
    assert {it.verdict for it in verdicts} == {Finding.INCONCLUSIVE}
    assert {it.limit for it in verdicts} == {option}
    assert all(it.because.startswith(says) for it in verdicts)
