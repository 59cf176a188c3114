"""How a verdict is reached, and what may come between a rule and a candidate."""

import re
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from stingy.engine.scheduler import Scheduler
from stingy.guarantees import all_rules
from stingy.language import Queue, rule
from stingy.language.account import Held
from stingy.language.session import CandidateError, Uncontrolled, Undecided
from stingy.sources import DOC
from stingy.transport import TargetError, locate
from stingy.transport.inprocess import InProcess
from stingy.transport.shortcuts import none_to_take
from stingy.trial import Judge, Trial
from stingy.verdict import Evidence, Finding
from stingy_broken.priority_steps import RaisesThePriorityThatItSaw
from stingy_reference import DelayingQueue, PriorityQueue, WorkQueue

RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
WAITS = RULES["handing_out/get-waits-while-nothing-is-queued"]
FAIR = RULES["fair/first-come-first-served"]
RACE = RULES["stingy/no-item-is-with-two-workers"]
TIMES = RULES["trigger_times/a-trigger-time-is-handed-over"]


@pytest.fixture
def judge_of(request):
    """Judges a class, or any other thing."""

    def judge_of(thing, seed=1):
        candidate = InProcess(thing, seed)
        request.addfinalizer(candidate.close)
        return Judge(candidate, seed)

    return judge_of


FEW = 100
"""Scheduling points; a candidate that looks again and again comes to thousands."""


@pytest.fixture
def points(monkeypatch):
    """Scheduling points of each session, as it is closed."""
    seen, close = [], Scheduler.close

    def note_and_close(scheduler):
        seen.append(scheduler.points)
        close(scheduler)

    monkeypatch.setattr(Scheduler, "close", note_and_close)
    return seen


@pytest.fixture
def candidates_folder(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "candidates"))
    yield
    sys.modules.pop("unlookable", None)


def test_the_same_seed_gives_the_same_verdict_and_story(judge_of):
    class Stack(WorkQueue):
        def _enqueue(self, item):
            self._queue.appendleft(item)
            self._changed.notify()

    first, second = (judge_of(Stack, seed=7).verdict(FAIR) for _ in range(2))
    assert first == second
    assert first.verdict is Finding.FAIL
    assert first.because.startswith("expected queue.take_all() == added")


@pytest.mark.parametrize("length", [None, -1, "one"])
def test_a_length_that_is_none_is_the_candidates_fault(judge_of, length):
    class OddLength(WorkQueue):
        def __len__(self):
            return length

    verdict = judge_of(OddLength).verdict(RULES["length/len-counts-what-is-queued"])
    assert verdict.verdict is Finding.FAIL
    assert verdict.because.endswith(f"Len returned {length!r}, not a length")


def test_a_counterexample_is_shrunk(judge_of):
    class Stack(WorkQueue):
        def _enqueue(self, item):
            self._queue.appendleft(item)
            self._changed.notify()

    story = judge_of(Stack).verdict(RULES["length/len-counts-what-is-queued"]).story
    assert story == ()

    class OneAtMost(WorkQueue):
        def __len__(self):
            return min(1, super().__len__())

    story = judge_of(OneAtMost).verdict(RULES["length/len-counts-what-is-queued"]).story
    assert [str(line) for line in story] == [
        "producer: Add('a')",
        "producer: Add('b')",
        "producer: Len() → 1",
    ]
    assert [line.expected for line in story] == ["", "", "2"]
    assert story[1].held == Held(queue=("a", "b"), dirty=("a", "b"), processing=())


def test_what_builds_on_a_broken_rule_is_blocked(judge_of):
    class Deaf(WorkQueue):
        def add(self, item):
            pass

    verdict = judge_of(Deaf).verdict(WAITS)
    assert verdict.verdict is Finding.BLOCKED
    assert FIRST.id in verdict.because


def test_what_is_not_offered_is_neither_kept_nor_broken(judge_of):
    verdict = judge_of(WorkQueue).verdict(TIMES)
    assert verdict.verdict is Finding.NOT_OFFERED
    assert verdict.because == "it has no checkout, remove and update"


def test_a_factory_is_asked_what_it_makes(judge_of):
    assert judge_of(WorkQueue).verdict(TIMES).verdict is Finding.NOT_OFFERED
    assert judge_of(WorkQueue).verdict(FIRST).verdict is Finding.PASS


def test_a_candidate_that_cannot_be_made_is_an_error(judge_of):
    class Raises(WorkQueue):
        def __init__(self):
            raise OSError("no space left")

    verdict = judge_of(Raises).verdict(FIRST)
    assert verdict.verdict is Finding.ERROR
    assert verdict.because == "it cannot be made: OSError: no space left"


def test_a_constructor_that_never_returns_is_an_error_at_once(judge_of, points):
    class Waits(WorkQueue):
        def __init__(self):
            threading.Event().wait()

    verdict = judge_of(Waits).verdict(FIRST)
    assert verdict.verdict is Finding.ERROR
    assert "does not return" in verdict.because
    assert max(points) < FEW


