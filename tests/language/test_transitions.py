"""Transitions of the model that a story exercises."""

import pytest

from histories import calls
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.language.story import Step
from stingy.language.transitions import Transition, transitions


def exercised(text):
    """Return the transitions in a story of calls, written as ``histories.calls`` reads them."""
    return [*transitions([Step(call.lane, call.op, "", call) for call in calls(text)])]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "p add a 1 2; w get 3 4 a; p add a 5 6; p add a 7 8; w done a 9 10",
            "ADD ADD_PROCESSING ADD_OWED GET DONE_OWED",
        ),
        (
            "p add a 1 2; p shut_down 3 4; p add b 5 6; w get 7 8 a; w done a 9 10; v get 11 12 shutdown; q shut_down 13 14",
            "ADD ADD_SHUT GET_LEFT GET_SHUTDOWN DONE SHUT_DOWN_LEFT SHUT_DOWN_AGAIN",
        ),
        ("w get 1 2 a", ""),
        ("w when 1 2", ""),
    ],
    ids=["before a shutdown", "after one", "not explained by the model", "no work queue"],
)
def test_transitions_of_a_story_are_told_apart(text, found):
    assert exercised(text) == [Transition[name] for name in found.split()]


GO_THROUGH_ALL = (
    "stingy/add-depends-on-where-the-item-is",
    "stingy/the-sequence-that-made-the-name",
    "drain/what-is-shut-down-can-be-shut-down-again",
    "drain/shutting-down-is-said-while-it-waits",
    "shutdown/a-second-shutdown-drops-nothing",
    "shutdown/what-was-owed-is-still-handed-out",
    "succession/a-shutdown-counts-at-once",
)
"""Fast rules that together exercise all transitions."""


def test_rules_about_queues_and_drains_exercise_all_transitions(candidate_of):
    trial = Trial(candidate_of("stingy_reference"), 1)
    rules = [all_rules()[id_] for id_ in GO_THROUGH_ALL]
    verdicts = [trial.judge(rule, row) for rule in rules for row in rule.cases]
    assert set(Transition) - {seen for verdict in verdicts for seen in verdict.exercised} == set()
