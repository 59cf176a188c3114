"""What holds for every rule, whoever is judged."""

from dataclasses import replace
from pathlib import Path

import pytest

from stingy import guarantees as specification
from stingy.faults import record
from stingy.guarantees import GUARANTEES, all_rules, guarantees
from stingy.language import Level, Queue, Row, rule
from stingy.sources import DOC

RULES = all_rules()
IDS = Path(__file__).parent / "rule_ids.txt"


def test_ids_are_only_ever_added():
    known = IDS.read_text().split()
    missing = [id_ for id_ in known if id_ not in RULES]
    assert not missing, "somebody's baseline or report names these rules: keep them, or keep an alias"
    assert list(RULES) == known, f"write the new ids into {IDS.name}, in reading order"


def test_every_guarantee_has_rules():
    assert list(GUARANTEES) == list(dict.fromkeys(rule.guarantee for rule in RULES.values()))


def test_every_guarantee_opens_with_a_title_and_prose():
    for guarantee in guarantees():
        title, _, prose = guarantee.__doc__.strip().partition("\n\n")
        assert title.endswith("."), guarantee.__name__
        assert len(prose) > 80, guarantee.__name__


@pytest.mark.parametrize("id_", RULES)
def test_a_rule_builds_only_on_rules_before_it(id_):
    order = list(RULES)
    for earlier in RULES[id_].after:
        assert order.index(earlier) < order.index(id_)


@pytest.mark.parametrize("id_", [id_ for id_, it in RULES.items() if it.level in (Level.MUST, Level.SHOULD)])
def test_every_rule_catches_somebody(id_):
    assert any(id_ in fault.failures for fault in record().faults)


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
    with pytest.raises(TypeError, match="asks for teapot"):

        @rule(cites=DOC["Fair"])
        def brews(queue: Queue, teapot: object) -> None:
            """It MUST brew."""


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
