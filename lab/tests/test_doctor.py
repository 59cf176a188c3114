"""stingy doctor: each fault of a driver is named in one sentence, and no driver is blamed for its candidate."""

import re
import shlex
import sys
from pathlib import Path

import machine
import pytest

from stingy.contract import PROFILES
from stingy.doctor import Condition, examine, render
from stingy.doctor.looks import hello
from stingy.doctor.samples import SAMPLES

DRIVERS = Path(__file__).parent / "drivers"
CANDIDATES = Path(__file__).parents[2] / "tests" / "candidates"

ANSWER_CPU_S = 0.4
"""A driver of the tests needs a few ms for an answer, and 0.1 s to start."""

FAULTS = {
    "Silent": "has not answered .*hello",
    "WritesNoNewline": "without LF at its end: write a newline after each answer",
    "WritesHalfALine": "half a line, and nothing after it",
    "DoesNotFlush": "answers only when its standard input is closed: flush",
    "EndsLinesWithCrLf": "ends its lines with CR and LF",
    "WritesAByteOrderMark": "begins its output with a byte order mark",
    "WritesLatin1": "is not UTF-8",
    "WritesOverSeveralLines": "spreads an answer over several lines",
    "WritesTwoOnALine": "more than one answer on a line",
    "WritesALineWithoutEnd": "and more than 8 MB without LF at its end: write a newline",
    "NestsWithoutEnd": "nested deeper than any answer",
    "PrintsWhatItDoes": "wrote 'adding ns/.* to its standard output, which carries nothing but answers",
    "AnswersTwice": "answered .*add.* twice: answer each request once",
    "AnswersAnotherRequest": "answered a request with the id 10.., which was never sent",
    "TurnsIdsIntoTexts": "without a whole number as its id",
    "SaysNoOk": 'without "ok": true or "ok": false',
    "RefusesInItsOwnWords": "whose error has an unknown kind",
    "Garbles": "change nothing in a string",
    "Dies": "exited with 3 when it was asked .*add",
    "SpeaksAnotherProtocol": "speaks protocol 2, but this version of stingy knows 1",
    "IsTakenForAList": "expected an object with protocol, name, ops and capabilities",
    "HasNoName": 'says "name": null: expected a string',
    "MisspellsAnOp": "names an op 'shutDown', .*: did you mean shut_down",
    "MisspellsACapability": "capability 'virtualClock', .*: did you mean virtual_clock",
    "ClaimsInWords": 'says "settle": "yes": expected true or false',
    "OffersTooLittle": "make no profile: for the profile queue it lacks len, shut_down and shutting_down",
    "ComesFromTheFuture": "'newest' is not a version of Kubernetes",
    "ClaimsWhatItRefuses": "names shut_down_with_drain, but it refuses the call",
    "ClaimsAClockThatStandsStill": "to advance by 1000000000 ns, and its clock did not move",
    "ClaimsAClockThatGoesByItself": "advanced by .* by itself",
    "ClaimsAClockThatIsNotRead": "answers null instead of the reading of that clock",
    "StepsTheWrongWay": "to step by 5000000000 ns, and its wall clock moved by -5000000000 ns",
    "SettlesTooEarly": "answers settle before a Get that was about to return",
    "BurstsWithoutStamps": "expected start, drawn before the call",
    "BurstsWithStampsDrawnTwice": "two stamps of a burst are the same",
    "TellsNoChoices": "answers a burst that has one with .*: expected the choices that were made",
    "ForgetsCallsOfABurst": "was to add a and b on lane p1, but its history has \\[\\]",
    "AnswersOkToEverything": "as if it had made one: refuse an impl",
    "MakesWhateverIsAskedFor": "as if it had made one: refuse an impl",
    "AnswersUnknownOps": "answers ok to an op that does not exist",
    "ReadsAheadAndWaits": "only the first of two requests that arrive together",
    "RefusesAsRaised": "refuses an impl that it does not know as raised",
    "MakesNothing": "refuses new work_queue",
    "HasFormsOfItsOwn": 'answers len with "0", which has the wrong form: expected a number',
    "MakesNoSenseOfDone": "does not understand done",
    "StandsStillWhileAGetWaits": "answers nothing while a Get waits: give each lane a thread",
    "KeepsItems": "after new, state of the previous candidate is left",
    "KeepsShuttingDown": "after new, state of the previous candidate is left",
    "KeepsLanesBusy": "its lane w1 still waits in a call of the previous candidate",
    "ReleasesOldCalls": "after the next new: never answer a call that still waits at new",
    "StaysAfterBye": "after bye it still runs",
    "FailsAfterBye": "after bye it exited with 5: exit with status 0",
    "GoesWithoutAWord": "exits at bye without a valid answer",
}

