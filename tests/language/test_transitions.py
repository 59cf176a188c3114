"""Which of the model's ways of answering a story went through."""

from msgspec.structs import replace

from stingy.guarantees import all_rules
from stingy.language.call import Call
from stingy.language.story import Step
from stingy.language.transitions import Transition, transitions
from stingy.transport import locate
from stingy.trial import Trial


def steps(*said):
    """``lane op item`` one after the other; a Get answers with its item, unless that is ``shutdown``."""
    told = []
    for n, (lane, op, item) in enumerate(said):
        call = Call(lane, op, None if op == "get" else item or None, 2 * n, 2 * n + 1)
        if op == "get":
            call = replace(call, result=None if item == "shutdown" else item, shutdown=item == "shutdown")
        told.append(Step(lane, op, "", call))
    return told


def test_what_is_added_while_it_is_processed_is_told_from_what_is_new():
    story = steps(
        ("p", "add", "a"), ("w", "get", "a"), ("p", "add", "a"), ("p", "add", "a"), ("w", "done", "a")
    )
    assert transitions(story) == [
        Transition.ADD,
        Transition.ADD_PROCESSING,
        Transition.ADD_OWED,
        Transition.GET,
        Transition.DONE_OWED,
    ]


def test_after_shutdown_it_is_another_matter():
    story = steps(
        ("p", "add", "a"),
        ("p", "shut_down", ""),
        ("p", "add", "b"),
        ("w", "get", "a"),
        ("w", "done", "a"),
        ("w", "get", "shutdown"),
        ("p", "shut_down", ""),
    )
    assert transitions(story) == [
        Transition.ADD,
        Transition.ADD_SHUT,
        Transition.GET_LEFT,
        Transition.GET_SHUTDOWN,
        Transition.DONE,
        Transition.SHUT_DOWN_LEFT,
        Transition.SHUT_DOWN_AGAIN,
    ]


def test_what_the_model_does_not_explain_went_through_nothing():
    assert transitions(steps(("w", "get", "a"))) == ()


def test_of_what_is_no_work_queue_nothing_is_said():
    assert transitions(steps(("w", "when", "a"))) == ()


GO_THROUGH_ALL = (
    "stingy/add-depends-on-where-the-item-is",
    "stingy/the-sequence-that-made-the-name",
    "drain/what-is-shut-down-can-be-shut-down-again",
    "drain/shutting-down-is-said-while-it-waits",
    "shutdown/a-second-shutdown-drops-nothing",
    "shutdown/what-was-owed-is-still-handed-out",
    "succession/a-shutdown-counts-at-once",
)
"""Few and quick rules that go through every transition together."""


def test_the_rules_about_queues_and_drains_go_through_all():
    candidate = locate("stingy_reference", 1)
    trial = Trial(candidate, 1)
    rules = [all_rules()[id_] for id_ in GO_THROUGH_ALL]
    verdicts = [trial.judge(rule, row) for rule in rules for row in rule.cases]
    candidate.close()
    assert set(Transition) - {seen for verdict in verdicts for seen in verdict.exercised} == set()
