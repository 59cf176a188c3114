"""Rules that ask for two candidates of one kind."""

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language import PriorityQueue, Queue, Tracker
from stingy.language.words import read
from stingy_broken.neighbours import HoldsForAll
from stingy_reference import Proxy, WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue

QUEUES = all_rules()["handing_out/two-queues-know-nothing-of-each-other"]


def test_two_of_a_kind_have_the_profile_of_one():
    assert read(tuple[Tracker, Tracker]).profile == read(Tracker).profile


@pytest.mark.parametrize("asked", [tuple[Queue, PriorityQueue], tuple[Queue, Queue, Queue]])
def test_a_rule_asks_for_no_more_than_two_of_one_kind(asked):
    with pytest.raises(TypeError, match="two of one kind"):
        read(asked)


@pytest.mark.parametrize("kind", [WorkQueue, AsyncWorkQueue])
def test_two_sound_queues_keep_apart(candidate_of, kind):
    assert Trial(candidate_of(kind), 1).judge(QUEUES, None).verdict is Finding.PASS


def test_both_candidates_are_in_the_story(candidate_of):
    verdict = Trial(candidate_of(HoldsForAll), 1).judge(QUEUES, None)
    assert verdict.verdict is Finding.FAIL
    assert [str(step) for step in verdict.story][:3] == [
        "other producer: Add('a')",
        "other worker 1: Get() → 'a'",
        "producer: Add('a')",
    ]


def test_the_second_proxy_has_lists_and_a_story_of_its_own(candidate_of):
    rule = all_rules()["latency/two-proxies-know-nothing-of-each-other"]
    assert Trial(candidate_of(Proxy), 1).judge(rule, None).verdict is Finding.PASS
