"""Verdicts of a judge on answers, exceptions, waits and loops of a candidate."""

import gc
import re
import threading
import time
from contextlib import nullcontext
from functools import partial
from math import inf

import msgspec
import pytest

from stingy.contract.sources import DOC
from stingy.engine.scheduler import Scheduler
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language import Queue, Race, add, given, numbers, rule
from stingy.language.account import Held
from stingy.language.session import CandidateError, Hangs, Uncontrolled, Undecided
from stingy.transport import TargetError, locate
from stingy.transport.shortcuts import none_to_take
from stingy_broken import broken_candidates
from stingy_broken.atomicity import FinishesWithoutTheLock
from stingy_broken.layers import DrainsItsClerkAlone
from stingy_broken.priority_steps import RaisesThePriorityThatItSaw
from stingy_broken.wakeups import SignalsARoomThatIsLeft
from stingy_reference import DelayingQueue, PriorityQueue, WorkQueue

RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
WAITS = RULES["handing_out/get-waits-while-nothing-is-queued"]
AWAY = RULES["handing_out/a-finished-item-stays-away"]
STRAY = RULES["handing_out/done-of-an-item-nobody-holds"]
LENGTH = RULES["length/len-counts-what-is-queued"]
SHUT = RULES["shutdown/get-reports-the-shutdown"]
SAYS_SO = RULES["shutdown/shutting-down-says-so"]
NOBODY_UP = RULES["delays/addafter-holds-nobody-up"]
FAIR = RULES["fair/first-come-first-served"]
RACE = RULES["stingy/no-item-is-with-two-workers"]
TWICE = RULES["workers/two-producers-at-once-add-it-once"]
TIMES = RULES["trigger_times/a-trigger-time-is-handed-over"]
FEW = 100
"""Scheduling points; a candidate that polls makes thousands."""


@pytest.fixture
def points(monkeypatch):
    """Return a list that gets the number of scheduling points of each session when it is closed."""
    seen, close = [], Scheduler.close

    def note_and_close(scheduler):
        seen.append(scheduler.points)
        close(scheduler)

    monkeypatch.setattr(Scheduler, "close", note_and_close)
    return seen


def queue_with(**methods):
    """Return a subclass of the reference's work queue with these methods."""
    return type("Theirs", (WorkQueue,), methods)


def returning(answer):
    return lambda *_: answer


def raising(error):
    def method(*_):
        raise error

    return method


class Unlookable:
    __repr__ = __str__ = __bool__ = raising(RuntimeError("not for you"))


def hand_out_unlookable(queue):
    WorkQueue.get(queue)
    return Unlookable(), False


def add_under_its_lock(queue, item):
    with queue._lock:
        WorkQueue.add(queue, item)


@pytest.mark.parametrize(
    ("methods", "broken", "because"),
    [
        ({"__len__": returning(None)}, LENGTH, "Len returned None, not a length"),
        ({"__len__": returning(-1)}, LENGTH, "Len returned -1, not a length"),
        ({"__len__": returning("one")}, LENGTH, "Len returned 'one', not a length"),
        ({"done": raising(KeyError("a"))}, AWAY, "Done('a') raises KeyError"),
        ({"get": raising(SystemExit(0))}, FIRST, "raises SystemExit"),
        ({"get": raising(KeyboardInterrupt())}, FIRST, "raises KeyboardInterrupt"),
        ({"get": lambda it: WorkQueue.get(it)[0]}, FIRST, "not a pair of an item and a flag"),
        ({"get": returning((None, True))}, FIRST, 'expected queue.get() == "a", but it is the shutdown'),
        ({"get": returning(("a", False))}, SHUT, "expected queue.get() is SHUTDOWN, but it is 'a'"),
        ({"get": hand_out_unlookable}, FIRST, "but a Unlookable"),
        (
            {"shutting_down": returning(Unlookable())},
            SAYS_SO,
            "ShuttingDown() raises RuntimeError: not for you",
        ),
    ],
    ids=lambda it: "" if isinstance(it, dict) else None,
)
def test_a_faulty_method_breaks_a_rule(judge_of, methods, broken, because):
    verdict = judge_of(queue_with(**methods)).verdict(broken)
    due = Finding.BLOCKED if broken is SHUT else Finding.FAIL  # a Get that never waits breaks an earlier rule
    assert (verdict.verdict, verdict.fault) == (due, False)
    assert because in verdict.because


