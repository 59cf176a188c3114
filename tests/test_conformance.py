"""``stingy.judge`` and ``stingy.assert_conforms``, for a user's own tests."""

import json
from types import ModuleType

import pytest

from stingy import assert_conforms, judge
from stingy.judging.verdict import Exit
from stingy.transport import TargetError
from stingy_broken.queues import LosesEverything
from stingy_reference import WorkQueue


class ForgetsTheOrder(WorkQueue):
    """Broken: it serves last in, first out."""

    def _enqueue(self, item):
        self._queue.appendleft(item)
        self._changed.notify()


def made():
    return WorkQueue()


module = ModuleType("somebodys")
module.WorkQueue = WorkQueue


@pytest.mark.parametrize("candidate", [WorkQueue, made, module, "stingy_reference:WorkQueue"])
def test_a_class_a_function_a_module_and_a_target_are_judged(candidate):
    assert_conforms(candidate, profiles="queue", rules="length/len-leaves-out*", seed=1)
    report = judge(candidate, "length/len-leaves-out*", seed=1)
    assert report.exit is Exit.CONFORMS
    assert {verdict.rule.partition("/")[0] for verdict in report.verdicts} == {"handing_out", "length"}
    assert report.request.seed == 1


def test_a_failed_assertion_shows_the_report():
    with pytest.raises(AssertionError) as caught:
        assert_conforms(ForgetsTheOrder, "fair/*", seed=1)
    said = str(caught.value)
    assert "FAIL  MUST  fair/first-come-first-served" in said
    assert "ForgetsTheOrder does not conform" in said
    assert "\x1b" not in said


def test_judge_finds_the_same_as_the_command(stingy, tmp_path):
    words = ("--rule", "fair/*", "--seed", "1", "--report", "json=out.json")
    stingy("run", "stingy_broken.queues:LosesEverything", *words)
    told = {
        (it["rule"], it["case"]): (it["verdict"], it["because"])
        for it in json.loads((tmp_path / "out.json").read_bytes())["results"]
    }
    found = judge(LosesEverything, "fair/*", seed=1).verdicts
    assert {(it.rule, it.case): (it.verdict, it.because) for it in found} == told


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"rules": "fiar/*"}, "did you mean fair"),
        ({"rules": "delays/*", "profiles": "queue"}, "no rule like delays"),
        ({"kubernetes": "9.9"}, "9.9"),
    ],
)
def test_a_selection_that_is_empty_is_refused_in_a_sentence(words, says):
    with pytest.raises((LookupError, ValueError), match=says):
        judge(WorkQueue, **words)


def test_an_object_that_cannot_be_called_is_refused():
    with pytest.raises(TargetError, match="is a int, not something to call"):
        judge(7)
