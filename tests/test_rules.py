"""Ids, names, levels and words of rules: properties of all rules, and refused rules."""

import inspect
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import pytest

from pages import vocabulary
from stingy import guarantees as specification
from stingy import request
from stingy.contract import PROFILES
from stingy.contract.sources import DOC
from stingy.guarantees import GUARANTEES, all_rules, chosen, guarantees, rules_by_id
from stingy.language import (
    AtOnce,
    Controller,
    ControlPlane,
    Level,
    Limiters,
    Measured,
    Queue,
    Race,
    Row,
    Tracker,
    With,
    rule,
)
from stingy.language.words import WORDS, read
from stingy.process import intact
from stingy.reports.faults import record
from stingy.request import EDITIONS
from stingy_broken import broken_candidates

RULES = all_rules()
IDS = Path(__file__).parent / "rule_ids.txt"


def test_no_id_disappears():
    known = IDS.read_text().split()
    missing = [id_ for id_ in known if id_ not in RULES]
    assert not missing, "baselines and reports may name these rules: keep their ids"
    assert list(RULES) == known, f"write the new ids into {IDS.name}, in reading order"


def test_every_guarantee_has_rules():
    assert list(GUARANTEES) == list(dict.fromkeys(rule.guarantee for rule in RULES.values()))


def test_every_guarantee_opens_with_a_title_and_prose():
    for guarantee in guarantees():
        title, _, prose = guarantee.__doc__.strip().partition("\n\n")
        assert title.endswith("."), guarantee.__name__
        assert len(prose) > 80, guarantee.__name__


def test_a_rule_builds_only_on_rules_before_it():
    before, wrong = set(), []
    for id_, it in RULES.items():
        wrong += [f"{id_} builds on {earlier}" for earlier in it.after if earlier not in before]
        before.add(id_)
    assert wrong == []


def test_a_rule_with_a_precondition_builds_on_what_demands_it():
    using = [it for it in RULES.values() if "with given():" in inspect.getsource(it.check)]
    assert using
    assert [it.id for it in using if not it.after] == []


def test_a_sentence_refers_to_nothing_that_a_report_leaves_out():
    """A report shows the sentence without the rule's table and code."""
    assert [it.id for it in RULES.values() if re.search(r"\b(this table|as here)\b", it.sentence)] == []


def test_every_must_and_should_catches_a_broken_candidate():
    """The candidate is made to break the rule, or was caught by it in the last snapshot."""
    caught = {broken.about for broken in broken_candidates()}
    caught |= {id_ for fault in record().faults for id_ in fault.failures}
    settled = [id_ for id_, it in RULES.items() if it.level in (Level.MUST, Level.SHOULD)]
    assert [id_ for id_ in settled if id_ not in caught] == []


def two_in_one(queue: Queue):
    """It MUST do this and SHOULD do that."""


def anything(queue: Queue):
    """It MAY do this."""


def brews(queue: Queue, teapot: object):
    """It MUST brew."""


def asks_wrongly(thing: "Queeu"):  # noqa: F821
    """It MUST be there."""


def asks_a_protocol(thing: Controller):
    """It MUST be there."""


def drains(tracker: Annotated[Tracker, With("drain")]):
    """It MUST drain."""


def limits(limiters: Limiters):
    """It MUST limit."""


NO_WORD = r"asks for thing: .* is no word of the language; did you mean"


@pytest.mark.parametrize(
    ("check", "says"),
    [
        (two_in_one, "exactly one of MUST, SHOULD, MAY"),
        (anything, "MAY goes with"),
        (brews, "asks for queue and teapot"),
        (asks_wrongly, rf"{NO_WORD} Queue\?"),
        (asks_a_protocol, rf"{NO_WORD} Controllers\?"),
        (drains, "nobody can offer drain, tracker; did you mean"),
        (limits, "nobody can offer a limiter of no kind"),
    ],
)
def test_a_malformed_rule_is_refused(check, says):
    with pytest.raises(TypeError, match=says):
        rule(cites=DOC["Fair"])(check)


def test_rules_are_refused_where_python_leaves_out_asserts(monkeypatch):
    def anything_goes(queue: Queue):
        """It MUST be there."""

    monkeypatch.setattr(intact, "HAS_ASSERTS", False)
    with pytest.raises(intact.NotIntactError, match="run stingy without them"):
        rule(cites=DOC["Fair"])(anything_goes)


def test_the_suite_is_refused_where_its_files_are_in_an_archive(tmp_path):
    intact.refuse_archive(intact.__file__)
    with pytest.raises(intact.NotIntactError, match="unpack it"):
        intact.refuse_archive(str(tmp_path / "stingy.zip" / "stingy" / "contract" / "sources.py"))


@dataclass(frozen=True)
class Case(Row):
    name_: str


def test_two_rows_of_one_name_are_refused():
    def twice(queue: Queue, row: Case) -> None:
        """It MUST be told apart."""

    with pytest.raises(TypeError, match="same name"):
        rule(cites=DOC["Fair"], each=[Case("a"), Case("a")])(twice)


def test_words_of_a_rule_add_up():
    asked = read(Annotated[Measured, With("drain")])
    assert asked.profile == PROFILES["metrics, drain"]
    assert not asked.races
    assert read(Annotated[Race, With("delay")]).races
    assert read(Annotated[ControlPlane, AtOnce]).races


def test_every_word_is_explained_on_the_page_about_rules():
    rows = [row.split("|")[1:3] for row in vocabulary.table()][1:]
    assert [name.strip(" `") for name, _ in rows] == [*WORDS]
    assert all(says.strip().endswith(".") for _, says in rows)


