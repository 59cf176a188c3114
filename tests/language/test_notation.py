"""The grammar of the steps in tables and properties."""

from itertools import chain

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
def test_a_step_is_read_by_its_form(step, meant):
    assert SAID.read(step) == meant


@pytest.mark.parametrize(
    "step", ["clock set bak", "ad a", "add", "add a b", "add a after", "add a at b", "5 days", ""]
)
def test_an_unknown_step_is_refused_with_the_nearest_form(step):
    meant = "clock set back" if step.startswith("clock") else ".+"
    with pytest.raises(ValueError, match=rf"is nothing that can be said here; did you mean '{meant}'\?"):
        SAID.read(step)


def test_bars_separate_lanes_and_commas_steps():
    assert parse_lanes("add a, len | get") == [["add a", "len"], ["get"]]


def test_a_number_before_a_step_is_its_lane():
    assert parse_steps_by_lane("add a; 2 get") == [(0, "add a"), (2, "get")]
    assert parse_steps_by_lane("") == []


def refused(kind, read):
    """Read all rows of this kind in the rules' tables; return a line for each that ``read`` refuses."""
    rows = [(rule, row) for rule in all_rules().values() for row in rule.each if isinstance(row, kind)]
    assert rows
    found = []
    for rule, row in rows:
        try:
            read(rule, row)
        except ValueError as error:
            found.append(f"{rule.id} [{row.name}]: {error}")
    return found


def test_every_program_of_a_table_can_be_read():
    def read(rule, row):
        parts = PriorityRace.parts if rule.profile.name == "priority" else Race.parts
        before = [step for _, step in parse_steps_by_lane(row.before)]
        for step in chain(before, *parse_lanes(row.at_once)):
            operation(step, *parts)

    assert refused(Program, read) == []


def test_every_row_that_is_counted_can_be_read():
    def read(rule, row):
        form = LATER if rule.profile.protocol == "DelayingQueue" else NOW
        if not [form.read(step) for step in parse_steps(row.calls)]:
            raise ValueError("it has no steps")

    assert refused(Counted, read) == []
