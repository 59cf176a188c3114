"""Controllers.

A controller calls *reconcile* with every key to which something has happened: in so many workers at most,
for one key in one worker at a time. How the reconcile ends decides what becomes of the key. After an error
it is tried again when the rate limiter says so; after a success that is forgotten; and whoever asks for it is
called again after a time of his own. Whatever it was, the key is done with then, and open to new events.

Reconciles are the rules' own here: each goes on until the rule says how it ends. So is the rate limiter,
which answers 1 min, 2 min, 4 min and so on for each key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    Controller,
    Nanoseconds,
    Row,
    numbers,
    rule,
    sequences,
)
from stingy.sources import CONTROLLER, CONTROLLER_OPTIONS, DOC, QUEUE, RECONCILE

Controllers = Callable[..., Controller]

AT_MOST = CONTROLLER_OPTIONS["MaxConcurrentReconciles"]
ONE_AT_A_TIME = CONTROLLER_OPTIONS["TypedOptions"]
HANDLED = CONTROLLER["reconcileHandler"]
OUTCOME = RECONCILE["TypedReconciler"]
START = CONTROLLER["Start"]

A_LONG_TIME = 10 * MINUTE
"""More than any first retry waits for."""


@dataclass(frozen=True)
class Workers(Row):
    workers: int


A_FEW = [Workers(1), Workers(2), Workers(3), Workers(8)]


@dataclass(frozen=True)
class Ending(Row):
    it_ends: str
    how: str
    after: Nanoseconds = 0

    def cells(self) -> dict[str, str]:
        return {"it ends": self.it_ends}


SUCCESS = Ending("with a success", "ok")
ERROR = Ending("with an error", "error")
PANIC = Ending("in a panic", "panic")
FAILURES = [ERROR, PANIC]
REQUEUE = Ending("with Requeue", "requeue")
REQUEUE_AFTER = Ending("with RequeueAfter", "requeue_after", 5 * MINUTE)
COMES_AGAIN = [*FAILURES, REQUEUE, REQUEUE_AFTER]
TERMINAL = [
    Ending("with a terminal error", "terminal"),
    Ending("with a terminal error within another", "wrapped"),
]
ENDINGS = [SUCCESS, *COMES_AGAIN, *TERMINAL]


@rule(cites=RECONCILE["Reconciler"], hints=("does Start start the workers?",))
def a_key_that_is_added_is_reconciled(controllers: Controllers) -> None:
    """A key that is added to a controller MUST be reconciled.

    All other rules about controllers build on this one: while it is broken they are not judged.
    """
    controller = controllers()

    controller.add("a")

    assert controller.under_way() == ["a"]


@rule(cites=QUEUE["Get"], after=[a_key_that_is_added_is_reconciled])
def an_empty_key_is_a_key(controllers: Controllers) -> None:
    """A key whose value is empty MUST be reconciled like any other.

    `while key := queue.get()` is a worker that goes home at the first of them.
    """
    controller = controllers()

    controller.add("")

    assert controller.under_way() == [""]


@rule(cites=HANDLED, after=[a_key_that_is_added_is_reconciled])
def a_success_is_the_end_of_it(controllers: Controllers) -> None:
    """After a reconcile that succeeded, its key MUST NOT be reconciled again before something happens to it."""
    controller = controllers()
    controller.add("a")

    controller.finish("a")

    assert controller.under_way() == []

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(cites=AT_MOST, after=[a_key_that_is_added_is_reconciled], each=A_FEW)
def no_more_at_once_than_it_may(controllers: Controllers, row: Workers) -> None:
    """However many keys wait, more than MaxConcurrentReconciles reconciles MUST NOT be under way at once.

    Upstream's test of it is a placeholder that was never written.
    """
    controller = controllers(row.workers)

    for number in range(row.workers + 3):
        controller.add(f"key {number}")

    assert len(controller.under_way()) <= row.workers


@rule(cites=AT_MOST, after=[a_key_that_is_added_is_reconciled], each=A_FEW)
def as_many_at_once_as_it_may(controllers: Controllers, row: Workers) -> None:
    """With enough keys, MaxConcurrentReconciles reconciles MUST be under way at once."""
    controller = controllers(row.workers)

    for number in range(row.workers + 3):
        controller.add(f"key {number}")

    assert len(controller.under_way()) >= row.workers


@rule(
    cites=AT_MOST,
    after=[a_success_is_the_end_of_it],
    for_all={"workers": numbers(1, 4), "keys": numbers(1, 12)},
)
def with_few_workers_and_many_keys_each_has_its_turn(
    controllers: Controllers, workers: int, keys: int
) -> None:
    """However few the workers and many the keys, each key MUST be reconciled, and once.

    kube-rs reported reconciles as skipped once it was given a limit (kube-rs/kube#1322).
    """
    controller = controllers(workers)
    names = [f"key {number:02}" for number in range(keys)]
    for name in names:
        controller.add(name)

    for _ in names:
        for running in controller.under_way()[:1]:
            controller.finish(running)

    assert controller.under_way() == []
    assert sorted(controller.reconciled) == names


@rule(cites=AT_MOST, after=[as_many_at_once_as_it_may, a_success_is_the_end_of_it])
def a_slow_key_holds_up_one_worker(controllers: Controllers) -> None:
    """While the reconcile of one key goes on and on, the other workers MUST get on with other keys."""
    controller = controllers(2)
    controller.add("slow")
    assert controller.under_way() == ["slow"]

    for key in ("a", "b", "c"):
        controller.add(key)
        controller.finish(key)

    assert controller.under_way() == ["slow"]
    assert controller.reconciled == ["slow", "a", "b", "c"]


@rule(
    cites=AT_MOST,
    after=[no_more_at_once_than_it_may, as_many_at_once_as_it_may],
    each=[Workers(0), Workers(-1)],
)
def less_than_one_worker_counts_as_one(controllers: Controllers, row: Workers) -> None:
    """A MaxConcurrentReconciles of 0 or less SHOULD count as 1.

    A controller without workers is one that does nothing, and says nothing.
    """
    controller = controllers(row.workers)

    controller.add("a")
    controller.add("b")

    assert len(controller.under_way()) == 1


@rule(cites=HANDLED, after=[with_few_workers_and_many_keys_each_has_its_turn], each=ENDINGS)
def however_it_ends_the_worker_goes_on(controllers: Controllers, row: Ending) -> None:
    """However a reconcile ends, its worker MUST take the next key at once.

    A worker that dies of an exception, or sleeps until it is time to try again, leaves fewer for the others.
    """
    controller = controllers(1)
    controller.add("a")
    assert controller.under_way() == ["a"]
    controller.add("b")

    controller.finish("a", row.how, row.after)

    assert controller.under_way() == ["b"]


@rule(
    cites=CONTROLLER["processNextWorkItem"],
    after=[however_it_ends_the_worker_goes_on],
    each=ENDINGS,
    hints=("is Done called in a finally?",),
)
def however_it_ends_an_event_starts_it_again(controllers: Controllers, row: Ending) -> None:
    """However a reconcile ended, an event MUST start the next one of this key at once.

    Without a Done on every path the key that failed is never heard of again (kubernetes-sigs/kube-batch#809);
    and who waits to be tried again need not wait any more once there is news.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how, row.after)

    controller.add("a")

    assert controller.under_way() == ["a"]


@rule(cites=ONE_AT_A_TIME, after=[as_many_at_once_as_it_may])
def one_key_is_in_one_worker_at_a_time(controllers: Controllers) -> None:
    """A key MUST NOT be reconciled by two workers at once, though there is an event for it and a worker free.

    To hand a key to a pool and call Done at once is how two of them come to edit the same object.
    """
    controller = controllers(4)
    controller.add("a")
    controller.add("b")
    assert controller.under_way() == ["a", "b"]

    controller.add("a")
    controller.add("b")
    controller.add("a")

    assert controller.under_way() == ["a", "b"]


@rule(
    cites=(ONE_AT_A_TIME, DOC["Multiple consumers and producers"]),
    after=[one_key_is_in_one_worker_at_a_time, however_it_ends_an_event_starts_it_again],
    each=ENDINGS,
)
def an_event_during_a_run_is_followed_by_another(controllers: Controllers, row: Ending) -> None:
    """After an event during a reconcile of its key, however that ends, there MUST be another at once.

    The one under way may have read the object before the event. Nobody else will tell.
    """
    controller = controllers()
    controller.add("a")
    assert controller.under_way() == ["a"]
    controller.add("a")

    controller.finish("a", row.how, row.after)

    assert controller.under_way() == ["a"]


@rule(
    cites=(DOC["Stingy"], RECONCILE["Reconciler"]),
    after=[a_success_is_the_end_of_it, an_event_during_a_run_is_followed_by_another],
    for_all={"events": numbers(2, 10)},
)
def many_events_during_a_run_are_followed_by_one(controllers: Controllers, events: int) -> None:
    """Any number of events during a reconcile of their key MUST be followed by no more than one other.

    A reconcile looks at the state as it is, not at what has led to it.
    """
    controller = controllers()
    controller.add("a")
    assert controller.under_way() == ["a"]
    for _ in range(events):
        controller.add("a")

    controller.finish("a")
    controller.finish("a")

    assert controller.under_way() == []


@rule(
    cites=(DOC["Stingy"], RECONCILE["Reconciler"]),
    after=[no_more_at_once_than_it_may, with_few_workers_and_many_keys_each_has_its_turn],
    for_all={"events": numbers(2, 10)},
)
def many_events_before_a_run_are_one_run(controllers: Controllers, events: int) -> None:
    """Any number of events for a key that waits for a worker MUST lead to no more than one reconcile."""
    controller = controllers(1)
    controller.add("b")
    assert controller.under_way() == ["b"]
    for _ in range(events):
        controller.add("a")

    controller.finish("b")
    controller.finish("a")

    assert controller.under_way() == []


@rule(cites=OUTCOME, after=[however_it_ends_an_event_starts_it_again], each=FAILURES)
def a_failure_is_retried(controllers: Controllers, row: Ending) -> None:
    """After a reconcile that failed, its key MUST be reconciled again when its rate limiter says so."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how)

    controller.elapse(1 * MINUTE)

    assert controller.under_way() == ["a"]


@rule(cites=OUTCOME, after=[however_it_ends_the_worker_goes_on], each=FAILURES)
def a_failure_is_not_retried_sooner(controllers: Controllers, row: Ending) -> None:
    """After a reconcile that failed, its key MUST NOT be reconciled before its rate limiter says so.

    What fails once mostly fails again: to try at once is a busy loop through somebody else's API.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how)

    controller.elapse(1 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a"]


@rule(cites=OUTCOME, after=[a_failure_is_retried, a_failure_is_not_retried_sooner], each=FAILURES)
def each_failure_waits_longer(controllers: Controllers, row: Ending) -> None:
    """A failure MUST NOT be forgotten by the next one: the third is waited for four times as long as the first."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how)
    controller.elapse(1 * MINUTE)
    controller.finish("a", row.how)
    controller.elapse(2 * MINUTE)
    controller.finish("a", row.how)

    controller.elapse(4 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a", "a", "a"]

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"]


@rule(
    cites=OUTCOME,
    after=[
        *(a_failure_is_retried, a_failure_is_not_retried_sooner),
        *(as_many_at_once_as_it_may, with_few_workers_and_many_keys_each_has_its_turn),
    ],
)
def each_key_has_its_own_failures(controllers: Controllers) -> None:
    """The failures of one key MUST NOT make another one wait longer."""
    controller = controllers(2)
    controller.add("a")
    controller.finish("a", "error")
    controller.add("b")
    controller.finish("b", "error")

    controller.elapse(1 * MINUTE)

    assert controller.under_way() == ["a", "b"]


@rule(cites=HANDLED, after=[each_failure_waits_longer])
def a_success_forgets_the_failures(controllers: Controllers) -> None:
    """After a success, the next failure MUST wait no longer than the first one did.

    Without the Forget a key that fails once a day is tried after a quarter of an hour by the end of the month.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "error")
    controller.elapse(1 * MINUTE)
    controller.finish("a")
    controller.add("a")
    controller.finish("a", "error")

    controller.elapse(1 * MINUTE)

    assert controller.under_way() == ["a"]


@dataclass(frozen=True)
class After(Row):
    requeue_after: str
    span: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"RequeueAfter": self.requeue_after}