def test_a_rule_must_build_on_rules_before_it(monkeypatch):
    rule = replace(RULES["fair/first-come-first-served"], after=("handing_out/an-aded-item-is-handed-out",))
    monkeypatch.setattr(specification, "rules_of", lambda _: [rule])
    with pytest.raises(TypeError, match="did you mean handing_out/an-added-item-is-handed-out"):
        rules_by_id.__wrapped__("fair")


RULES_OF_EDITIONS = {"2026.11": 692}
"""Number of rules that each edition added. That of a released edition never changes."""


def test_a_new_rule_names_its_edition():
    added = Counter(it.since for it in RULES.values())
    assert added == RULES_OF_EDITIONS, (
        "if CHANGELOG.md has a release of this edition, a new rule is of the next one: write "
        "since= in its decorator, and the edition into EDITIONS of stingy.request"
    )


def test_every_edition_added_or_sharpened_a_rule():
    assert (
        tuple(sorted({it.since for it in RULES.values()} | {it.sharpened for it in RULES.values()} - {""}))
        == EDITIONS
    )


def claims(queue: Queue):
    """It MUST be so."""


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"since": "2025.01"}, "EDITIONS of stingy.request has no edition 2025.01"),
        ({"sharpened": "2030.01"}, "EDITIONS of stingy.request has no edition 2030.01"),
        ({"sharpened": "2026.11"}, "sharpened only after"),
    ],
)
def test_a_rule_with_an_impossible_edition_is_refused(given, says):
    with pytest.raises(TypeError, match=says):
        rule(cites=DOC["Fair"], **given)(claims)


@pytest.fixture
def later(monkeypatch):
    """Return a function that makes rules newer, or sharpens them, in editions after the first one."""
    monkeypatch.setattr(request, "EDITIONS", ("2026.11", "2027.01", "2027.03"))

    def later(**changes):
        changed = dict(RULES)
        for id_, values in changes.items():
            changed[id_] = replace(RULES[id_], **values)
        monkeypatch.setattr(
            specification,
            "rules_by_id",
            lambda name: {id_: it for id_, it in changed.items() if it.guarantee == name},
        )
        return changed

    return later


NEWER = "fair/what-comes-back-does-not-jump-the-queue"


def test_an_edition_has_no_rule_that_was_added_after_it(later):
    later(**{NEWER: {"since": "2027.01"}})
    assert NEWER not in chosen((), ("fair/*",), "2026.11")
    assert NEWER in chosen((), ("fair/*",), "2027.01")
    assert NEWER in chosen((), ("fair/*",), "2027.03")
    assert NEWER in chosen((), ("fair/*",))


def test_a_selection_that_an_edition_does_not_have_is_an_error(later):
    later(**{NEWER: {"since": "2027.01"}})
    with pytest.raises(
        LookupError, match=r"edition 2026\.11 has none of these rules; the oldest is since 2027\.01"
    ):
        chosen((), (NEWER,), "2026.11")


def test_a_rule_must_not_build_on_a_newer_one(monkeypatch):
    newer = replace(RULES["handing_out/an-added-item-is-handed-out"], since="2027.01")
    monkeypatch.setattr(
        specification, "rules_of", lambda _: [newer, RULES["handing_out/get-takes-the-item-out"]]
    )
    with pytest.raises(TypeError, match="builds on a rule that is newer, handing_out/an-added-item"):
        rules_by_id.__wrapped__("handing_out")


def test_a_report_by_an_edition_names_it_and_what_was_sharpened_later(later, stingy, tmp_path):
    later(
        **{
            NEWER: {"since": "2027.01"},
            "fair/first-come-first-served": {"sharpened": "2027.03"},
        }
    )
    words = ("run", "stingy_reference:WorkQueue", "--rule", "fair/*", "--report", "json=out.json", "--report")
    done = stingy(*words, "terminal", "--edition", "2026.11")
    assert done.returncode == 0, done.stderr
    assert "(edition 2026.11; 1 of its rules as sharpened later)" in " ".join(done.stdout.split())
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["suite"]["edition"] == "2026.11"
    assert NEWER not in {row["rule"] for row in report["results"]}
    done = stingy(*words, "terminal", "--edition", "2027.03")
    assert "(edition 2027.03)" in " ".join(done.stdout.split())
    assert "edition" not in stingy(*words, "terminal").stdout


def test_a_candidate_conforms_by_all_rules_of_an_edition(later, stingy):
    """It is not judged by rules that were added later."""
    later(**{"triggers/only-the-ready-condition-counts": {"since": "2027.01"}})
    words = ("run", "stingy_reference:AnnotationCodec", "--profile", "trigger", "--edition", "2026.11")
    said = " ".join(stingy(*words).stdout.split())
    assert "conforms as promised and as upstream does (edition 2026.11)" in said


def test_an_unknown_edition_is_an_error_that_names_the_known_ones(stingy):
    done = stingy("run", "--reference", "--edition", "2020.01")
    assert done.returncode == 4
    assert "there is no edition '2020.01': this version of stingy has 2026.11" in done.stderr


def test_rules_and_explain_show_the_edition(stingy):
    assert "fair/first-come-first-served  2026.11  Items MUST" in stingy("rules", "fair/f*").stdout
    (listed,) = json.loads(stingy("rules", "fair/f*", "--json").stdout)
    assert (listed["since"], listed["sharpened"]) == ("2026.11", "")
    assert "profile queue, since 2026.11\n" in stingy("explain", "fair/first-come-first-served").stdout
