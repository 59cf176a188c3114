"""A row is called exhaustive only if that is true, wherever the code of the candidate runs."""

import py_compile
import sys
from importlib import import_module
from inspect import getsource
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.transport.inprocess import InProcess
from stingy.trial import Trial
from stingy.verdict import Evidence, Finding

RULE = all_rules()["workers/two-producers-at-once-add-it-once"]
CANDIDATES = Path(__file__).parent.parent / "candidates"
MIXIN = """
class Mixin:
    insert = insert
"""

FOLLOWED = (
    *("InPlainSight", "InAThreadOfTheConstructor", "InATimer", "InAnExecutor", "InACallback", "InAFinalizer"),
    *("InACallbackOfAWeakReference", "InAGenerator", "InAContextManager"),
)
SAID = ("ByEval", "ByCodeWithAName", "InAContainerOfTheStandardLibrary", "InALibrary")


@pytest.fixture
def judge(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(CANDIDATES))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "a_library.py").write_text(getsource(import_module("gaps").insert) + MIXIN)
    __import__("a_library")

    def judged(target):
        candidate = InProcess(target, 1)
        try:
            return Trial(candidate, 1).judge(RULE, None)
        finally:
            candidate.close()

    yield judged
    for name in ("gaps", "a_library", "without_source"):
        sys.modules.pop(name, None)


def test_a_queue_without_a_gap_is_searched_to_the_end(judge):
    assert judge("gaps:Closed").evidence is Evidence.EXHAUSTIVE


@pytest.mark.parametrize("place", FOLLOWED)
def test_a_gap_is_found_wherever_it_is(judge, place):
    assert judge(f"gaps:{place}").verdict is Finding.FAIL


def test_a_gap_in_what_a_library_gives_to_a_subclass_is_found(judge, monkeypatch):
    import gaps

    monkeypatch.setattr(gaps, "OfALibrary", gaps.of_a_library(), raising=False)
    assert judge("gaps:OfALibrary").verdict is Finding.FAIL


def test_a_gap_in_a_module_without_source_is_found(judge, tmp_path):
    py_compile.compile(str(CANDIDATES / "gaps.py"), str(tmp_path / "without_source.pyc"))
    assert judge("without_source:InPlainSight").verdict is Finding.FAIL


@pytest.mark.parametrize("place", SAID)
def test_a_gap_is_found_or_it_is_said_where_nobody_has_looked(judge, place):
    verdict = judge(f"gaps:{place}")
    if verdict.verdict is not Finding.FAIL:
        assert verdict.evidence is Evidence.SAMPLED
        assert verdict.unseen
