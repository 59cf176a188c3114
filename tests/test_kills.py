"""Kills: which pairs are judged in how many orders, and what the snapshot keeps."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from lab import kills
from lab.__main__ import main
from lab.kills import Judged, Specimen, Task, broken_in, judge, merge, sound_in, tasks, write
from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language import Level
from stingy.reports import faults
from stingy.reports.faults import Fault, Record
from stingy_broken import queues

RULES = list(all_rules())
ABOUT = "fair/first-come-first-served"
EVERYBODY = broken_in("stingy_broken")
FEW = [it for it in EVERYBODY if it.module == queues.__name__][:3]
TWO = [it for it in EVERYBODY if it.about == FEW[0].about][:2]


def snapshot(everybody=FEW, **found):
    known = (Fault(it.name, it.says, it.family, found.get(it.name, {})) for it in everybody)
    return merge(everybody, (), Record(tuple(known)))


def test_races_are_run_in_every_order_by_the_rules_that_may_find_a_fault():
    other = "once_more/no-add-is-lost"
    known = snapshot(**{FEW[1].name: {ABOUT: {"": "00000000"}, other: {"": "00000000"}}})
    first, second, _ = tasks(FEW, known, [ABOUT, other])
    assert first.rules == second.rules == (ABOUT, other)
    assert first.whole == {FEW[0].about} & {ABOUT, other}
    assert second.whole == {ABOUT, other}


def test_races_are_run_in_every_order_where_a_candidate_or_a_rule_is_new():
    known = snapshot(FEW[1:], **{FEW[1].name: {ABOUT: {"": "00000000"}}})
    new_candidate, *others = tasks(FEW, known, [ABOUT, "once_more/no-add-is-lost"])
    assert new_candidate.whole == {ABOUT, "once_more/no-add-is-lost"}
    assert all("once_more/no-add-is-lost" in task.whole for task in others)


def test_races_of_a_sound_candidate_are_run_in_one_order():
    assert not any(task.whole for task in tasks(sound_in("stingy_sound"), snapshot(), RULES))


def test_what_is_found_now_replaces_what_was_found_by_the_same_rules():
    known = snapshot(**{FEW[0].name: {ABOUT: {"": "old"}, RULES[0]: {"": "old"}, "gone/rule": {"": "old"}}})
    now = merge(FEW, (), known, [Judged(Task(FEW[0], (ABOUT,)), {})])
    assert [fault.failures for fault in now.faults] == [{RULES[0]: {"": "old"}}, {}, {}]


def test_a_snapshot_says_of_which_day_and_python_it_is():
    made = merge(FEW, (), Record()).made
    assert made.day
    assert made.python


def test_a_candidate_that_cannot_be_made_is_complained_about():
    (complaint,) = judge(Task(Specimen(__name__, "Raises", "It raises.", ABOUT), (RULES[0],))).complaints
    assert "cannot be made: OSError" in complaint


@pytest.mark.parametrize(
    ("found", "is_complaint"),
    [
        ({"verdict": Finding.PASS, "evidence": Evidence.TIMED}, False),
        ({"verdict": Finding.INCONCLUSIVE}, False),
        ({"verdict": Finding.FAIL, "evidence": Evidence.TIMED}, True),
        ({"verdict": Finding.ERROR}, True),
    ],
    ids=str,
)
def test_an_oddity_may_be_judged_by_real_time_or_not_at_all_and_is_not_to_be_accused(
    monkeypatch, found, is_complaint
):
    """An oddity may wait where the engine cannot follow it, which is no fault."""
    verdict = Verdict(rule=ABOUT, case="", profile="queue", level=Level.MUST, **found)
    monkeypatch.setattr(kills.Judge, "verdicts", lambda *_: [verdict])
    odd = next(it for it in sound_in("stingy_sound.oddities", "oddities") if it.name == "RawThreads")
    assert bool(judge(Task(odd, (ABOUT,))).complaints) is is_complaint


def test_a_sound_candidate_that_is_accused_is_complained_about():
    guilty = next(it for it in EVERYBODY if it.about == RULES[0])
    assert judge(Task(guilty, (RULES[0],))).complaints == ()
    (complaint,) = judge(Task(replace(guilty, about=""), (RULES[0],))).complaints
    assert RULES[0] in complaint


class Raises:
    """A candidate whose constructor raises an OSError."""

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
    """Return a function that makes the command use given candidates and a given snapshot.

    The function returns the snapshot's file.
    """

    def of(everybody, known):
        file = tmp_path / "kills.json"
        for module in (faults, kills):
            monkeypatch.setattr(module, "RECORD", file)
        write(known, file)
        monkeypatch.setattr("lab.kills.broken_in", lambda _: everybody)
        monkeypatch.setattr("lab.kills.sound_in", lambda _: [])
        return file

    yield of
    faults.record.cache_clear()


def said(*words, status):
    result = CliRunner().invoke(main, ["kills", "-n", "1", *words])
    assert result.exit_code == status, result.output
    return result.output


def test_the_command_says_whom_a_rule_catches_and_what_differs_from_the_snapshot(record_of):
    file = record_of(TWO, snapshot(TWO))
    before = file.read_text()

    output = said("--rule", FEW[0].about, status=1)

    for it in TWO:
        assert f"  {it.family}:{it.name}" in output
        assert f"{it.family}:{it.name} is now caught by {it.about}" in output
    assert file.read_text() == before


def test_with_write_the_command_replaces_the_snapshot(record_of):
    record_of(TWO, snapshot(TWO))

    said("--rule", FEW[0].about, "--write", status=0)

    assert [set(fault.failures) for fault in faults.record().faults] == [{FEW[0].about}] * len(TWO)


def test_a_snapshot_is_written_the_same_way_each_time(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    known = snapshot()
    write(known, one)
    write(replace(known, faults=known.faults[::-1]), other)
    assert one.read_text() == other.read_text()
