"""The kill matrix: each broken candidate is caught by the rule that it breaks, and nothing sound is accused at all."""

import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import stingy_broken
from stingy import faults
from stingy.faults import in_order
from stingy.guarantees import all_rules
from stingy.kills import Task, broken_in, judge, merge, sound_in, tasks
from stingy.language import Level

BROKEN, SOUND = broken_in("stingy_broken"), sound_in("stingy_sound")
NIGHTLY = "STINGY_NIGHTLY" in os.environ
EVERY_RULE = tuple(all_rules())


def of_the_record(specimens, number):
    """So many of them: others after each change of the record, and the same until then; all at night."""
    random = Random(faults.RECORD.read_bytes())
    return specimens if NIGHTLY else sorted(random.sample(specimens, number), key=specimens.index)


def test_each_broken_candidate_is_caught_by_the_rule_that_it_breaks():
    """As is recorded of the code as it is now."""
    known = faults.record()
    caught = {it.target: known.of(it.family, it.name).failures for it in BROKEN}
    assert not [it.target for it in BROKEN if it.about not in caught[it.target]]


def test_no_module_of_broken_candidates_is_left_out():
    """But for what they are made of."""
    folder = Path(stingy_broken.__file__).parent
    written = {file.stem for file in folder.glob("*.py") if "@breaks(" in file.read_text()}
    assert {broken.family for broken in BROKEN} == written


def test_who_catches_whom_is_recorded_as_the_code_is_now():
    """Otherwise: stingy dev kills --write, which judges what may have changed."""
    assert not tasks([*BROKEN, *SOUND], faults.record(), EVERY_RULE)
    now = merge(BROKEN, SOUND, faults.record())
    assert faults.record() == replace(now, faults=in_order(now.faults), sound=in_order(now.sound))


def test_nobody_who_is_sound_is_recorded_as_accused():
    accused = {it.name: set(it.failures) & MUSTS for it in faults.record().sound}
    assert {it.name for it in SOUND} == accused.keys()
    assert not {name: rules for name, rules in accused.items() if rules}


MUSTS = {rule.id for rule in all_rules().values() if rule.level is Level.MUST}


@pytest.mark.parametrize("broken", of_the_record(BROKEN, 12), ids=lambda it: it.target)
def test_who_catches_whom_is_recorded_truly(broken):
    """What the record says is not taken on trust: some are judged by every rule once more."""
    recorded = faults.record().of(broken.family, broken.name)
    whole = EVERY_RULE if NIGHTLY else (broken.about, *recorded.failures)
    judged = judge(Task(broken, EVERY_RULE, frozenset(whole)))
    assert (judged.failures.keys(), judged.complaints) == (recorded.failures.keys(), ())


# A pool of the standard library is collected while its threads are unwound, which nobody hears of but pytest.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*ThreadPoolExecutor:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("sound", of_the_record(SOUND, 6), ids=lambda it: it.target)
def test_what_is_sound_is_not_accused_in_any_order(sound):
    """It may do otherwise what a rule only says that it *should* do."""
    assert judge(Task(sound, EVERY_RULE, frozenset(EVERY_RULE))).complaints == ()