NEVER_SAY_HELLO = {"Silent", "DoesNotFlush"}

RIGHT = {"Right": "not claimed", "Chooses": "5 orders, twice"}

DOUBTS = {
    "Slow": "takes .* ms for an answer, and a run asks thousands of times",
    "DrivesOneThatLosesItems": "either it is not called, or the queue has lost it",
    "DrivesOneThatNeverWaits": "returns at once, where it should wait",
    "DrivesOneThatBlocksWhileAGetWaits": "add does not return, or the driver does not report its return",
    "DrivesOneThatCountsWrongly": "a fresh queue has a length of 7",
    "GoesAnotherWayEachTime": "with the choices of an earlier one differs from it: its choices are",
    "DrivesOneThatRaises": "done raises KeyError",
}


def ailing(name):
    return "cmd:" + shlex.join([sys.executable, str(DRIVERS / "ailing.py"), name])


def doctor(target):
    examination = examine(target, machine.patience(ANSWER_CPU_S))
    return examination, {found.condition: found.says for found in examination.found}


@pytest.mark.parametrize(("name", "orders"), RIGHT.items())
def test_a_right_driver_is_well(name, orders):
    examination, found = doctor(ailing(name))
    assert set(found) == {Condition.WELL}, list(render(examination))
    assert dict(examination.summary)["offers"] == "queue"
    (says,) = (it.says for it in examination.found if it.looked_at == "follows the chosen order")
    assert says == orders


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_in_one_sentence(name, monkeypatch):
    if name in NEVER_SAY_HELLO:
        monkeypatch.setattr(hello, "STARTING", machine.patience(ANSWER_CPU_S))
    examination, found = doctor(ailing(name))
    assert examination.ill
    assert re.search(FAULTS[name], found[Condition.ILL]), found[Condition.ILL]
    assert examination.traffic
    assert not [it.says for it in examination.found if it.condition is Condition.DOUBTFUL]


@pytest.mark.parametrize("name", DOUBTS)
def test_a_driver_is_not_blamed_for_its_candidate(name):
    examination, found = doctor(ailing(name))
    assert not examination.ill, found
    doubts = [it.says for it in examination.found if it.condition is Condition.DOUBTFUL]
    assert any(re.search(DOUBTS[name], doubt) for doubt in doubts), doubts


@pytest.mark.parametrize(
    "broken", ["queues:ForgetsToWakeAnybody", "queues:NeverWaits", "shutdowns:ShutsForGood"]
)
def test_a_driver_is_not_blamed_for_a_broken_queue(broken):
    served = [sys.executable, str(DRIVERS / "served.py"), f"stingy_broken.{broken}"]
    examination, found = doctor("cmd:" + shlex.join(served))
    assert not examination.ill, found


def test_in_this_process_it_says_what_is_offered_and_how_it_is_run():
    examination, found = doctor("stingy_reference.workqueue:WorkQueue")
    offered = {it.looked_at for it in examination.found}
    assert offered == {f"offers {name}" for name in SAMPLES if PROFILES[name].maker == "work_queue"}
    assert found == {Condition.WELL: "on threads, under control, in virtual time"}
    assert ("not delay", "it has no add_after") in examination.summary


def test_a_candidate_for_asyncio_is_named_as_one():
    examination, _ = doctor("stingy_reference.coroutines:AsyncWorkQueue")
    assert {it.looked_at: it.says for it in examination.found}["offers queue"].startswith("for asyncio")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_wait_that_escapes_control_is_named(monkeypatch):
    """A thread that the engine has given up ends wherever it is, also in the candidate's finalizer."""
    monkeypatch.syspath_prepend(CANDIDATES)
    examination, found = doctor("uncontrolled:WaitsOnAPipe")
    assert not examination.ill
    assert "so it is run on real threads" in found[Condition.DOUBTFUL]


def test_a_class_that_offers_nothing_is_told_what_it_lacks():
    examination, found = doctor("collections:OrderedDict")
    assert examination.ill
    assert (
        "it has no add, done, shut_down, shutting_down: name its methods as the contract does"
        in found[Condition.ILL]
    )


def test_the_command_prints_it_and_says_by_its_exit_status_how_it_is(capsys):
    from stingy.cli import main

    for name, status in (("Right", 0), ("PrintsWhatItDoes", 3)):
        with pytest.raises(SystemExit) as end:
            main(["doctor", ailing(name), "--patience", str(machine.patience(ANSWER_CPU_S))])
        assert end.value.code == status
    said = capsys.readouterr().out
    assert "evidence" in said
    assert "✗ answers calls in their form" in said
    assert "← adding ns/" in said
    with pytest.raises(SystemExit) as end:
        main(["doctor", "cmd:no-such-command"])
    assert end.value.code == 4
