"""``stingy run --cluster``: how a run is dealt out and put together; that workers judge it is tried in the lab."""

import sys
from importlib.metadata import version

import pytest
from msgspec.structs import replace

from stingy.errands import Asked, Errand, Judged
from stingy.errands.dealing import deal_out, deal_parts, is_settled, merge
from stingy.errands.parcel import MOST, ParcelError, pack
from stingy.errands.process import do
from stingy.guarantees import all_rules
from stingy.language.order import Explored
from stingy.language.rule import Level
from stingy.request import Request
from stingy.transport.part import Part, in_part
from stingy.verdict import Evidence, Finding, Verdict, spell

RACE = "stingy/no-item-is-with-two-workers"
PROGRAMS = "interleavings/no-program-of-a-few-lanes-breaks-it"


def test_without_dask_it_says_what_to_install(stingy, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = stingy("run", "--cluster", "tcp://127.0.0.1:1", "--rule", "fair/*", "--seed", 1)
    assert done.returncode == 4
    assert "pip install 'stingy[cluster]'" in done.stderr


@pytest.mark.parametrize("words", [("-n", "2"), ("attach:localhost:4711",)])
def test_what_makes_no_sense_with_a_cluster_is_refused(stingy, words):
    done = stingy("run", *words, "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 4
    assert done.stderr.startswith(("Error: ", "Usage: "))


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"suite": "1999.1.0"}, "but 1999.1.0 here"),
        ({"name": "Another"}, "WorkQueue is installed there, but Another here"),
    ],
)
def test_an_errand_for_another_version_or_candidate_is_refused(other, says):
    given = {"suite": version("stingy"), "name": "WorkQueue", "version": ""}
    done = do(Errand(request=Request("stingy_reference:WorkQueue", seed=1), files={}, **given | other))
    assert says in done.refused
    assert done.refused.endswith("install the same version")
    assert not done.judged


def test_every_case_is_dealt_out_once_and_a_guarantee_to_one_hand():
    hands = deal_out(all_rules(), 2)
    dealt = [spell(asked.rule, asked.case) for hand in hands for asked in hand]
    assert len(hands) == 8
    assert sorted(dealt) == sorted(
        spell(rule.id, row.name if row else "") for rule in all_rules().values() for row in rule.cases
    )
    told = [{asked.rule.partition("/")[0] for asked in hand} for hand in hands]
    assert sum(map(len, told)) == len(set().union(*told))


def sampled(rule, runs=60, **more):
    given = {"case": "", "profile": "queue", "level": Level.MUST, "verdict": Finding.PASS}
    return Verdict(rule, **{"evidence": Evidence.SAMPLED, "runs": runs} | given | more)


def test_a_long_search_goes_on_with_what_is_kept_and_not_run_in_every_order():
    rules = {RACE: all_rules()[RACE], PROGRAMS: all_rules()[PROGRAMS]}
    found = {RACE: sampled(RACE), PROGRAMS: sampled(PROGRAMS)}
    hands = deal_parts(rules, found, 120, 11)
    parts = [asked for hand in hands for asked in hand]
    assert {(it.rule, it.part.of) for it in parts} == {(RACE, 4), (PROGRAMS, 40)}
    assert sorted(it.part.number for it in parts if it.rule == PROGRAMS) == list(range(40))
    assert sum(it.share * all_rules()[it.rule].shares for it in parts) == pytest.approx(120 * 11)
    for settled in (
        sampled(RACE, verdict=Finding.FAIL),
        sampled(RACE, behind=PROGRAMS),
        replace(sampled(RACE), evidence=Evidence.EXHAUSTIVE),
    ):
        assert deal_parts({RACE: rules[RACE]}, {RACE: settled}, 120, 11) == []


def part(rule, number, of, **more):
    return Judged(Asked(rule, part=Part(number, of), share=1.0), sampled(rule, **more), 1.0)


def test_one_order_that_fails_is_what_is_told_of_all_parts():
    rule = all_rules()[RACE]
    fails = part(RACE, 1, 2, runs=7, verdict=Finding.FAIL, order="/a")
    parts = [part(RACE, 0, 2), fails]
    assert merge(sampled(RACE), rule, parts) == fails.verdict
    assert is_settled(rule, parts)
    assert not is_settled(rule, parts[:1])


def test_runs_of_all_parts_are_added_up():
    parts = [part(RACE, 0, 2, runs=100), part(RACE, 1, 2, runs=23)]
    assert merge(sampled(RACE), all_rules()[RACE], parts) == sampled(RACE, 183)


def test_small_programs_are_searched_when_each_part_is_and_a_race_when_one_is():
    def all_of(rule, number):
        found = part(rule, number, 2)
        return replace(found, verdict=replace(found.verdict, evidence=Evidence.EXHAUSTIVE))

    race, programs = all_rules()[RACE], all_rules()[PROGRAMS]
    assert is_settled(race, [all_of(RACE, 1)])
    assert not is_settled(programs, [all_of(PROGRAMS, 1), part(PROGRAMS, 0, 2)])
    both = [all_of(PROGRAMS, 1), all_of(PROGRAMS, 0)]
    assert is_settled(programs, both)
    assert merge(sampled(PROGRAMS), programs, both).evidence is Evidence.EXHAUSTIVE


def test_parts_of_a_race_run_all_small_programs_once_and_other_orders_each():
    run = []

    class Says:
        grace = 1

        def explorer(self, profile, seed, order=""):
            def explore(attempt, runs, *, small=False):
                run.append((seed, attempt))
                return Explored(1)

            return explore

    says = Says()
    for number in range(3):
        explore = in_part(says, Part(number, 3)).explorer(None, 10)
        for program in range(10):
            explore(program, 12, small=True)
    assert sorted(run) == [(10, program) for program in range(10)]
    run.clear()
    for number in range(3):
        in_part(says, Part(number, 3)).explorer(None, 10)("race", 60)
    assert run == [(11, "race"), (12, "race"), (13, "race")]


def test_a_part_of_a_candidate_is_that_candidate_otherwise():
    class Says:
        grace = 1

    says = Says()
    in_part(says, Part(0, 2)).grace = 2
    assert says.grace == in_part(says, Part(1, 2)).grace == 2


def test_what_stands_here_is_sent_along_with_what_it_imports_and_nothing_else(tmp_path):
    package = tmp_path / "mine"
    (package / "__pycache__").mkdir(parents=True)
    for name, text in {
        "mine/__init__.py": "",
        "mine/queue.py": "import json\nfrom . import data\nfrom beside.far import it",
        "mine/table.txt": "1",
        "mine/__pycache__/queue.pyc": "",
        "beside/__init__.py": "def late():\n    import further",
        "further.py": "import mine",
        "another.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    sent = pack("mine.queue:WorkQueue", tmp_path)
    assert list(sent) == [
        "beside/__init__.py",
        "further.py",
        "mine/__init__.py",
        "mine/queue.py",
        "mine/table.txt",
    ]
    assert sent["mine/table.txt"] == b"1"
    assert pack("stingy_reference", tmp_path) == {}


def test_what_is_too_large_to_be_sent_is_told(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data").write_bytes(bytes(MOST + 1))
    with pytest.raises(ParcelError, match="too large to send to the workers"):
        pack("mine", tmp_path)
