"""``stingy run --cluster``: distribution and merging of a run. lab/tests/test_cluster.py has real workers."""

import sys
from importlib.metadata import version

import pytest
from msgspec.structs import replace

from stingy.cli.errands import Asked, Errand, Judged
from stingy.cli.errands.dealing import deal_out, deal_parts, is_settled, merge
from stingy.cli.errands.parcel import MOST, ParcelError, pack
from stingy.cli.errands.process import do
from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Finding, Verdict, spell
from stingy.language.order import Explored
from stingy.language.rule import Level
from stingy.request import Request
from stingy.transport.part import Part, in_part

RACE = "stingy/no-item-is-with-two-workers"
PROGRAMS = "interleavings/no-program-of-a-few-lanes-breaks-it"


def test_a_missing_dask_is_named_with_its_installation(stingy, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = stingy("run", "--cluster", "tcp://127.0.0.1:1", "--rule", "fair/*", "--seed", 1)
    assert done.returncode == 4
    assert "pip install 'stingy[cluster]'" in done.stderr


@pytest.mark.parametrize("words", [("-n", "2"), ("attach:localhost:4711",)])
def test_options_that_conflict_with_a_cluster_are_refused(stingy, words):
    done = stingy("run", *words, "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 4
    assert done.stderr.startswith(("Error: ", "Usage: "))


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"suite": "1999.1.0"}, "but 1999.1.0 here"),
        ({"name": "Mine"}, "WorkQueue is installed there, but Mine here"),
    ],
)
def test_an_errand_for_another_version_or_candidate_is_refused(other, says):
    given = {"suite": version("stingy"), "name": "WorkQueue", "version": ""}
    done = do(Errand(request=Request("stingy_reference:WorkQueue", seed=1), files={}, **given | other))
    assert says in done.refused
    assert done.refused.endswith("install the same version")
    assert not done.judged


def test_every_case_is_dealt_once_and_a_guarantee_to_one_worker():
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


def test_a_long_search_goes_on_with_unsettled_rules():
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


def test_one_failing_part_fails_the_rule():
    rule = all_rules()[RACE]
    fails = part(RACE, 1, 2, runs=7, verdict=Finding.FAIL, order="/a")
    parts = [part(RACE, 0, 2), fails]
    assert merge(sampled(RACE), rule, parts) == fails.verdict
    assert is_settled(rule, parts)
    assert not is_settled(rule, parts[:1])


def test_runs_of_all_parts_are_added_up():
    parts = [part(RACE, 0, 2, runs=100), part(RACE, 1, 2, runs=23)]
    assert merge(sampled(RACE), all_rules()[RACE], parts) == sampled(RACE, 183)


def test_small_programs_need_all_parts_and_a_race_one():
    def all_of(rule, number):
        found = part(rule, number, 2)
        return replace(found, verdict=replace(found.verdict, evidence=Evidence.EXHAUSTIVE))

    race, programs = all_rules()[RACE], all_rules()[PROGRAMS]
    assert is_settled(race, [all_of(RACE, 1)])
    assert not is_settled(programs, [all_of(PROGRAMS, 1), part(PROGRAMS, 0, 2)])
    both = [all_of(PROGRAMS, 1), all_of(PROGRAMS, 0)]
    assert is_settled(programs, both)
    assert merge(sampled(PROGRAMS), programs, both).evidence is Evidence.EXHAUSTIVE


class Recorded:
    """A fake candidate that records the seed and the attempt of each search for orders."""

    grace = 1

    def __init__(self):
        self.run = []

    def explorer(self, profile, seed, order=""):
        def explore(attempt, runs, *, small=False):
            self.run.append((seed, attempt))
            return Explored(1)

        return explore


def test_parts_share_small_programs_and_have_orders_of_their_own():
    candidate = Recorded()
    for number in range(3):
        explore = in_part(candidate, Part(number, 3)).explorer(None, 10)
        for program in range(10):
            explore(program, 12, small=True)
    assert sorted(candidate.run) == [(10, program) for program in range(10)]
    candidate.run.clear()
    for number in range(3):
        in_part(candidate, Part(number, 3)).explorer(None, 10)("race", 60)
    assert candidate.run == [(11, "race"), (12, "race"), (13, "race")]


def test_a_part_sets_attributes_of_its_candidate():
    candidate = Recorded()
    in_part(candidate, Part(0, 2)).grace = 2
    assert candidate.grace == in_part(candidate, Part(1, 2)).grace == 2


def test_a_parcel_holds_the_modules_that_the_target_imports(tmp_path):
    (tmp_path / "mine/__pycache__").mkdir(parents=True)
    imports = "import json\nfrom . import data\nfrom beside.far import it"
    for name, text in {
        "mine/__init__.py": "",
        "mine/queue.py": imports,
        "mine/table.txt": "1",
        "mine/__pycache__/queue.pyc": "",
        "beside/__init__.py": "def late():\n    import further",
        "further.py": "import mine",
        "another.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    sent = pack("mine.queue:WorkQueue", tmp_path)
    package = ["mine/__init__.py", "mine/queue.py", "mine/table.txt"]
    assert list(sent) == ["beside/__init__.py", "further.py", *package]
    assert sent["mine/table.txt"] == b"1"
    assert pack("stingy_reference", tmp_path) == {}


def test_a_parcel_that_is_too_large_is_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data").write_bytes(bytes(MOST + 1))
    with pytest.raises(ParcelError, match="too large to send to the workers"):
        pack("mine", tmp_path)