def test_a_probe_that_could_not_be_tried_has_shown_nothing(judge_of, monkeypatch):
    def cannot(*_):
        raise Undecided("it cannot be judged here")

    judge = judge_of(WorkQueue)
    assert judge.verdict(FIRST).verdict is Finding.PASS
    monkeypatch.setattr(judge.candidate, "open", cannot)
    verdict = judge.verdict(RULES["handing_out/done-of-an-item-nobody-holds"])
    assert verdict.verdict is Finding.INCONCLUSIVE


def test_a_clock_that_is_a_function_by_default_is_left_as_it_is(judge_of):
    """``clock=time.monotonic`` is usual in Python, and virtual here."""

    class Clocked(DelayingQueue):
        def __init__(self, clock=time.monotonic):
            super().__init__()
            self._since = clock()

    verdict = judge_of(Clocked).verdict(RULES["delays/addafter-holds-nobody-up"])
    assert verdict.verdict is Finding.PASS


def made_by_code(file):
    """A queue that looks whether an item is there before it takes the lock, made by ``exec``."""
    made = {"WorkQueue": WorkQueue}
    code = """
class LooksBeforeItLocks(WorkQueue):
    def add(self, item):
        if item not in self._dirty:
            with self._lock:
                self._dirty.add(item)
                self._enqueue(item)
"""
    exec(compile(code, file, "exec"), made)
    return made["LooksBeforeItLocks"]


def test_a_race_in_a_class_made_by_code_is_found_where_that_has_a_name(judge_of):
    twice = RULES["workers/two-producers-at-once-add-it-once"]
    assert judge_of(made_by_code("<template>")).verdict(twice).verdict is Finding.FAIL


def test_of_code_that_cannot_be_looked_into_nothing_is_said_to_be_all(judge_of):
    twice = RULES["workers/two-producers-at-once-add-it-once"]
    assert judge_of(WorkQueue).verdict(twice).evidence is Evidence.EXHAUSTIVE
    assert judge_of(made_by_code("<string>")).verdict(twice).evidence is not Evidence.EXHAUSTIVE


def test_a_constructor_may_take_its_time(judge_of):
    """It waits for a server, say; a minute of virtual time costs nothing."""

    class Connects(WorkQueue):
        def __init__(self):
            time.sleep(60)
            super().__init__()

    assert judge_of(Connects).verdict(FIRST).verdict is Finding.PASS


def test_nothing_is_held_against_a_candidate_that_comes_of_a_call_it_need_not_bear(judge_of):
    class CannotBearIt(WorkQueue):
        def done(self, item):
            self._stray = item not in self._processing
            super().done(item)

        def get(self):
            if self._stray:
                raise RuntimeError("a Done without a Get")
            return super().get()

        _stray = False

    probe = RULES["handing_out/done-of-an-item-nobody-holds"]
    verdict = judge_of(CannotBearIt).verdict(probe)
    assert verdict.verdict is Finding.PASS
    assert verdict.because.startswith("seen: ")


def test_an_exception_of_the_candidate_breaks_the_rule(judge_of):
    class Raises(WorkQueue):
        def done(self, item):
            raise KeyError(item)

    verdict = judge_of(Raises).verdict(RULES["handing_out/a-finished-item-stays-away"])
    assert verdict.verdict is Finding.FAIL
    assert verdict.because.startswith("Done('a') raises KeyError")


@pytest.mark.parametrize("exits", [SystemExit(0), KeyboardInterrupt()], ids=repr)
def test_a_candidate_that_tries_to_exit_breaks_the_rule(judge_of, exits):
    class Exits(WorkQueue):
        def get(self):
            raise exits

    assert judge_of(Exits).verdict(FIRST).verdict is Finding.FAIL


def test_a_get_that_returns_rubbish_breaks_the_rule(judge_of):
    class Rubbish(WorkQueue):
        def get(self):
            return super().get()[0]

    verdict = judge_of(Rubbish).verdict(FIRST)
    assert verdict.verdict is Finding.FAIL
    assert "not a pair of an item and a flag" in verdict.because


@pytest.mark.parametrize(
    ("answer", "asked_by", "because"),
    [
        ((None, True), FIRST.id, 'expected queue.get() == "a", but it is the shutdown'),
        (
            ("a", False),
            "shutdown/get-reports-the-shutdown",
            "expected queue.get() is SHUTDOWN, but it is 'a'",
        ),
    ],
)
def test_a_shutdown_is_no_value_to_be_equal_to_another(judge_of, answer, asked_by, because):
    class Answers(WorkQueue):
        def get(self):
            return answer

    assert judge_of(Answers).verdict(RULES[asked_by]).because.endswith(because)


