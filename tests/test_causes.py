"""Causes: failures that one mistake may explain are one group, and others are not."""

from itertools import groupby
from threading import Thread

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import Held, Line
from stingy.language.rule import Level
from stingy.reports import Failure, faults
from stingy.reports.causes import find_causes
from stingy.transport.inprocess import InProcess
from stingy_reference import Controller, WorkQueue


class ForgetsWhatIsAddedMeanwhile(WorkQueue):
    def add(self, item):
        if item not in self._processing:
            super().add(item)


class WakesOneAtShutdown(WorkQueue):
    def shut_down(self):
        with self._lock:
            self._shutting_down = True
            self._changed.notify()


class DoesBoth(ForgetsWhatIsAddedMeanwhile, WakesOneAtShutdown):
    pass


class HandsOutWhatIsHeld(WorkQueue):
    def add(self, item):
        with self._lock:
            if item in self._processing:
                self._processing.remove(item)
        super().add(item)


class CountsTooManyAndHandsOutWhatIsHeld(HandsOutWhatIsHeld):
    def __len__(self):
        return super().__len__() + 1


WAITS = "to wait: 'a' is in processing"
GUARANTEES = ("stingy", "once_more", "shutdown", "length")


@pytest.fixture(autouse=True)
def no_known_faults(monkeypatch):
    """Replace the record of known faults by an empty one."""
    monkeypatch.setattr("stingy.reports.causes.record", faults.Record)


def causes_of(cls):
    judge = Judge(InProcess(cls), 1)
    rules = [it for it in all_rules().values() if it.guarantee in GUARANTEES and not it.races]
    broken = [it for rule in rules for it in judge.verdicts(rule) if it.verdict is Finding.FAIL]
    groups = [list(group) for _, group in groupby(broken, key=lambda it: it.rule)]
    return find_causes([Failure(group[0], group[1:]) for group in groups])


@pytest.mark.parametrize(
    ("cls", "guarantees"),
    [
        (ForgetsWhatIsAddedMeanwhile, [{"once_more", "stingy"}]),
        (WakesOneAtShutdown, [{"shutdown"}]),
        (DoesBoth, [{"once_more", "stingy"}, {"shutdown"}]),
    ],
)
def test_each_mistake_is_one_cause(cls, guarantees):
    found = [{it.rule.partition("/")[0] for it in cause.verdicts} for cause in causes_of(cls)]
    assert found == guarantees


def test_a_cause_by_which_two_workers_have_an_item_is_before_one_by_which_an_item_is_lost():
    """And both are before a wrong number, which has the shortest story."""
    held = Line("worker 1", "Get()", "'a'", op="get", held=Held((), (), ("a",)))
    two = (held, Line("worker 2", "Get()", "'a'", op="get", expected=WAITS))
    lost = (Line("worker 1", "Get()", "waits", op="get", expected="to return 'a'"),)
    stops = (Line("worker 1", "Get()", "waits", op="get", expected="to return shutdown"),)
    number = (Line("producer", "Len()", "1", op="len", expected="0"),)
    failures = [
        failure("length/len-counts-what-is-queued", story=number),
        failure("shutdown/get-reports-the-shutdown", story=stops),
        failure("once_more/no-add-is-lost", story=lost),
        failure("stingy/one-worker-at-a-time", story=two),
    ]
    leads = [cause.lead.verdict.story for cause in find_causes(failures)]
    assert (leads[:2], len(leads)) == ([two, lost], 4)


def test_a_queue_that_breaks_one_worker_at_a_time_is_told_so_first():
    assert causes_of(CountsTooManyAndHandsOutWhatIsHeld)[0].lead.verdict.rule.startswith("stingy/")


class ComesBackAtOnceAndIsLostAtDone(HandsOutWhatIsHeld):
    """Two mistakes in the same calls: an Add, Get, Add and Done of one item."""

    def done(self, item):
        with self._lock:
            if item in self._queue:
                self._queue.remove(item)
                self._dirty.discard(item)
            self._processing.discard(item)


def test_two_mistakes_in_the_same_calls_are_two_causes():
    leads = [cause.lead.verdict.rule for cause in causes_of(ComesBackAtOnceAndIsLostAtDone)]
    assert [rule.partition("/")[0] for rule in leads] == ["stingy", "once_more"]


class OneLessWithDoneAtOnce(Controller):
    """A controller that has a worker less than it may, unless that is its last, and calls Done too early."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        super().__init__(reconcile, max_concurrent_reconciles - 1, rate_limiter)

    def _handle(self, key):
        self._queue.done(key)
        super()._handle(key)


class OneWithTwoAtOnce(Controller):
    """A controller with one worker, in which an event during a reconcile begins another at once."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        super().__init__(reconcile, 1, rate_limiter)

    def add(self, key):
        if key in self._queue._processing:
            Thread(target=self._handle, args=(key,), daemon=True).start()
        else:
            super().add(key)


