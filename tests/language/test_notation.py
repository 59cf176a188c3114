"""The one grammar in which tables and properties say what happens."""

import pytest

from stingy.contract import MINUTE, SECOND
from stingy.guarantees import all_rules
from stingy.guarantees.metrics import LATER, NOW, Counted
from stingy.language import Program, parse_steps
from stingy.language.notation import forms, parse_lanes, parse_steps_by_lane
from stingy.language.priority import PriorityRace
from stingy.language.race import Race
from stingy.language.wording import operation

SAID = forms("add ITEM after SPAN", "add ITEM [at NUMBER]", "WHO changes", "clock set back", "SPAN")


@pytest.mark.parametrize(
    ("step", "meant"),
    [
        ("add a after 30 s", ("add after", "a", 30 * SECOND)),
        ("add a after -2", ("add after", "a", -2 * MINUTE)),
        ("add a", ("add", "a", None)),
        ("add a at -3", ("add", "a", -3)),
        ("ahead changes", ("changes", "ahead")),
        ("clock set back", ("clock set back",)),
        ("5 min", ("", 5 * MINUTE)),
    ],
)
def test_a_step_is_read_by_the_form_that_it_has(step, meant):
    assert SAID.read(step) == meant


@pytest.mark.parametrize("step", ["ad a", "add", "add a b", "add a after", "add a at b", "5 days", ""])
def test_a_step_of_no_form_is_refused_and_the_nearest_form_named(step):
    with pytest.raises(ValueError, match=r"is nothing that can be said here; did you mean '.+'\?"):
        SAID.read(step)


def test_what_is_meant_stands_nearest_to_what_was_written():
    with pytest.raises(ValueError, match=r"'clock set bak' .* did you mean 'clock set back'"):
        SAID.read("clock set bak")


def test_lanes_are_parted_by_bars_and_their_steps_by_commas():
    assert parse_lanes("add a, len | get") == [["add a", "len"], ["get"]]


def test_a_number_before_a_step_is_its_lane():
    assert parse_steps_by_lane("add a; 2 get") == [(0, "add a"), (2, "get")]
    assert parse_steps_by_lane("") == []


def _rows(kind):
    return [(rule, row) for rule in all_rules().values() for row in rule.each if isinstance(row, kind)]


@pytest.mark.parametrize(("rule", "row"), _rows(Program), ids=lambda it: getattr(it, "id", None) or it.name)
def test_every_program_of_a_table_can_be_read(rule, row):
    parts = PriorityRace.parts if rule.profile.name == "priority" else Race.parts
    before = [step for _, step in parse_steps_by_lane(row.before)]
    for steps in [before, *parse_lanes(row.at_once)]:
        assert [operation(step, *parts) for step in steps] or steps == []


@pytest.mark.parametrize(("rule", "row"), _rows(Counted), ids=lambda it: getattr(it, "id", None) or it.name)
def test_every_row_that_is_counted_can_be_read(rule, row):
    read = LATER.read if rule.profile.protocol == "DelayingQueue" else NOW.read
    assert [read(step) for step in parse_steps(row.calls)]