def add_twice(queue, items, *words, **opts):
    PriorityQueue.add_all_with_opts(queue, items, *words, **opts)
    PriorityQueue.add_all_with_opts(queue, ["another"], *words, **opts)


def test_an_item_too_many_is_shown_beside_those_expected(judge_of):
    kind = type("AddsTwice", (PriorityQueue,), {"add_all_with_opts": add_twice})
    verdict = judge_of(kind).verdict(RULES["readiness/items-of-one-call-each-wait-for-themselves"])
    assert verdict.verdict is Finding.FAIL
    assert re.search(r"but \[.*\] == \[.*\]", verdict.because), verdict.because


@pytest.mark.parametrize(
    ("broken", "because"),
    [
        ("IsAtTheLongestTooSoon", "but 1,000 s == 655,360 ms at index 17"),
        ("BeginsAnewAfter64", "but only the left side has"),
        ("OneForAll", "but 8 s == 1 s"),
        ("SaturatesAtAYear", "but (525600,) == (153722820,)"),
        ("BucketsAreNotCumulative", "but {0.25: 0} == {0.25: 1}"),
        ("LacksTheBucketZero", "but 0.25 == 0.0 at index 0"),
    ],
)
def test_a_long_comparison_shows_what_differs_in_the_units_of_the_story(judge_of, broken, because):
    kind = next(kind for kind in broken_candidates() if kind.__name__ == broken)
    verdicts = judge_of(kind).verdicts(RULES[kind.about])
    verdict = next(verdict for verdict in verdicts if verdict.verdict is Finding.FAIL)
    assert because in verdict.because
    assert "..." not in verdict.because


def test_a_shortened_story_of_a_race_still_has_a_wrong_row(judge_of):
    """If the Done were left out, a correct queue would not hand out the item again, either."""
    verdict = judge_of(FinishesWithoutTheLock, 9).verdict(RULES[FinishesWithoutTheLock.about])
    assert verdict.verdict is Finding.FAIL
    assert [line.expected for line in verdict.story if line.expected]


def test_a_story_of_a_race_is_the_same_with_any_seed(judge_of):
    rule = RULES[SignalsARoomThatIsLeft.about]
    first, *others = [judge_of(SignalsARoomThatIsLeft, seed).verdict(rule).story for seed in (1, 2, 4, 7)]
    assert [story == first for story in others] == [True] * 3
    assert len(first) == 9


@pytest.mark.parametrize(
    ("init", "says"),
    [
        (raising(OSError("no space left")), "it cannot be made: OSError: no space left"),
        (lambda _: threading.Event().wait(), "does not return"),
    ],
    ids=["raises", "waits"],
)
def test_a_candidate_that_cannot_be_constructed_is_an_error(judge_of, points, init, says):
    verdict = judge_of(queue_with(__init__=init)).verdict(FIRST)
    assert verdict.verdict is Finding.ERROR
    assert says in verdict.because
    assert max(points, default=0) < FEW


def test_a_deadlock_is_detected_at_once(judge_of, points):
    verdict = judge_of(queue_with(add=add_under_its_lock)).verdict(FIRST)
    assert (verdict.verdict, verdict.because) == (Finding.FAIL, "Add('a') does not return")
    assert max(points) < FEW


class Connects(WorkQueue):
    """A queue whose constructor waits a minute, as if for a server."""

    def __init__(self):
        time.sleep(60)
        super().__init__()


class Clocked(DelayingQueue):
    """A queue with a clock as the default value of an argument, as is usual in Python."""

    def __init__(self, clock=time.monotonic):
        super().__init__()
        self._since = clock()


class CannotBearStrays(WorkQueue):
    """A queue whose Get raises after a Done without a Get, a call that no caller may make."""

    _stray = False

    def done(self, item):
        self._stray = item not in self._processing
        super().done(item)

    def get(self):
        if self._stray:
            raise RuntimeError("a Done without a Get")
        return super().get()


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        (Connects, FIRST),
        (Clocked, RULES["delays/addafter-holds-nobody-up"]),
        (CannotBearStrays, STRAY),
    ],
)
def test_an_unusual_candidate_is_sound(judge_of, kind, kept):
    verdict = judge_of(kind).verdict(kept)
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)
    assert verdict.because.startswith("seen: ") == (kept is STRAY)


