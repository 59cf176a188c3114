"""Each broken candidate is caught by the rule that it breaks, judged live in this process."""

from pathlib import Path

import pytest

import stingy_broken
from lab.kills import broken_in, is_caught, sound_in
from stingy.reports.faults import Record, record
from stingy_broken.edits import define

BROKEN = broken_in("stingy_broken")
FAMILIES = sorted({it.family for it in BROKEN})

# A pool of the standard library is collected while its threads are unwound, and only pytest reports that.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*ThreadPoolExecutor:pytest.PytestUnraisableExceptionWarning"
)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_broken_candidate_is_caught_by_the_rule_that_it_breaks(family):
    known = record()
    passed = [it for it in BROKEN if it.family == family and not is_caught(it, known)]
    assert not [f"{it.target} breaks {it.about}, which it passes" for it in passed]


def test_a_candidate_is_caught_whatever_the_last_snapshot_says_of_it():
    """The snapshot only decides which rows are tried first, not the verdict."""
    race = next(it for it in BROKEN if it.name == "LooksBeforeItLocks")
    assert is_caught(race, Record())


def test_no_module_of_broken_candidates_is_left_out():
    """Only modules that define no broken candidate themselves may be missing from FAMILIES."""
    folder = Path(stingy_broken.__file__).parent
    classes = {file.stem for file in folder.glob("*.py") if "@breaks(" in file.read_text()}
    written = classes | {file.stem for file in folder.glob("*.toml")}
    assert written == set(FAMILIES)


def test_an_edit_that_finds_its_text_not_once_says_so(tmp_path):
    row = '[Lost]\nsays = ""\nbreaks = ""\nof = "Class.of"\nfind = "no such text"\nreplace = ""\n'
    (tmp_path / "lost.toml").write_text(row)
    module = {"__file__": str(tmp_path / "lost.py"), "Class": Record, "__name__": "lost"}
    with pytest.raises(
        ValueError,
        match=r"<lost.toml: Lost>, Class.of of .*: find has 'no such text', which is there 0 times",
    ):
        define(module)


def test_the_last_snapshot_accuses_no_sound_candidate():
    """No sound candidate breaks a MUST in the snapshot, which may be older than the code."""
    from stingy.guarantees import all_rules
    from stingy.language import Level

    sound = {it.name for it in sound_in("stingy_sound")}
    musts = {rule.id for rule in all_rules().values() if rule.level is Level.MUST}
    accused = {it.name: musts.intersection(it.failures) for it in record().sound if it.name in sound}
    assert not {name: rules for name, rules in accused.items() if rules}
