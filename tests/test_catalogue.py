"""Every known behaviour is accounted for."""

import re
from pathlib import Path

import pytest

from stingy.catalogue import PARTS
from stingy.guarantees import all_rules
from stingy.recorded import outcomes

BEHAVIOURS = [behaviour for part in PARTS for behaviour in part.behaviours]
ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_a_behaviour_has_rules_or_a_reason_why_not(behaviour):
    assert bool(behaviour.rules) != bool(behaviour.why_not)
    assert set(behaviour.rules) <= all_rules().keys()


def test_no_behaviour_is_listed_twice():
    names = [behaviour.name for behaviour in BEHAVIOURS]
    assert len(set(names)) == len(names)


def test_every_rule_is_about_a_known_behaviour():
    covered = {rule for behaviour in BEHAVIOURS for rule in behaviour.rules}
    assert all_rules().keys() - covered == set()


def test_the_wheel_carries_every_recorded_result():
    shipped = set(re.findall(r'^"(candidates/.*?)" = "', (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
    assert shipped == {str(path.relative_to(ROOT)) for path in ROOT.glob("candidates/*/result*.json")}


def test_it_is_known_what_client_go_does_where_upstream_is_not_of_one_mind():
    seen = outcomes("drain/whether-it-waits-for-what-is-queued")
    assert {who.split()[0]: did for who, did in seen.items()}[
        "client-go"
    ] == "it returns with items still queued"
