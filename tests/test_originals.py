"""A candidate that replaces a builtin in the process that judges it is told so, and the builtin is put back.

Here only a copy of the builtins is changed, because other threads need them, as those of pytest-xdist do. Candidates
that really take them away are in lab/tests: hostile.toml and test_endings.py.
"""

import builtins
import sys
from contextlib import nullcontext
from math import inf

import pytest

from stingy.doctor.inprocess import find_refusal
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.session import CandidateError
from stingy.process import originals
from stingy.process.originals import Originals
from stingy.transport import locate
from stingy.transport.shortcuts import none_to_take
from stingy_reference import WorkQueue

RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
NEXT = RULES["handing_out/get-takes-the-item-out"]


@pytest.fixture(autouse=True)
def space(monkeypatch):
    """Copy of the builtins, which is taken for them."""
    copy = dict(vars(builtins))
    monkeypatch.setattr(originals, "_space", copy)
    return copy


@pytest.mark.parametrize("name", ["Exception", "__import__", "isinstance", "len", "str"])
@pytest.mark.parametrize("change", ["space[name] = None", "del space[name]", "space[name] = None; 1 / 0"])
def test_a_replaced_builtin_is_named_and_put_back(space, change, name):
    with Originals() as found:
        exec(change)
    assert (found.replaced, space) == (f"builtins.{name}", vars(builtins))


def test_an_error_in_a_block_that_replaces_nothing_is_raised(space):
    with pytest.raises(ZeroDivisionError), Originals():
        space["its_own"] = len
        1 / 0  # noqa: B018


def test_an_interrupt_is_not_dropped_with_the_errors_of_a_block_that_has_replaced_a_builtin(space):
    with pytest.raises(KeyboardInterrupt), Originals():
        space["len"] = None
        raise KeyboardInterrupt


def test_what_a_prompt_and_gettext_set_is_no_builtin(space):
    space["_"] = str
    with Originals() as found:
        space["_"] = space["its_own"] = print
    assert (found.replaced, space["_"], space["its_own"]) == ("", print, print)


class TakesAway:
    """A fake candidate that takes away a builtin as a rule opens it."""

    kubernetes, share, controlled, shrinks, shortcuts = "", None, True, True, none_to_take()
    limit, target, thing = inf, "its:Queue", WorkQueue
    held = staticmethod(nullcontext)

    def __init__(self, name):
        self.name = name

    def explorer(self, *_):
        return None

    def open(self, *_):
        originals._space[self.name] = None
        raise CandidateError("it fails, for whatever reason")


def test_a_rule_during_which_a_builtin_is_replaced_names_it():
    verdict = Trial(TakesAway("len"), 1).judge(FIRST, None)
    assert (verdict.verdict, verdict.because) == (Finding.ERROR, "the candidate replaced builtins.len")


def test_no_further_rule_is_judged_in_a_process_whose_builtins_were_replaced():
    """The suite may be in any state after the errors meanwhile."""
    trial = Trial(TakesAway("len"), 1)
    trial.judge(FIRST, None)
    trial.candidate.name = "str"
    verdict = trial.judge(NEXT, None)
    assert verdict.verdict is Finding.INCONCLUSIVE
    assert verdict.because.startswith("not tried: the candidate has replaced builtins.len: judge it in a pro")


@pytest.mark.parametrize("name", ["len", "TypeError"])
def test_a_candidate_that_replaces_a_builtin_as_it_is_tried_is_refused(name):
    refusal = find_refusal(TakesAway(name))
    assert refusal == f"its:Queue cannot be judged: it replaced builtins.{name}"


@pytest.fixture
def takes_it(monkeypatch, tmp_path):
    """Write a module that takes isinstance away as it is imported; return what is to be said of it."""
    source = "from stingy.process import originals\noriginals._space['isinstance'] = None\n"
    (tmp_path / "takes_it.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    yield "takes_it:Queue cannot be judged: while being imported, it replaced builtins.isinstance"
    sys.modules.pop("takes_it", None)


def test_an_import_that_replaces_a_builtin_is_refused(takes_it):
    with pytest.raises(CandidateError, match=takes_it):
        locate("takes_it:Queue")


def test_the_command_tells_of_a_replaced_builtin_in_one_sentence(stingy, takes_it):
    done = stingy("run", "takes_it:Queue", "-s", "--rule", FIRST.id)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"Error: {takes_it}\n")