@pytest.mark.parametrize("cls", [OneLessWithDoneAtOnce, OneWithTwoAtOnce])
def test_a_controller_that_gives_a_key_to_two_workers_is_told_so_first(cls):
    """Also if it runs less at once than it may, which is another mistake with its own cause."""
    names = "one-key-is-in-one-worker-at-a-time", "as-many-at-once-as-it-may"
    judge = Judge(InProcess(cls), 1)
    verdicts = [judge.verdicts(all_rules()[f"controller/{name}"]) for name in names]
    broken = [[it for it in of_rule if it.verdict is Finding.FAIL] for of_rule in verdicts]
    causes = find_causes([Failure(of_rule[0], of_rule[1:]) for of_rule in broken])
    assert [cause.lead.verdict.rule.partition("/")[2] for cause in causes] == list(names)
    wrong = next(line for line in causes[0].lead.verdict.story if line.expected)
    assert (wrong.did, wrong.expected) == ("reconciles 'a'", WAITS)


def failure(rule, finding=Finding.FAIL, **fields):
    return Failure(Verdict(rule, "", "queue", Level.MUST, finding, **fields), ())


def test_a_failure_that_builds_on_another_has_its_cause():
    base, built = "stingy/one-worker-at-a-time", "length/len-is-a-number-that-there-was"
    (cause,) = find_causes([failure(base), failure(built, behind=base)])
    assert [it.verdict.rule for it in (cause.lead, *cause.others)] == [base, built]


def test_the_gravest_failure_of_a_cause_leads_it_and_no_race_before_a_plain_story():
    held = Line("worker 1", "Get()", "'a'", op="get", held=Held((), (), ("a",)))
    two = (held, held, held, Line("worker 2", "Get()", "'a'", op="get", expected=WAITS))
    number = (Line("producer", "Len()", "1", op="len", expected="0"),)
    base = "length/len-counts-what-is-queued"
    built = "stingy/one-worker-at-a-time", "stingy/no-item-is-with-two-workers"
    failures = [failure(base, story=number), *(failure(rule, story=two, behind=base) for rule in built)]
    (cause,) = find_causes(failures)
    assert [it.verdict.rule for it in (cause.lead, *cause.others)] == [built[0], base, built[1]]


def test_a_get_that_reports_the_shutdown_has_another_cause_than_a_wrong_order():
    shut = (Line("worker 1", "Get()", "shutdown", op="get", expected="'a'"),)
    order = (Line("worker 1", "Get()", "'b'", op="get", expected="'a'"),)
    failures = [
        failure("shutdown/what-was-owed-is-still-handed-out", story=shut),
        failure("fair/first-come-first-served", story=order),
    ]
    assert len(find_causes(failures)) == 2


def test_rules_that_a_known_fault_breaks_have_one_cause(monkeypatch):
    rules = "stingy/one-worker-at-a-time", "length/len-is-a-number-that-there-was"
    both = faults.Fault("Both", "", "family", {rule: {"": "00000000"} for rule in rules})
    assert len(find_causes([failure(rule) for rule in rules])) == 2
    monkeypatch.setattr("stingy.reports.causes.record", lambda: faults.Record((both,)))
    assert len(find_causes([failure(rule) for rule in rules])) == 1


def test_errors_with_one_reason_are_one_cause():
    dies = [failure(rule, Finding.ERROR, because="the driver died") for rule in list(all_rules())[:5]]
    other = failure("stingy/one-worker-at-a-time", Finding.ERROR, because="it cannot be made")
    assert [len(cause.others) for cause in find_causes([*dies, other])] == [4, 0]


def test_different_calls_that_do_not_wait_have_different_causes():
    """A Get waits for another reason than ShutDownWithDrain."""
    get = Line("worker 2", "Get()", "'a'", op="get", expected=WAITS)
    drain = Line("drainer", "ShutDownWithDrain()", op="shut_down_with_drain", expected=WAITS)
    failures = [
        failure("stingy/one-worker-at-a-time", story=(get,)),
        failure("drain/it-waits-for-what-is-in-processing", story=(drain,)),
    ]
    assert len(find_causes(failures)) == 2


def test_a_get_that_waits_on_is_one_cause_wherever_its_mark_is():
    """The mark is beside the call that should have woken the Get, or beside the Get itself."""
    waits = Line("worker 2", "Get()", "waits", op="get")
    done = Line("worker 1", "Done('a')", op="done", expected="to return 'a'", expected_of="worker 2")
    get = Line("worker 1", "Get()", "waits", op="get", expected="to return 'a'")
    failures = [
        failure("stingy/one-worker-at-a-time", story=(waits, done)),
        failure("length/len-is-a-number-that-there-was", story=(get,)),
    ]
    assert len(find_causes(failures)) == 1