A_WHILE = [After("30 s", 30 * SECOND), After("5 min", 5 * MINUTE)]
NOTHING = [After("0 s", 0), After("−1 s", -1 * SECOND)]


@rule(cites=RECONCILE["RequeueAfter"], after=[however_it_ends_an_event_starts_it_again], each=A_WHILE)
def requeue_after_brings_it_back(controllers: Controllers, row: After) -> None:
    """After a success with RequeueAfter, the key MUST be reconciled again when so much time has passed.

    Whoever polls something depends on it: no event will come.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "requeue_after", row.span)

    controller.elapse(row.span)

    assert controller.under_way() == ["a"]


@rule(cites=RECONCILE["RequeueAfter"], after=[however_it_ends_the_worker_goes_on], each=A_WHILE)
def requeue_after_brings_it_back_no_sooner(controllers: Controllers, row: After) -> None:
    """After a success with RequeueAfter, the key MUST NOT come again before so much time has passed.

    The time is taken as it is said: the rate limiter has no part in it.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "requeue_after", row.span)

    controller.elapse(row.span - MILLISECOND)

    assert controller.reconciled == ["a"]


@rule(cites=HANDLED, after=[requeue_after_brings_it_back, each_failure_waits_longer])
def requeue_after_forgets_the_failures(controllers: Controllers) -> None:
    """After a success with RequeueAfter, the next failure MUST wait no longer than the first one did.

    The Java client leaves the Forget out here.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "error")
    controller.elapse(1 * MINUTE)
    controller.finish("a", "requeue_after", 5 * MINUTE)
    controller.elapse(5 * MINUTE)
    controller.finish("a", "error")

    controller.elapse(1 * MINUTE)

    assert controller.under_way() == ["a"]


@rule(
    cites=RECONCILE["RequeueAfter"],
    after=[a_success_is_the_end_of_it, a_success_forgets_the_failures],
    each=NOTHING,
)
def requeue_after_nothing_is_a_success(controllers: Controllers, row: After) -> None:
    """A RequeueAfter of 0 or less MUST be a plain success: the key does not come again, its failures are forgotten.

    A deadline minus the time of day goes below 0 some day, and must not become a busy loop then.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "error")
    controller.elapse(1 * MINUTE)
    controller.finish("a", "requeue_after", row.span)

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a", "a"]

    controller.add("a")
    controller.finish("a", "error")
    controller.elapse(1 * MINUTE)

    assert controller.under_way() == ["a"]


