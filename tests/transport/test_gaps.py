"""Evidence is exhaustive only if all code of the candidate was searched, wherever it runs."""

import py_compile
import sys
from importlib import import_module
from inspect import getsource

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Evidence, Finding

RULE = all_rules()["workers/two-producers-at-once-add-it-once"]
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
def judge(monkeypatch, tmp_path, folder_of_candidates, candidate_of):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "a_library.py").write_text(getsource(import_module("gaps").insert) + MIXIN)
    __import__("a_library")

    def judge(target):
        candidate = candidate_of(target)
        candidate.shrinks = False
        return Trial(candidate, 1).judge(RULE, None)

    yield judge
    for name in ("a_library", "without_source"):
        sys.modules.pop(name, None)


def test_a_queue_without_a_gap_is_searched_exhaustively(judge):
    assert judge("gaps:Closed").evidence is Evidence.EXHAUSTIVE


@pytest.mark.parametrize("place", FOLLOWED)
def test_a_gap_is_found_wherever_it_is(judge, place):
    assert judge(f"gaps:{place}").verdict is Finding.FAIL


def test_a_gap_in_a_base_class_of_a_library_is_found(judge, monkeypatch):
    import gaps

    monkeypatch.setattr(gaps, "OfALibrary", gaps.of_a_library(), raising=False)
    assert judge("gaps:OfALibrary").verdict is Finding.FAIL


def test_a_gap_in_a_module_without_source_is_found(judge, tmp_path, folder_of_candidates):
    py_compile.compile(str(folder_of_candidates / "gaps.py"), str(tmp_path / "without_source.pyc"))
    assert judge("without_source:InPlainSight").verdict is Finding.FAIL


@pytest.mark.parametrize("place", SAID)
def test_a_gap_is_found_or_the_code_that_was_not_searched_is_named(judge, place):
    verdict = judge(f"gaps:{place}")
    if verdict.verdict is not Finding.FAIL:
        assert verdict.evidence is Evidence.SAMPLED
        assert verdict.unseen
