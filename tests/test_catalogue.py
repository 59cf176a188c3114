"""Every known behaviour is accounted for."""

from dataclasses import replace

import pytest

from stingy import catalogue
from stingy.catalogue import find_uncovered, parts
from stingy.guarantees import all_rules
from stingy.recorded import outcomes


def test_a_behaviour_has_rules_or_a_reason_why_not():
    assert not find_uncovered()
    assert not [it.name for part in parts() for it in part.behaviours if it.rules and it.why_not]


def test_no_behaviour_is_listed_twice():
    names = [behaviour.name for part in parts() for behaviour in part.behaviours]
    assert len(set(names)) == len(names)


def test_every_rule_is_about_a_known_behaviour():
    assert [rule.id for rule in all_rules().values() if not rule.covers] == []


def test_a_rule_that_covers_what_nobody_knows_is_named(monkeypatch):
    rule = replace(next(iter(all_rules().values())), covers=("core-ad-get",))
    monkeypatch.setattr(catalogue, "all_rules", lambda: {rule.id: rule})
    with pytest.raises(TypeError, match=f"{rule.id} covers core-ad-get, which is not in"):
        parts.__wrapped__()


def test_what_nobody_covers_is_told(monkeypatch):
    monkeypatch.setattr(catalogue, "all_rules", dict)
    monkeypatch.setattr(catalogue, "parts", parts.__wrapped__)
    assert "core-fifo" in [it.name for it in find_uncovered()]


def test_it_is_known_what_client_go_does_where_upstream_is_not_of_one_mind():
    seen = outcomes("drain/whether-it-waits-for-what-is-queued")
    assert {who.split()[0]: did for who, did in seen.items()}[
        "client-go"
    ] == "it returns with items still queued"
