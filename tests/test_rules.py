"""What holds for every rule, whoever is judged."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from lab.recorded import seen
from pages import vocabulary
from stingy import guarantees as specification
from stingy.baseline import Known
from stingy.contract import PROFILES
from stingy.faults import Fault, record
from stingy.guarantees import GUARANTEES, all_rules, guarantees, like
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
from stingy.renamed import RENAMED, current, first
from stingy.sources import DOC
from stingy.verdict import Verdict
from stingy_broken import broken_candidates

RULES = all_rules()
IDS = Path(__file__).parent / "rule_ids.txt"


def test_ids_are_only_ever_added():
    known = IDS.read_text().split()
    missing = [id_ for id_ in known if current(id_) not in RULES]
    assert not missing, (
        "somebody's baseline or report names these rules: enter in RENAMED what they are called now"
    )
    assert list(RULES) == known, f"write the new ids into {IDS.name}, in reading order"


def test_what_was_renamed_is_there_and_its_old_id_is_not():
    assert [new for new in RENAMED.values() if new not in RULES] == []
    assert [old for old in RENAMED if old in RULES] == []
    assert len(set(RENAMED.values())) == len(RENAMED)


OLD, NEW = next(iter(RENAMED.items()))


def test_a_pattern_finds_what_was_once_called_like_it():
    assert [rule.id for rule in like([OLD])] == [NEW]
    assert NEW in {rule.id for rule in like([OLD[:-1] + "?"])}


def test_a_rule_can_name_what_it_builds_on_by_its_old_id(monkeypatch):
    later = replace(RULES["fair/first-come-first-served"], after=(OLD,))
    monkeypatch.setattr(specification, "guarantees", lambda: [None])
    monkeypatch.setattr(specification, "rules_of", lambda _: [replace(RULES[NEW], after=()), later])
    assert all_rules.__wrapped__()[later.id].after == (NEW,)


def test_a_verdict_from_a_file_is_on_the_rule_as_it_is_called_now():
    row = {"rule": OLD, "case": "", "profile": "queue", "level": "MUST", "verdict": "FAIL", "behind": OLD}
    verdict = msgspec.convert(row, Verdict)
    assert (verdict.rule, verdict.behind) == (NEW, NEW)


def test_a_baseline_knows_a_rule_by_its_old_id():
    assert Known(OLD).id == NEW


def test_what_is_recorded_of_a_rule_is_found_though_it_was_called_otherwise():
    """As ``stingy explain`` shows it, and whom a candidate looks like."""
    assert seen([(OLD, "", "seen: this")]) == {NEW: "this"}
    assert Fault("It", "", "queues", {OLD: {"": "0"}}).failures == {NEW: {"": "0"}}


def test_an_old_report_is_replayed_with_the_names_of_then():
    """What a story calls items, and which programs are drawn, hangs on the id: on the first one."""
    assert [first(new) for new in RENAMED.values()] == [*RENAMED]


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


def test_every_must_and_should_catches_a_broken_candidate():
    """Today or in the last snapshot; those that name the rule are judged live in ``test_broken``."""
    caught = {broken.about for broken in broken_candidates()}
    caught |= {id_ for fault in record().faults for id_ in fault.failures}
    settled = [id_ for id_, it in RULES.items() if it.level in (Level.MUST, Level.SHOULD)]
    assert [id_ for id_ in settled if id_ not in caught] == []


def test_a_sentence_holds_exactly_one_of_must_should_may():
    with pytest.raises(TypeError, match="exactly one of MUST, SHOULD, MAY"):

        @rule(cites=DOC["Fair"])
        def two_in_one(queue: Queue) -> None:
            """It MUST do this and SHOULD do that."""


def test_may_goes_with_contested_or_probe():
    with pytest.raises(TypeError, match="MAY goes with"):

        @rule(cites=DOC["Fair"])
        def anything(queue: Queue) -> None:
            """It MAY do this."""


def test_a_rule_asks_for_what_there_is():
    with pytest.raises(TypeError, match="asks for queue and teapot"):

        @rule(cites=DOC["Fair"])
        def brews(queue: Queue, teapot: object) -> None:
            """It MUST brew."""


@pytest.mark.parametrize(
    ("annotation", "meant"),
    [("Queeu", "Queue"), ("Trackr", "Tracker"), (Controller, "Controllers")],
)
def test_what_is_no_word_is_refused_and_the_nearest_named(annotation, meant):
    def asks(thing):
        """It MUST be there."""

    asks.__annotations__ = {"thing": annotation}
    with pytest.raises(
        TypeError, match=rf"asks for thing: .* is no word of the language; did you mean {meant}\?"
    ):
        rule(cites=DOC["Fair"])(asks)


def test_what_nobody_can_offer_is_refused():
    with pytest.raises(TypeError, match="nobody can offer drain, tracker; did you mean"):

        @rule(cites=DOC["Fair"])
        def drains(tracker: Annotated[Tracker, With("drain")]) -> None:
            """It MUST drain."""


def test_limiters_are_of_a_kind():
    with pytest.raises(TypeError, match="nobody can offer a limiter of no kind"):

        @rule(cites=DOC["Fair"])
        def limits(limiters: Limiters) -> None:
            """It MUST limit."""


def test_words_are_put_together():
    asked = read(Annotated[Measured, With("drain")])
    assert asked.profile == PROFILES["metrics, drain"]
    assert not asked.races
    assert read(Annotated[Race, With("delay")]).races
    assert read(Annotated[ControlPlane, AtOnce]).races


def test_every_word_is_explained_on_the_page_about_rules():
    rows = [row.split("|")[1:3] for row in vocabulary.table()][1:]
    assert [name.strip(" `") for name, _ in rows] == [*WORDS]
    assert all(says.strip().endswith(".") for _, says in rows)


def test_two_rows_have_two_names():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Case(Row):
        name_: str

    with pytest.raises(TypeError, match="same name"):

        @rule(cites=DOC["Fair"], each=[Case("a"), Case("a")])
        def twice(queue: Queue, row: Case) -> None:
            """It MUST be told apart."""


def test_a_rule_that_builds_on_what_does_not_stand_before_it_is_refused(monkeypatch):
    rule = replace(RULES["fair/first-come-first-served"], after=("handing_out/an-aded-item-is-handed-out",))
    monkeypatch.setattr(
        specification, "rules_of", lambda _: [RULES["handing_out/an-added-item-is-handed-out"], rule]
    )
    with pytest.raises(TypeError, match="did you mean handing_out/an-added-item-is-handed-out"):
        all_rules.__wrapped__()