def test_one_item_more_is_not_taken_for_all_that_was_there(judge_of):
    """pytest names it by itself; where nothing was to be there, it is the same."""

    class AddsItTwice(PriorityQueue):
        def add_all_with_opts(self, items, *words, **opts):
            super().add_all_with_opts(items, *words, **opts)
            super().add_all_with_opts(["another"], *words, **opts)

    verdict = judge_of(AddsItTwice).verdict(RULES["readiness/items-of-one-call-each-wait-for-themselves"])
    assert verdict.verdict is Finding.FAIL
    assert re.search(r"but \[.*\] == \[.*\]", verdict.because), verdict.because


def test_a_deadlock_is_known_at_once(judge_of, points):
    class Deadlocks(WorkQueue):
        def add(self, item):
            with self._lock:
                super().add(item)

    verdict = judge_of(Deadlocks).verdict(FIRST)
    assert verdict.verdict is Finding.FAIL
    assert verdict.because == "Add('a') does not return"
    assert max(points) < FEW


def test_a_queue_that_waits_in_a_busy_loop_is_judged_exactly(judge_of):
    class Spins(WorkQueue):
        def get(self):
            while True:
                with self._lock:
                    if self._queue or self._shutting_down:
                        break
            return super().get()

    verdict = judge_of(Spins).verdict(WAITS)
    assert verdict.verdict is Finding.PASS
    assert verdict.evidence is Evidence.DETERMINISTIC


def test_a_fault_of_the_suite_is_told_from_the_candidates(judge_of):
    @rule(cites=DOC["Fair"])
    def divides(queue: Queue) -> None:
        """It MUST divide."""
        queue.add("a")
        1 / 0  # noqa: B018

    verdict = judge_of(WorkQueue).verdict(divides)
    assert verdict.verdict is Finding.ERROR
    assert verdict.fault
    assert "ZeroDivisionError" in verdict.because


@pytest.mark.parametrize(
    ("name", "id_", "says"),
    [
        ("ReturnsWhatCannotBeShown", FIRST.id, "but 'a Unlookable"),
        (
            "AnswersWhatIsNeitherTrueNorFalse",
            "shutdown/shutting-down-says-so",
            "ShuttingDown() raises RuntimeError: not for you",
        ),
    ],
)
def test_what_cannot_be_looked_at_is_the_candidates_fault(name, id_, says, candidates_folder):
    candidate = locate(f"unlookable:{name}", 1)
    verdict = Judge(candidate, 1).verdict(RULES[id_])
    candidate.close()
    assert (verdict.verdict, verdict.fault) == (Finding.FAIL, False)
    assert says in verdict.because


def test_nothing_is_left_behind(judge_of):
    before = set(threading.enumerate())
    patched = threading.Lock, threading.Condition, time.sleep, time.monotonic, threading.Thread.start
    judge = judge_of(WorkQueue)
    for id_ in (FIRST, WAITS, RACE):
        judge.verdict(id_)
    assert (
        threading.Lock,
        threading.Condition,
        time.sleep,
        time.monotonic,
        threading.Thread.start,
    ) == patched
    judge.candidate.close()
    for thread in set(threading.enumerate()) - before:
        thread.join()


def test_a_race_is_judged_by_samples(judge_of):
    verdict = judge_of(WorkQueue).verdict(RACE)
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.SAMPLED)


def test_a_race_for_priorities_is_not_held_against_a_queue_without_them(judge_of):
    rule = RULES["priority_races/at-once-the-highest-priority-counts"]
    raises = next(row for row in rule.cases if row.name == "two raises")
    verdict = judge_of(RaisesThePriorityThatItSaw).verdict(rule, raises)
    assert verdict.verdict is Finding.FAIL
    assert [line for line in verdict.story if line.expected or line.held] == []


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("no_such_module:X", "there is no module 'no_such_module'"),
        ("stingy_reference:WorkQuue", "there is WorkQueue"),
        ("stingy_reference:__name__", "not something to call"),
        (":X", "names no module"),
    ],
)
def test_a_bad_target_gets_a_sentence(target, says):
    with pytest.raises(TargetError, match=says):
        locate(target)


def test_what_a_judge_hears_is_safe_wherever_it_heard_it():
    import msgspec

    from stingy.verdict import Verdict

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


class FollowedNowhere:
    """Goes round and round under control, and says nothing without."""

    kubernetes, share, controlled, shrinks, shortcuts = "", None, True, True, none_to_take()

    def open(self, *_):
        raise Uncontrolled("it goes round and round") if self.controlled else CandidateError("says nothing")

    def explorer(self, *_):
        return None

    def held(self):
        return nullcontext()

    def release_control(self):
        had, self.controlled = self.controlled, False
        return had


def test_what_cannot_be_judged_without_control_either_is_told_with_why_it_had_none():
    verdict = Trial(FollowedNowhere(), 1).judge(FIRST, None)
    assert verdict.verdict is Finding.ERROR
    assert verdict.because == "it goes round and round; says nothing"