def test_a_probe_that_cannot_be_tried_is_inconclusive(judge_of, monkeypatch):
    judge = judge_of(WorkQueue)
    assert judge.verdict(FIRST).verdict is Finding.PASS
    monkeypatch.setattr(judge.candidate, "open", raising(Undecided("it cannot be judged here")))
    assert judge.verdict(STRAY).verdict is Finding.INCONCLUSIVE


def bring_back(queue, item):
    WorkQueue.done(queue, item)
    queue.add(item)


def enqueue_in_front(queue, item):
    queue._queue.appendleft(item)
    queue._changed.notify()


def test_the_same_seed_gives_the_same_verdict_and_story(judge_of):
    stack = queue_with(_enqueue=enqueue_in_front)
    first, second = (judge_of(stack, seed=7).verdict(FAIR) for _ in range(2))
    assert first == second
    assert first.verdict is Finding.FAIL
    assert first.because.startswith("expected queue.take_all() == added")


def test_a_counterexample_is_shrunk(judge_of):
    story = judge_of(queue_with(__len__=lambda it: min(1, WorkQueue.__len__(it)))).verdict(LENGTH).story
    assert [(str(line), line.expected) for line in story] == [
        ("producer: Add('a')", ""),
        ("producer: Add('b')", ""),
        ("producer: Len() → 1", "2"),
    ]
    assert story[1].held == Held(queue=("a", "b"), dirty=("a", "b"), processing=())


def test_a_rule_that_builds_on_a_broken_one_is_blocked(judge_of):
    verdict = judge_of(queue_with(add=returning(None))).verdict(AWAY)
    assert verdict.verdict is Finding.BLOCKED
    assert FIRST.id in verdict.because


def test_an_assertion_that_fails_shows_its_hint_beside_what_was_found(judge_of):
    verdict = judge_of(queue_with(done=bring_back)).verdict(AWAY)
    assert (verdict.because, verdict.hint) == (
        "expected queue.ask().waiting",
        "does Done queue the item only if it is dirty?",
    )


@pytest.mark.parametrize(
    "methods",
    [{"done": raising(KeyError("a"))}, {"__init__": raising(KeyError("a"))}, {}],
    ids=["a call", "the constructor", "nothing"],
)
def test_only_a_failed_assertion_shows_a_hint(judge_of, methods):
    assert judge_of(queue_with(**methods)).verdict(AWAY).hint == ""


def lose_get(queue, *_):
    queue.get = raising(KeyError("a"))


def lose_the_clerk_with_add(queue, item, seconds):
    queue.add, queue._wait_for_due = returning(None), raising(KeyError("a"))
    DelayingQueue.add_after(queue, item, seconds)


@pytest.mark.parametrize(
    ("add_after", "because"),
    [
        (lose_get, "but Get() raises KeyError: 'a'"),
        (lose_the_clerk_with_add, "thread 1 ended: KeyError: 'a'"),
    ],
    ids=["in a call of the assertion", "in a thread"],
)
def test_an_assertion_shows_no_hint_where_the_candidate_raised(judge_of, add_after, because):
    verdict = judge_of(type("Theirs", (DelayingQueue,), {"add_after": add_after})).verdict(NOBODY_UP)
    assert verdict.verdict is Finding.FAIL
    assert because in verdict.because
    assert verdict.hint == ""


def test_an_assertion_of_several_lines_is_quoted_as_a_whole(judge_of):
    joined = RULES["trigger_times/slices-of-a-service-belong-together"]
    verdict = judge_of("stingy_broken.trackers:CutsTheServiceOutOfTheName").verdict(joined)
    assert verdict.because.startswith(
        "expected {service: sorted(given) for service, given in times.items()} == "
        '{WEB: [1 * SECOND, 2 * SECOND], "shop/db": [3 * SECOND]}, but '
    )


def asks_for_two(after=()):
    @rule(cites=DOC["Stingy"], after=after)
    def holds_two(queue: Queue) -> None:
        """It MUST be judged of two items alone."""
        queue.add("a")
        with given():
            assert len(queue) == 2, "one is too few"
        raise AssertionError("it was judged")

    return holds_two


