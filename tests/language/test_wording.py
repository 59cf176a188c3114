"""Calls as a story shows them and as a program writes them."""

import pytest

from stingy.contract import MILLISECOND, MINUTE, SECOND
from stingy.language.priority import PriorityRace
from stingy.language.race import Race
from stingy.language.wording import operation, spell


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("add", "a"), "Add('a')"),
        (("shut_down_with_drain",), "ShutDownWithDrain()"),
        (("add_after", "a", 90 * SECOND), "AddAfter('a', 90 s)"),
        (("add_after", "a", 0), "AddAfter('a', 0 s)"),
        (("add_with_opts", "a", 0, 0, False), "AddWithOpts('a')"),
        (("add_with_opts", "a", 3, MINUTE, True), "AddWithOpts('a', priority 3, after 1 min, rate limited)"),
    ],
)
def test_a_call_is_shown_as_upstream_spells_it(call, told):
    assert spell(*call) == told


@pytest.mark.parametrize(
    ("race", "written", "call"),
    [
        (Race, "add a", ("add", "a")),
        (Race, "add", ("add",)),
        (Race, "get", ("get",)),
        (Race, "add a after 1 ms", ("add_after", "a", MILLISECOND)),
        (Race, "pause for 1 ms", ("pause", MILLISECOND)),
        (Race, "pause", ("pause", 0)),
        (Race, "add a after -1 min", ("add_after", "a", -MINUTE)),
        (PriorityRace, "get", ("get_with_priority",)),
        (PriorityRace, "add a", ("add_with_opts", "a", 0, 0, False)),
        (PriorityRace, "add a at 3 in 5", ("add_with_opts", "a", 3, 5 * MINUTE, False)),
        (PriorityRace, "done a", ("done", "a")),
    ],
)
def test_a_program_is_read_by_the_ops_of_its_race(race, written, call):
    assert operation(written, *race.parts) == call


@pytest.mark.parametrize("written", ["ad a", "add a before 1 s", "get a", "add a at 3", "add a after 1 s 2"])
def test_an_unknown_call_is_refused(written):
    with pytest.raises(ValueError, match="is nothing that can be said here; did you mean"):
        operation(written, *Race.parts)
