"""A candidate that replaces a builtin in the process that judges it is told so, and the builtin is put back."""

import builtins
from contextlib import contextmanager, nullcontext
from math import inf

import pytest

from stingy.doctor.inprocess import find_refusal
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.session import CandidateError
from stingy.process.originals import Originals
from stingy.transport import locate
from stingy.transport.shortcuts import none_to_take
from stingy_reference import WorkQueue

RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
NEXT = RULES["handing_out/get-takes-the-item-out"]
NEEDED = ("Exception", "OSError", "bool", "getattr", "isinstance", "len", "setattr", "sorted", "str", "type")
"""Builtins that the suite, pytest and the standard library need all the time."""


@contextmanager
def repaired():
    """Put all builtins back after the block, so that a test that fails can be reported."""
    space, before = vars(builtins), dict(vars(builtins))
    try:
        yield
    finally:
        space.update(before)


def outcome_of(change):
    """Return what a block that runs ``change`` has replaced, and whether all builtins are as before."""
    before = dict(vars(builtins))
    with repaired():
        with Originals() as originals:
            exec(change, {"builtins": builtins})
        return originals.replaced, vars(builtins) == before


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("change", ["builtins.{0} = None", "del builtins.{0}", "builtins.{0} = None; 1 / 0"])
def test_a_replaced_builtin_is_named_and_put_back(change, name):
    assert outcome_of(change.format(name)) == (f"builtins.{name}", True)


def test_an_interrupt_is_not_dropped_with_the_errors_of_a_block_that_has_replaced_a_builtin():
    with pytest.raises(KeyboardInterrupt), repaired(), Originals():
        builtins.len = None
        raise KeyboardInterrupt


def test_what_a_prompt_and_gettext_set_is_no_builtin(monkeypatch):
    monkeypatch.setattr(builtins, "_", str, raising=False)
    with Originals() as originals:
        builtins._ = print
        builtins.its_own = print
    assert (originals.replaced, builtins._, builtins.its_own) == ("", print, print)
    del builtins.its_own


class TakesAway:
    """A fake candidate that takes away a builtin as a rule opens it, so that no thread of the engine meets that."""

    kubernetes, share, controlled, shrinks, shortcuts = "", None, True, True, none_to_take()
    limit, target, thing = inf, "its:Queue", WorkQueue
    held = staticmethod(nullcontext)

    def __init__(self, name):
        self.name = name

    def explorer(self, *_):
        return None

    def open(self, *_):
        setattr(builtins, self.name, None)
        raise CandidateError("it fails, for whatever reason")


@pytest.mark.parametrize("name", NEEDED)
def test_a_rule_during_which_a_builtin_is_replaced_names_it(name):
    with repaired():
        verdict = Trial(TakesAway(name), 1).judge(FIRST, None)
    assert (verdict.verdict, verdict.because) == (Finding.ERROR, f"the candidate replaced builtins.{name}")


def test_no_further_rule_is_judged_in_a_process_whose_builtins_were_replaced():
    """The suite may be in any state after the errors meanwhile."""
    trial = Trial(TakesAway("len"), 1)
    with repaired():
        trial.judge(FIRST, None)
    trial.candidate.name = "str"
    verdict = trial.judge(NEXT, None)
    assert verdict.verdict is Finding.INCONCLUSIVE
    assert verdict.because.startswith("not tried: the candidate has replaced builtins.len: judge it in a pro")


@pytest.mark.parametrize("name", [*NEEDED, "TypeError"])
def test_a_candidate_that_replaces_a_builtin_as_it_is_tried_is_refused(name):
    with repaired():
        refusal = find_refusal(TakesAway(name))
    assert refusal == f"its:Queue cannot be judged: it replaced builtins.{name}"


@pytest.mark.parametrize("name", NEEDED)
def test_an_import_that_replaces_a_builtin_is_refused(monkeypatch, tmp_path, name):
    module = f"takes_away_{name}"
    (tmp_path / f"{module}.py").write_text(
        f"import builtins\nbuiltins.{name} = None\nimport stingy_reference\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    says = f"{module}:Queue cannot be judged: while being imported, it replaced builtins.{name}"
    with pytest.raises(CandidateError, match=says), repaired():
        locate(f"{module}:Queue")


def test_the_command_tells_of_a_replaced_builtin_in_one_sentence(stingy, tmp_path):
    (tmp_path / "takes_it.py").write_text("import builtins\nbuiltins.isinstance = None\n")
    with repaired():
        done = stingy("run", "takes_it:Queue", "-s", "--rule", FIRST.id)
    says = "takes_it:Queue cannot be judged: while being imported, it replaced builtins.isinstance"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"Error: {says}\n")