def test_a_rule_whose_precondition_is_not_met_is_inconclusive(judge_of):
    asked = asks_for_two()
    judge = judge_of(WorkQueue)
    for verdict in (judge.verdict(asked), judge.again(asked, None, "")):
        assert verdict.verdict is Finding.INCONCLUSIVE
        assert "one is too few" in verdict.because
        assert verdict.because.endswith("without that, this rule cannot be judged")
        assert verdict.story


def test_a_rule_whose_precondition_is_not_met_is_blocked_behind_a_broken_rule(judge_of):
    verdict = judge_of(queue_with(add=returning(None))).verdict(asks_for_two(after=FIRST.id))
    assert (verdict.verdict, verdict.behind) == (Finding.BLOCKED, FIRST.id)
    assert verdict.because.startswith(f"{FIRST.id} is not kept, which may be why: one is too few")


def test_a_layer_breaks_its_rule_where_it_does_not_meet_the_precondition_of_a_rule_that_it_is_to_keep(
    judge_of,
):
    """With nothing in the layer, the queue drains as it should, so no other rule would be behind it."""
    judge, asked = judge_of(DrainsItsClerkAlone), RULES["layers/a-delaying-queue-drains-as-a-work-queue"]
    rows = [row for row in asked.cases if row.name == "drain/shutdown-ends-the-wait"]
    assert [judge.verdict(asked, row).verdict for row in rows] == [Finding.FAIL]


def test_a_call_that_hangs_is_no_precondition(judge_of):
    @rule(cites=DOC["Stingy"])
    def adds(queue: Queue) -> None:
        """It MUST add."""
        with given():
            raise Hangs("it loops and never waits")

    assert judge_of(WorkQueue).verdict(adds).verdict is Finding.FAIL


@pytest.mark.parametrize(("wrong", "due"), [(True, Finding.FAIL), (False, Finding.INCONCLUSIVE)])
def test_an_unmet_precondition_hides_no_other_example_or_order_that_fails(judge_of, wrong, due):
    @rule(cites=DOC["Stingy"], for_all={"number": numbers(1, 4)})
    def drawn(queue: Queue, number: int) -> None:
        """It MUST be judged of 2 alone."""
        with given():
            assert number == 2
        assert not wrong

    @rule(cites=DOC["Stingy"])
    def raced(race: Race) -> None:
        """It MUST be judged of one order alone."""
        race.run(one=[add("a")], two=[add("b")])
        with given():
            assert race.left() == ["b", "a"]
        assert not wrong

    judge = judge_of(WorkQueue)
    assert [judge.verdict(each).verdict for each in (drawn, raced)] == [due, due]


def test_a_rule_about_missing_methods_is_not_offered(judge_of):
    judge = judge_of(WorkQueue)
    verdict = judge.verdict(TIMES)
    assert (verdict.verdict, verdict.because) == (
        Finding.NOT_OFFERED,
        "it has no checkout, remove and update",
    )
    assert judge.verdict(FIRST).verdict is Finding.PASS


CHECKS_BEFORE_IT_LOCKS = """
class LooksBeforeItLocks(WorkQueue):
    def add(self, item):
        if item not in self._dirty:
            with self._lock:
                self._dirty.add(item)
                self._enqueue(item)
"""


@pytest.mark.parametrize("file", ["<template>", "<string>"])
def test_a_race_in_generated_code_is_found_or_not_searched_exhaustively(judge_of, file):
    """Code whose file is called ``<string>`` cannot be told from other generated code."""
    made = {"WorkQueue": WorkQueue}
    exec(compile(CHECKS_BEFORE_IT_LOCKS, file, "exec"), made)
    verdict = judge_of(made["LooksBeforeItLocks"]).verdict(TWICE)
    assert judge_of(WorkQueue).verdict(TWICE).evidence is Evidence.EXHAUSTIVE
    if file == "<template>":
        assert verdict.verdict is Finding.FAIL
    else:
        assert verdict.evidence is not Evidence.EXHAUSTIVE


