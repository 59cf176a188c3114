"""Judged in a test of one's own."""

import json
import subprocess
import sys
from types import ModuleType

import pytest

import stingy
from stingy.transport import TargetError
from stingy.verdict import Exit
from stingy_broken.queues import LosesEverything
from stingy_reference import WorkQueue


class ForgetsTheOrder(WorkQueue):
    """Hands out what came last."""

    def _enqueue(self, item):
        self._queue.appendleft(item)
        self._changed.notify()


def made():
    return WorkQueue()


module = ModuleType("somebodys")
module.WorkQueue = WorkQueue


@pytest.mark.parametrize("candidate", [WorkQueue, made, module, "stingy_reference:WorkQueue"])
def test_whatever_makes_a_queue_is_judged_as_it_is(candidate):
    report = stingy.judge(candidate, "length/*", seed=1)
    assert report.exit is Exit.CONFORMS
    assert {verdict.rule.partition("/")[0] for verdict in report.verdicts} == {"handing_out", "length"}
    assert report.seed == 1


def test_what_is_not_kept_is_said_as_the_command_says_it():
    with pytest.raises(AssertionError) as caught:
        stingy.assert_conforms(ForgetsTheOrder, "fair/*", seed=1)
    said = str(caught.value)
    assert "FAIL  MUST  fair/first-come-first-served" in said
    assert "ForgetsTheOrder does not conform" in said
    assert "\x1b" not in said


def test_the_verdicts_are_those_of_the_command(tmp_path):
    file = tmp_path / "report.json"
    words = [
        "run",
        "stingy_broken.queues:LosesEverything",
        "--rule",
        "fair/*",
        "--seed",
        "1",
        "--report",
        f"json={file}",
    ]
    subprocess.run([sys.executable, "-m", "stingy", *words], check=False)
    told = {
        (it["rule"], it["case"]): (it["verdict"], it["because"])
        for it in json.loads(file.read_bytes())["results"]
    }
    found = stingy.judge(LosesEverything, "fair/*", seed=1).verdicts
    assert {(it.rule, it.case): (it.verdict, it.because) for it in found} == told


def test_what_is_sound_passes():
    stingy.assert_conforms(WorkQueue, profiles="queue", rules="fair/*")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"rules": "fiar/*"}, "did you mean fair"),
        ({"rules": "delays/*", "profiles": "queue"}, "no rule like delays"),
        ({"kubernetes": "9.9"}, "9.9"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_sentence(words, says):
    with pytest.raises((LookupError, ValueError), match=says):
        stingy.judge(WorkQueue, **words)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TargetError, match="is a int, not something to call"):
        stingy.judge(7)


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import sys, stingy; print('stingy.trial' in sys.modules, stingy.__dir__())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert said.startswith("False")
    assert all(name in said for name in stingy.__all__)
