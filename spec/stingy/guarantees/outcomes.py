"""Controllers: outcomes.

That decides what becomes of the key. After an error it is tried again when the rate limiter says so; after a
success that is forgotten; after a terminal error nobody tries again. Whatever it was, the worker goes on,
and the key is done with: open to new events.

The rate limiter is the rules' own here: it answers 1 min, 2 min, 4 min and so on for each key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, get_args

from stingy.contract.ops import Cancelled, Raised
from stingy.contract.sources import CONTROLLER, CONTROLLER_OPTIONS, CONTROLLER_TESTS, DOC, LIMITERS, RECONCILE
from stingy.guarantees.controller import (
    A_LONG_TIME,
    ONE_AT_A_TIME,
)
from stingy.language import MILLISECOND, MINUTE, AtOnce, Controllers, Nanoseconds, Row, given, numbers, rule

OUTCOME = RECONCILE["TypedReconciler"]


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


(CANCELLED,) = get_args(Cancelled)


def waits_after(failures: int) -> Nanoseconds:
    """How long the rate limiter has an item wait that has failed so often before."""
    return MINUTE << min(failures, 7)


@rule(
    cites=CONTROLLER_TESTS["should requeue a Request if there is an error and continue processing items"],
    after="controller/with-few-workers-and-many-keys-each-has-its-turn",
    each=ENDINGS,
)
def however_it_ends_the_worker_goes_on(controllers: Controllers, row: Ending) -> None:
    """However a reconcile ends, its worker MUST take the next key at once.

    A worker that dies of an exception, or sleeps until it is time to try again, leaves fewer for the others.
    """
    controller = controllers(1)
    controller.add("a")
    with given():
        assert controller.under_way() == ["a"]
    controller.add("b")

    controller.finish("a", row.how, row.after)

    assert controller.under_way() == ["b"]


@rule(
    cites=(CONTROLLER_OPTIONS["TypedOptions"], CONTROLLER["processNextWorkItem"]),
    after="outcomes/however-it-ends-the-worker-goes-on",
    each=ENDINGS,
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

    assert controller.under_way() == ["a"], "is Done called however the reconcile ends, as in a finally?"


@rule(
    cites=(ONE_AT_A_TIME, DOC["Multiple consumers and producers"]),
    after=(
        "controller/one-key-is-in-one-worker-at-a-time",
        "outcomes/however-it-ends-an-event-starts-it-again",
    ),
    each=ENDINGS,
)
def an_event_during_a_run_is_followed_by_another(controllers: Controllers, row: Ending) -> None:
    """After an event during a reconcile of its key, however that ends, there MUST be another at once.

    The one under way may have read the object before the event. Nobody else will tell.
    """
    controller = controllers()
    controller.add("a")
    with given():
        assert controller.under_way() == ["a"]
    controller.add("a")

    controller.finish("a", row.how, row.after)

    assert controller.under_way() == ["a"]


@rule(
    cites=(DOC["Stingy"], RECONCILE["de-duplicates"]),
    after="outcomes/an-event-during-a-run-is-followed-by-another",
    for_all={"events": numbers(2, 10)},
)
def many_events_during_a_run_are_followed_by_one(controllers: Controllers, events: int) -> None:
    """Any number of events during a reconcile of their key MUST be followed by no more than one other.

    A reconcile looks at the state as it is, not at what has led to it.
    """
    controller = controllers()
    controller.add("a")
    with given():
        assert controller.under_way() == ["a"]
    for _ in range(events):
        controller.add("a")

    controller.finish("a")
    controller.finish("a")

    assert controller.under_way() == []


@rule(cites=OUTCOME, after="outcomes/however-it-ends-an-event-starts-it-again", each=FAILURES)
def a_failure_is_retried(controllers: Controllers, row: Ending) -> None:
    """After a reconcile that failed, its key MUST be reconciled again when its rate limiter says so."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how)

    controller.elapse(1 * MINUTE)

    assert controller.under_way() == ["a"]


