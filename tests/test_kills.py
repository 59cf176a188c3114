"""Who catches whom: what is judged again, and what is read in the record."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from stingy import faults
from stingy.cli.dev import command
from stingy.faults import Fault, Record
from stingy.guarantees import all_rules
from stingy.kills import Judged, Specimen, Task, broken_in, judge, merge, tasks
from stingy_broken import queues

RULES = list(all_rules())
ABOUT = "fair/first-come-first-served"
EVERYBODY = broken_in("stingy_broken")
FEW = [it for it in EVERYBODY if it.module == queues.__name__][:3]


def recorded(everybody=FEW, **found):
    """A record in which all is as the code is now."""
    faults = (Fault(it.name, it.says, it.family, found.get(it.name, {})) for it in everybody)
    return merge(everybody, (), Record(tuple(faults)))


def test_nothing_is_judged_where_nothing_has_changed():
    assert tasks(FEW, recorded(), RULES) == []


def test_with_another_engine_everything_is_judged():
    todo = tasks(FEW, replace(recorded(), engine="another"), RULES)
    assert [(task.specimen, task.rules) for task in todo] == [(it, tuple(RULES)) for it in FEW]


def test_a_candidate_that_has_changed_is_judged_by_every_rule_and_no_other_is():
    known = recorded()
    changed = replace(known.faults[1], source="another")
    todo = tasks(FEW, replace(known, faults=(known.faults[0], changed, known.faults[2])), RULES)
    assert [(task.specimen, task.rules) for task in todo] == [(FEW[1], tuple(RULES))]


def test_a_rule_that_has_changed_is_asked_of_everybody_and_no_other_is():
    known = recorded()
    todo = tasks(FEW, replace(known, rules={**known.rules, ABOUT: "another"}), RULES)
    assert {task.rules for task in todo} == {(ABOUT,)}
    assert len(todo) == len(FEW)


def test_races_are_run_in_every_order_where_one_of_the_two_is_new_or_something_was_found():
    known = recorded(**{FEW[1].name: {ABOUT: {"": "00000000"}}})
    new = replace(known, faults=known.faults[1:], engine="another")
    first, second, third = tasks(FEW, new, RULES)
    assert first.whole == set(RULES)
    assert second.whole == {FEW[1].about, ABOUT}
    assert third.whole == {FEW[2].about}

    without = {id_: key for id_, key in known.rules.items() if id_ != ABOUT}
    assert all(task.whole == {ABOUT} for task in tasks(FEW, replace(known, rules=without), RULES))


def test_what_is_found_now_stands_in_the_place_of_what_was_and_all_else_stays():
    known = recorded(**{FEW[0].name: {ABOUT: {"": "old"}, RULES[0]: {"": "old"}, "gone/rule": {"": "old"}}})
    now = merge(FEW, (), known, [Judged(Task(FEW[0], (ABOUT,)), {})])
    assert [fault.failures for fault in now.faults] == [{RULES[0]: {"": "old"}}, {}, {}]
    assert tasks(FEW, now, RULES) == []


def test_what_there_are_complaints_about_is_judged_again():
    now = merge(FEW, (), recorded(), [Judged(Task(FEW[0], (ABOUT,)), {}, ("It raised.",))])
    assert [task.specimen for task in tasks(FEW, now, RULES)] == [FEW[0]]


def test_whoever_is_left_is_judged_the_next_time_and_nobody_else():
    known = replace(recorded(), engine="another")
    now = merge(FEW, (), known, [Judged(Task(FEW[0], tuple(RULES)), {})], FEW[1:])
    assert [task.specimen for task in tasks(FEW, now, RULES)] == FEW[1:]


def test_what_is_new_is_still_new_when_it_is_left():
    known = replace(
        recorded(FEW[:1]), rules={id_: key for id_, key in recorded().rules.items() if id_ != ABOUT}
    )
    now = merge(FEW, (), known, (), FEW[1:])
    first, second, _ = tasks(FEW, now, RULES)
    assert (first.rules, first.whole) == ((ABOUT,), {ABOUT})
    assert second.whole == set(RULES)


def test_who_is_judged_otherwise_than_by_what_is_wrong_with_it_is_complained_about():
    (complaint,) = judge(Task(Specimen(__name__, "Raises", "It raises.", ABOUT), (RULES[0],))).complaints
    assert "cannot be made: OSError" in complaint


def test_who_is_sound_and_accused_is_complained_about():
    guilty = next(it for it in EVERYBODY if it.about == RULES[0])
    assert judge(Task(guilty, (RULES[0],))).complaints == ()
    (complaint,) = judge(Task(replace(guilty, about=""), (RULES[0],))).complaints
    assert RULES[0] in complaint


class Raises:
    """It raises."""

    def __init__(self):
        raise OSError

    def add(self, item): ...
    def get(self): ...
    def done(self, item): ...
    def shut_down(self): ...
    def shutting_down(self): ...
    def __len__(self): ...


@pytest.fixture
def record_of(tmp_path, monkeypatch):
    """The command works on a record of these candidates."""

    def of(everybody, known):
        file = tmp_path / "kills.json"
        monkeypatch.setattr(faults, "RECORD", file)
        faults.write(known, file)
        monkeypatch.setattr("stingy.cli.dev.broken_in", lambda _: everybody)
        monkeypatch.setattr("stingy.cli.dev.sound_in", lambda _: [])
        return file

    yield of
    faults.record.cache_clear()


FOUND = {ABOUT: {"": "00000000"}}


def ends_after_the_first(todo, _):
    yield Judged(todo[0], FOUND)
    raise KeyboardInterrupt


def said(*words, status):
    result = CliRunner().invoke(command, ["kills", "-n", "1", *words])
    assert result.exit_code == status, result.output
    return result.output


def test_the_command_says_whom_a_rule_catches_and_what_is_not_as_recorded(record_of):
    two = [it for it in EVERYBODY if it.about == FEW[0].about][:2]
    file = record_of(two, replace(recorded(two), engine="another"))
    before = file.read_text()

    output = said("--rule", FEW[0].about, status=1)

    for it in two:
        assert f"  {it.family}:{it.name}" in output
        assert f"{it.family}:{it.name} is now caught by {it.about}" in output
    assert file.read_text() == before


def test_what_was_found_before_the_command_came_to_its_end_is_kept(record_of, monkeypatch):
    record_of(FEW, replace(recorded(), engine="another"))
    monkeypatch.setattr("stingy.cli.dev.STEP", 1)
    monkeypatch.setattr("stingy.cli.dev.judge_all", ends_after_the_first)
    said("--write", status=130)
    known = faults.record()
    assert known.of(FEW[0].family, FEW[0].name).failures == FOUND
    assert [task.specimen for task in tasks(FEW, known, RULES)] == FEW[1:]


def test_they_are_written_the_same_way_each_time(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    known = recorded()
    faults.write(known, one)
    upside_down = replace(known, faults=known.faults[::-1], rules=dict(reversed(known.rules.items())))
    faults.write(upside_down, other)
    assert one.read_text() == other.read_text()