@rule(cites=RECONCILE["Requeue"], after=[a_failure_is_retried, a_failure_is_not_retried_sooner])
def requeue_is_up_to_the_rate_limiter(controllers: Controllers) -> None:
    """After a success with Requeue, the key MUST be reconciled again when its rate limiter says so, and no sooner.

    Upstream has declared it outdated, and still does it.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "requeue")

    controller.elapse(1 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a"]

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"]


@rule(cites=RECONCILE["Requeue"], after=[requeue_is_up_to_the_rate_limiter])
def each_requeue_waits_longer(controllers: Controllers) -> None:
    """After a success with Requeue, the rate limiter MUST NOT be told to forget the key: the next waits longer."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", "requeue")
    controller.elapse(1 * MINUTE)
    controller.finish("a", "requeue")

    controller.elapse(2 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a", "a"]


@dataclass(frozen=True)
class Both(Row):
    requeue_after: str
    span: Nanoseconds
    comes_after: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {
            "RequeueAfter": self.requeue_after,
            "it comes again after": f"{self.comes_after // MINUTE} min",
        }


@rule(
    cites=(RECONCILE["RequeueAfter"], OUTCOME),
    after=[
        *(requeue_is_up_to_the_rate_limiter, requeue_after_nothing_is_a_success),
        *(requeue_after_brings_it_back, requeue_after_brings_it_back_no_sooner),
    ],
    each=[
        Both("5 min", 5 * MINUTE, 5 * MINUTE),
        Both("0 s", 0, 1 * MINUTE),
        Both("−1 s", -1 * SECOND, 1 * MINUTE),
    ],
)
def of_both_requeue_after_counts_if_there_is_any(controllers: Controllers, row: Both) -> None:
    """Of RequeueAfter and Requeue, the first MUST decide if it is greater than 0, and else the other."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", "both", row.span)

    controller.elapse(row.comes_after - MILLISECOND)

    assert controller.reconciled == ["a"]

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"]


@rule(cites=RECONCILE["TerminalError"], after=[however_it_ends_the_worker_goes_on])
def a_terminal_error_is_not_retried(controllers: Controllers) -> None:
    """After a terminal error, the key MUST NOT be reconciled again before something happens to it.

    Upstream's test looks at once, and so would miss a retry.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "terminal")

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(cites=RECONCILE["TerminalError"], after=[a_terminal_error_is_not_retried])
def a_wrapped_terminal_error_is_one_too(controllers: Controllers) -> None:
    """An error that was raised from a terminal error SHOULD be taken for one.

    Upstream looks through all that is wrapped; Python's word for that is `raise … from`.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "wrapped")

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(cites=HANDLED, after=[a_terminal_error_is_not_retried, each_failure_waits_longer])
def a_terminal_error_forgets_nothing(controllers: Controllers) -> None:
    """A terminal error SHOULD NOT forget the failures before it: the next one waits longer.

    Upstream's code has it so; nothing is said about it.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "error")
    controller.elapse(1 * MINUTE)
    controller.finish("a", "terminal")
    controller.add("a")
    controller.finish("a", "error")

    controller.elapse(2 * MINUTE - MILLISECOND)

    assert len(controller.reconciled) == 3


@rule(
    cites=AT_MOST,
    after=[
        *(no_more_at_once_than_it_may, with_few_workers_and_many_keys_each_has_its_turn),
        *(a_failure_is_retried, requeue_is_up_to_the_rate_limiter),
        *(requeue_after_brings_it_back, requeue_after_brings_it_back_no_sooner),
    ],
    each=COMES_AGAIN,
)
def what_comes_again_waits_for_a_worker(controllers: Controllers, row: Ending) -> None:
    """A key that is to be reconciled again MUST wait while as many as may be are under way."""
    controller = controllers(1)
    controller.add("a")
    controller.finish("a", row.how, row.after)
    controller.add("b")
    assert controller.under_way() == ["b"]

    controller.elapse(A_LONG_TIME)

    assert controller.under_way() == ["b"]

    controller.finish("b")

    assert controller.under_way() == ["a"]


@rule(
    cites=ONE_AT_A_TIME,
    after=[what_comes_again_waits_for_a_worker, one_key_is_in_one_worker_at_a_time],
    each=COMES_AGAIN,
)
def what_comes_again_waits_for_its_own_run(controllers: Controllers, row: Ending) -> None:
    """A key that is to be reconciled again MUST wait while a reconcile of it is under way.

    If the time is a part of what is queued, the retry and the event are two different items
    (kubernetes/kubernetes#40494).
    """
    controller = controllers(2)
    controller.add("a")
    controller.finish("a", row.how, row.after)
    controller.add("a")
    assert controller.under_way() == ["a"]

    controller.elapse(A_LONG_TIME)

    assert controller.under_way() == ["a"]


@rule(
    cites=CONTROLLER["AddWithOpts"],
    after=[what_comes_again_waits_for_its_own_run],
    each=COMES_AGAIN,
    contested=("it comes again all the same", "the event has taken its place"),
)
def whether_an_event_in_the_meantime_takes_its_place(controllers: Controllers, row: Ending) -> str:
    """A key that is to come again MAY do so though it has been reconciled meanwhile, because of an event.

    With client-go's queue both happen, with controller-runtime's own, which is its default now, only the
    sooner (kubernetes/kubernetes#110642).
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how, row.after)
    controller.add("a")
    controller.finish("a")

    controller.elapse(A_LONG_TIME)

    return "it comes again all the same" if controller.under_way() else "the event has taken its place"


@rule(
    cites=CONTROLLER["AddWithOpts"],
    after=[what_comes_again_waits_for_its_own_run, an_event_during_a_run_is_followed_by_another],
    each=COMES_AGAIN,
    contested=("it comes again all the same", "the event has taken its place"),
)
def whether_an_event_before_takes_its_place(controllers: Controllers, row: Ending) -> str:
    """A key that is to come again MAY do so though an event during the run has brought it back at once.

    With controller-runtime's own queue it does not: what is ready is not made to wait. A reconcile that wants
    to be called again has to say so each time.
    """
    controller = controllers()
    controller.add("a")
    assert controller.under_way() == ["a"]
    controller.add("a")
    controller.finish("a", row.how, row.after)
    controller.finish("a")

    controller.elapse(A_LONG_TIME)

    return "it comes again all the same" if controller.under_way() else "the event has taken its place"


@rule(cites=START, after=[a_key_that_is_added_is_reconciled], each=A_FEW)
def idle_workers_go_home(controllers: Controllers, row: Workers) -> None:
    """With nothing to do, Start and Stop MUST return once Stop has been called, however many workers wait.

    A Stop that first waits for the workers and then tells them waits for ever (kubernetes/kubernetes#97323).
    """
    controller = controllers(row.workers)
    controller.add("a")
    controller.finish("a")

    controller.stop()

    assert controller.stopped


@rule(
    cites=START,
    after=[idle_workers_go_home, as_many_at_once_as_it_may, however_it_ends_the_worker_goes_on],
    each=ENDINGS,
)
def it_lets_what_is_under_way_come_to_its_end(controllers: Controllers, row: Ending) -> None:
    """After Stop, the reconciles under way MUST be let come to their end, and Start and Stop return with the last."""
    controller = controllers(2)
    controller.add("a")
    controller.add("b")
    assert controller.under_way() == ["a", "b"]
    controller.stop()

    assert controller.under_way() == ["a", "b"]

    controller.finish("b")
    controller.finish("a", row.how, row.after)

    assert controller.stopped


@rule(cites=START, after=[it_lets_what_is_under_way_come_to_its_end])
def it_has_not_stopped_while_a_reconcile_is_under_way(controllers: Controllers) -> None:
    """Start and Stop MUST NOT both have returned while a reconcile is under way.

    Whoever has seen both return closes what the reconciles work with.
    """
    controller = controllers(3)
    controller.add("a")
    controller.add("b")
    assert controller.under_way() == ["a", "b"]

    controller.stop()

    assert not controller.stopped

    controller.finish("a")

    assert not controller.stopped


@dataclass(frozen=True)
class Key(Row):
    added: str
    key: str


@rule(
    cites=QUEUE["Add"],
    after=[it_lets_what_is_under_way_come_to_its_end],
    each=[Key("another key", "b"), Key("a key that is being reconciled", "a")],
)
def what_is_added_after_stop_is_not_reconciled(controllers: Controllers, row: Key) -> None:
    """A key that is added after Stop MUST be ignored, silently.

    The informers do not know that the controller has gone; and it would be reconciled by nobody who waits for it.
    """
    controller = controllers(2)
    controller.add("a")
    assert controller.under_way() == ["a"]
    controller.stop()
    assert controller.under_way() == ["a"]

    controller.add(row.key)

    assert controller.under_way() == ["a"]

    controller.finish("a")

    assert controller.under_way() == []


@rule(cites=START, after=[it_lets_what_is_under_way_come_to_its_end], each=COMES_AGAIN)
def what_ends_after_stop_does_not_come_again(controllers: Controllers, row: Ending) -> None:
    """A key whose reconcile ends after Stop MUST NOT be reconciled again, however it ends."""
    controller = controllers()
    controller.add("a")
    assert controller.under_way() == ["a"]
    controller.stop()
    controller.finish("a", row.how, row.after)

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(
    cites=START,
    after=[
        *(idle_workers_go_home, a_failure_is_not_retried_sooner),
        *(requeue_after_brings_it_back_no_sooner, requeue_is_up_to_the_rate_limiter),
    ],
    each=COMES_AGAIN,
)
def stop_does_not_wait_for_what_is_to_come_again(controllers: Controllers, row: Ending) -> None:
    """Start and Stop MUST return though there are keys that are to be reconciled again later.

    Rate limiters go up to a quarter of an hour; no manager waits so long.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how, row.after)
    assert controller.under_way() == []

    controller.stop()

    assert controller.stopped


@rule(cites=START, after=[stop_does_not_wait_for_what_is_to_come_again], each=COMES_AGAIN)
def nothing_comes_again_once_it_has_stopped(controllers: Controllers, row: Ending) -> None:
    """A key that is to be reconciled again later MUST NOT be once Start and Stop have returned."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how, row.after)
    assert controller.under_way() == []
    controller.stop()
    assert controller.stopped

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(
    cites=(CONTROLLER["processNextWorkItem"], QUEUE["ShutDown"]),
    after=[it_lets_what_is_under_way_come_to_its_end, no_more_at_once_than_it_may],
    each=[Key("a key that waits for a worker", "b"), Key("an event during its last run", "a")],
    contested=("it is reconciled", "it is dropped"),
)
def what_becomes_of_the_rest_at_stop(controllers: Controllers, row: Key) -> str:
    """What was added before Stop and has had no turn yet MAY be reconciled or dropped.

    With client-go's queue the workers go on, with a context that is cancelled; with controller-runtime's own
    queue, which is its default now, they go home.
    """
    controller = controllers(1)
    controller.add("a")
    assert controller.under_way() == ["a"]
    controller.add(row.key)
    controller.stop()

    controller.finish("a")

    if row.key in controller.under_way():
        controller.finish(row.key)
        return "it is reconciled" if controller.stopped else "it never stops"
    return "it is dropped" if controller.stopped else "it never stops"


@rule(
    cites=(RECONCILE["Reconciler"], AT_MOST),
    after=[
        *(no_more_at_once_than_it_may, with_few_workers_and_many_keys_each_has_its_turn),
        *(one_key_is_in_one_worker_at_a_time, an_event_during_a_run_is_followed_by_another),
        *(however_it_ends_an_event_starts_it_again, what_comes_again_waits_for_its_own_run),
    ],
    for_all={
        "workers": numbers(1, 3),
        "steps": sequences(("a", "b", "c", "ok", "error", "a minute"), 10, 40),
    },
)
def no_event_is_missed(controllers: Controllers, workers: int, steps: Sequence[str]) -> None:
    """In whatever order keys are added and reconciles end, a reconcile MUST begin after the last event of each key.

    That is all that a controller is for. No two are of one key at once, and no more than it may.
    """
    controller = controllers(workers)
    begun_before: dict[str, int] = {}
    for step in steps:
        running = controller.under_way()
        assert len(set(running)) == len(running) <= workers
        if step == "a minute":
            controller.elapse(MINUTE)
        elif step in ("a", "b", "c"):
            begun_before[step] = controller.reconciled.count(step)
            controller.add(step)
        elif running:
            controller.finish(running[0], step)

    for _ in steps:
        for key in controller.under_way():
            controller.finish(key)

    assert all(controller.reconciled.count(key) > begun for key, begun in begun_before.items())