@rule(cites=OUTCOME, after="outcomes/however-it-ends-the-worker-goes-on", each=FAILURES)
def a_failure_is_not_retried_sooner(controllers: Controllers, row: Ending) -> None:
    """After a reconcile that failed, its key MUST NOT be reconciled before its rate limiter says so.

    What fails once mostly fails again: to try at once is a busy loop through somebody else's API.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how)

    controller.elapse(1 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a"]


@rule(
    cites=(
        RECONCILE["TypedReconciler"],
        CONTROLLER_TESTS["should not reset backoff until there's a non-error result"],
    ),
    after=("outcomes/a-failure-is-retried", "outcomes/a-failure-is-not-retried-sooner"),
    each=FAILURES,
)
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
    after="outcomes/each-failure-waits-longer",
    each=[Ending(f"with {name}", name) for name in get_args(Raised)],
)
def whatever_it_raises_is_a_failure(controllers: Controllers, row: Ending) -> None:
    """Whatever a reconcile raises MUST count as a failure: its key is reconciled again when its rate limiter says so, and no sooner.

    A worker catches exceptions of its own, such as `queue.Empty` where it waits for a key. If the reconcile is called in the same
    `try`, its exception is taken for that. And an `except` that fails itself, as it writes the exception into a log, ends the worker.
    """
    controller = controllers(1)
    controller.add("a")
    controller.finish("a", row.how)

    controller.elapse(1 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a"]

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"], (
        "is the reconcile called in a try of its own, whose except cannot fail?"
    )

    controller.finish("a", row.how)
    controller.elapse(2 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a", "a"]

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"]


@rule(cites=CONTROLLER["reconcileHandler"].in_code, after="outcomes/whatever-it-raises-is-a-failure")
def a_cancelled_error_is_a_failure(controllers: Controllers) -> None:
    """A CancelledError that a reconcile raises though its worker was not cancelled SHOULD count as a failure.

    The reconcile has awaited a task that somebody else cancelled. To upstream, `context.Canceled` is an error like any other. In
    asyncio it is no `Exception`, and ends a worker that catches nothing else.
    """
    controller = controllers(1)
    controller.add("a")
    controller.finish("a", CANCELLED)

    controller.elapse(1 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a"]

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"], "does the worker go on after a CancelledError of its reconcile?"


MANY = 20
"""More attempts than a controller that gives up usually makes: 3, 5, 12 or 15."""


@rule(
    cites=OUTCOME,
    after="outcomes/each-failure-waits-longer",
    each=FAILURES,
)
def however_often_it_fails_it_is_retried(controllers: Controllers, row: Ending) -> None:
    """However often a reconcile has failed, its key MUST be reconciled again when its rate limiter says so.

    A server that is down may be back tomorrow. A reconcile that wants to give up returns a terminal error.
    """
    controller = controllers()
    controller.add("a")

    for failures in range(MANY):
        controller.finish("a", row.how)
        controller.elapse(waits_after(failures))

    assert controller.under_way() == ["a"], (
        "is there a limit to the retries? Only a terminal error is not retried."
    )


@rule(
    cites=(
        RECONCILE["TypedReconciler"],
        CONTROLLER_TESTS["should not reset backoff until there's a non-error result"],
    ),
    after=("outcomes/each-failure-waits-longer", "outcomes/an-event-during-a-run-is-followed-by-another"),
    each=FAILURES,
)
def an_event_between_failures_forgets_none(controllers: Controllers, row: Ending) -> None:
    """An event MUST NOT make a controller forget how often its key has failed.

    Only a success ends a series of failures. A reconcile that fails and writes a status causes an event each time.
    """
    controller = controllers()
    controller.add("a")
    for failures in range(4):
        controller.finish("a", row.how)
        controller.elapse(waits_after(failures))
    controller.add("a")
    controller.finish("a", row.how)
    controller.finish("a", row.how)
    controller.elapse(waits_after(5))
    for _ in range(2):
        for running in controller.under_way():
            controller.finish(running, row.how)
    runs = len(controller.reconciled)

    controller.elapse(waits_after(6) - MINUTE)

    assert len(controller.reconciled) == runs


@rule(
    cites=(LIMITERS["NumRequeues"], RECONCILE["TypedReconciler"]),
    after=(
        "outcomes/a-failure-is-retried",
        "outcomes/a-failure-is-not-retried-sooner",
        "controller/as-many-at-once-as-it-may",
    ),
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


@rule(
    cites=(
        CONTROLLER_TESTS["should not reset backoff until there's a non-error result"],
        CONTROLLER["reconcileHandler"],
    ),
    after="outcomes/each-failure-waits-longer",
)
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


@rule(cites=RECONCILE["TerminalError"], after="outcomes/however-it-ends-the-worker-goes-on")
def a_terminal_error_is_not_retried(controllers: Controllers) -> None:
    """After a terminal error, the key MUST NOT be reconciled again before something happens to it.

    Upstream's test looks at once, and so would miss a retry.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "terminal")

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(cites=RECONCILE["TerminalError"].in_code, after="outcomes/a-terminal-error-is-not-retried")
def a_wrapped_terminal_error_is_one_too(controllers: Controllers) -> None:
    """An error that was raised from a terminal error SHOULD be taken for one.

    Upstream looks through all that is wrapped; Python's word for that is `raise … from`.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "wrapped")

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(
    cites=CONTROLLER["reconcileHandler"].in_code,
    after=("outcomes/a-terminal-error-is-not-retried", "outcomes/each-failure-waits-longer"),
)
def a_terminal_error_forgets_nothing(controllers: Controllers) -> None:
    """A terminal error SHOULD NOT forget the failures before it: the next one waits longer.

    Upstream's code has it so. Its words on Forget allow both: whoever is not retried any more may be forgotten, "for failing or
    for success".
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


@dataclass(frozen=True)
class Two(Row):
    """Two reconciles of one key; the second ends as soon as it begins."""

    the_first: str
    the_second: str
    failures: int
    """How many failures the rate limiter has to count after both."""

    @property
    def name(self) -> str:
        return f"{self.the_first}, then {self.the_second}"

    def cells(self) -> dict[str, str]:
        return {"the first ends": self.the_first, "the second": self.the_second}


@rule(
    cites=(CONTROLLER["processNextWorkItem"], CONTROLLER["reconcileHandler"]),
    after=(
        "outcomes/a-success-forgets-the-failures",
        "controller/an-event-as-a-reconcile-ends-is-not-missed",
    ),
    each=[Two("ok", "error", 1), Two("error", "ok", 0)],
)
def the_outcome_of_a_run_counts_before_the_next_begins(
    controllers: Annotated[Controllers, AtOnce], row: Two
) -> None:
    """A controller MUST tell the rate limiter the outcome of a reconcile before the next reconcile of its key begins.

    A worker that calls Done first, and Forget afterwards, can make the limiter forget a failure of the next reconcile.
    """
    controller = controllers(2)
    controller.add("a")

    controller.at_once(["a"], ends="a", how=row.the_first, next_ends=row.the_second)
    controller.elapse(A_LONG_TIME)
    if not controller.under_way():
        controller.add("a")
    controller.finish("a", "error")
    runs = len(controller.reconciled)

    controller.elapse(waits_after(row.failures) - MILLISECOND)

    assert len(controller.reconciled) == runs, "is AddRateLimited or Forget called before Done?"

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"], "is AddRateLimited or Forget called before Done?"