def test_a_race_for_priorities_is_not_compared_with_a_queue_without_them(judge_of):
    race = RULES["priority_races/at-once-the-highest-priority-counts"]
    raises = next(row for row in race.cases if row.name == "two raises")
    verdict = judge_of(RaisesThePriorityThatItSaw).verdict(race, raises)
    assert verdict.verdict is Finding.FAIL
    assert [line for line in verdict.story if line.expected or line.held] == []


def test_a_fault_of_the_suite_is_not_the_candidates(judge_of):
    @rule(cites=DOC["Fair"])
    def divides(queue: Queue) -> None:
        """It MUST divide."""
        queue.add("a")
        1 / 0  # noqa: B018

    verdict = judge_of(WorkQueue).verdict(divides)
    assert (verdict.verdict, verdict.fault) == (Finding.ERROR, True)
    assert "ZeroDivisionError" in verdict.because


def test_a_judge_leaves_no_thread_and_no_patch_behind(judge_of):
    def patched():
        return threading.Lock, threading.Condition, time.sleep, time.monotonic, threading.Thread.start

    threads, before = set(threading.enumerate()), patched()
    judge = judge_of(WorkQueue)
    for asked in (FIRST, WAITS, RACE):
        judge.verdict(asked)
    assert patched() == before
    judge.candidate.close()
    for thread in set(threading.enumerate()) - threads:
        thread.join()


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("no_such_module:X", "there is no module 'no_such_module'"),
        ("stingy_reference:WorkQuue", "did you mean WorkQueue"),
        ("stingy_reference:__name__", "not something to call"),
        (":X", "names no module"),
    ],
)
def test_a_bad_target_is_refused_in_a_sentence(target, says):
    with pytest.raises(TargetError, match=says):
        locate(target)


def test_texts_of_a_verdict_from_elsewhere_are_made_safe():
    told = {
        "rule": "a/b",
        "case": "",
        "profile": "queue",
        "level": "MUST",
        "verdict": "FAIL",
        "because": "a\x1b\nb",
    }
    line = {"lane": "\x9b", "did": "\u2028", "outcome": "x" * 10_000, "expected": "\u202e"}
    verdict = msgspec.convert({**told, "story": [line]}, Verdict)
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict
    assert verdict.because == "a\\x1b\nb"
    (told,) = verdict.story
    assert (told.lane, told.did, told.expected) == ("\\x9b", "\\u2028", "\\u202e")
    assert "(10,000 characters)" in told.outcome


class LosesControl:
    """A fake candidate: controlled, it raises Uncontrolled; uncontrolled, it raises CandidateError."""

    kubernetes, share, controlled, shrinks, shortcuts = "", None, True, True, none_to_take()
    limit = inf
    explorer = returning(None)
    held = staticmethod(nullcontext)

    def open(self, *_):
        raise Uncontrolled("it goes round and round") if self.controlled else CandidateError("says nothing")

    def release_control(self):
        had, self.controlled = self.controlled, False
        return had


def test_an_error_without_control_says_why_control_was_lost():
    verdict = Trial(LosesControl(), 1).judge(FIRST, None)
    assert (verdict.verdict, verdict.because) == (Finding.ERROR, "it goes round and round; says nothing")


@pytest.mark.parametrize(
    "rule",
    [
        "workers/two-producers-at-once-add-it-once",
        "drain/a-drain-waits-for-every-item-in-processing",
        "hooks/len-is-what-the-store-says",
        "metrics/what-has-come-due-is-not-counted-again",
        "controller/an-event-as-an-idle-worker-gives-up-is-not-missed",
    ],
)
def test_a_session_leaves_nothing_to_the_collector_of_cyclic_garbage(rule, request):
    trial = Trial(locate("stingy_reference"), 1)

    def run_sessions():
        for row in RULES[rule].cases:
            trial.judge(RULES[rule], row)

    run_sessions()  # what is made once, such as caches, is no garbage
    gc.collect()
    request.addfinalizer(gc.garbage.clear)
    request.addfinalizer(partial(gc.set_debug, 0))
    older = set(map(id, gc.get_objects()))  # of other tests: a cache may drop it meanwhile
    gc.set_debug(gc.DEBUG_SAVEALL)
    run_sessions()
    gc.collect()
    left = [thing for thing in gc.garbage if id(thing) not in older]
    assert not left, set(map(type, left))
