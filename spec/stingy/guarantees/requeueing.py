"""Controllers: RequeueAfter.

A reconcile that has succeeded may still ask to be called again: after a time of its own, which is
RequeueAfter, or when the rate limiter says so, which is Requeue. And like a key that failed, one that is to come
again waits for a worker, and for its own run, as any other does.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import MICROSECOND
from stingy.contract.sources import CONTROLLER, CONTROLLER_TESTS, RECONCILE
from stingy.guarantees.controller import (
    A_LONG_TIME,
    AT_MOST,
    ONE_AT_A_TIME,
    Valued,
)
from stingy.guarantees.delays import SET, Setting
from stingy.guarantees.handing_out import UNEQUAL, Values
from stingy.guarantees.outcomes import (
    COMES_AGAIN,
    Ending,
)
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    Controllers,
    Nanoseconds,
    Row,
    given,
    rule,
)


@dataclass(frozen=True)
class After(Row):
    requeue_after: str
    span: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"RequeueAfter": self.requeue_after}


A_WHILE = [After("30 s", 30 * SECOND), After("5 min", 5 * MINUTE)]
MOMENTS = [
    After("1 ms", MILLISECOND),
    After("0.5 ms", MILLISECOND // 2),
    After("1 µs", MICROSECOND),
    After("1 ns", 1),
]
NOTHING = [After("0 s", 0), After("−1 s", -1 * SECOND)]


@rule(
    cites=(RECONCILE["by RequeueAfter"], RECONCILE["RequeueAfter"]),
    after="outcomes/however-it-ends-an-event-starts-it-again",
    each=[*A_WHILE, *MOMENTS],
)
def requeue_after_brings_it_back(controllers: Controllers, row: After) -> None:
    """After a success with RequeueAfter, the key MUST be reconciled again when so much time has passed.

    Whoever polls something depends on it: no event will come.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "requeue_after", row.span)

    controller.elapse(row.span)

    assert controller.under_way() == ["a"]


@rule(
    cites=(
        CONTROLLER_TESTS[
            "should requeue a Request after a duration (but not rate-limited) if the Result sets RequeueAfter (regardless of Requeue)"
        ],
        RECONCILE["RequeueAfter"],
    ),
    after="outcomes/however-it-ends-the-worker-goes-on",
    each=A_WHILE,
)
def requeue_after_brings_it_back_no_sooner(controllers: Controllers, row: After) -> None:
    """After a success with RequeueAfter, the key MUST NOT come again before so much time has passed.

    The time is taken as it is said: the rate limiter has no part in it.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", "requeue_after", row.span)

    controller.elapse(row.span - MILLISECOND)

    assert controller.reconciled == ["a"]


@rule(
    cites=(RECONCILE["by RequeueAfter"], RECONCILE["RequeueAfter"]),
    after=("requeueing/requeue-after-brings-it-back", "requeueing/requeue-after-brings-it-back-no-sooner"),
    each=SET,
)
def a_clock_that_is_set_changes_no_requeue_after(controllers: Controllers, row: Setting) -> None:
    """After a success with RequeueAfter, the key MUST come again when so much time has passed, and no sooner, though somebody sets the wall clock."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", "requeue_after", 5 * MINUTE)

    controller.set_clock(row.by)
    controller.elapse(5 * MINUTE - MILLISECOND)

    assert controller.reconciled == ["a"], "are deadlines times of day? Use a monotonic clock."

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"], "are deadlines times of day? Use a monotonic clock."


@rule(
    cites=(RECONCILE["by RequeueAfter"], RECONCILE["RequeueAfter"]),
    after=("controller/unequal-values-are-different-keys", "requeueing/requeue-after-brings-it-back"),
    each=UNEQUAL,
)
def unequal_values_come_again_for_themselves(valued: Valued, row: Values) -> None:
    """Each of two keys that are not equal MUST be reconciled again after its RequeueAfter, of whatever type, even if their hashes or their texts are the same."""
    controller = valued(2)
    for value in row.both:
        controller.add(value)
    for value in row.both:
        controller.finish(value, "requeue_after", MINUTE)

    controller.elapse(MINUTE)

    assert controller.under_way() == sorted(row.both), "are keys looked up by their hash or their text?"


@rule(
    cites=(CONTROLLER["reconcileHandler"], CONTROLLER["Forget"]),
    after=("requeueing/requeue-after-brings-it-back", "outcomes/each-failure-waits-longer"),
)
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
    cites=(RECONCILE["by RequeueAfter"], RECONCILE["RequeueAfter"]),
    after="outcomes/a-success-forgets-the-failures",
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


@rule(
    cites=(RECONCILE["by Requeue"], RECONCILE["Requeue"]),
    after=("outcomes/a-failure-is-retried", "outcomes/a-failure-is-not-retried-sooner"),
)
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


@rule(
    cites=(RECONCILE["by Requeue"], RECONCILE["Requeue"]),
    after="requeueing/requeue-is-up-to-the-rate-limiter",
)
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
class RequeueAndAfter(Row):
    requeue_after: str
    span: Nanoseconds
    comes_after: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {
            "RequeueAfter": self.requeue_after,
            "it comes again after": f"{self.comes_after // MINUTE} min",
        }


@rule(
    cites=(RECONCILE["by Requeue"], RECONCILE["by RequeueAfter"]),
    after=(
        "requeueing/requeue-is-up-to-the-rate-limiter",
        "requeueing/requeue-after-nothing-is-a-success",
        "requeueing/requeue-after-brings-it-back",
        "requeueing/requeue-after-brings-it-back-no-sooner",
    ),
    each=[
        RequeueAndAfter("5 min", 5 * MINUTE, 5 * MINUTE),
        RequeueAndAfter("0 s", 0, 1 * MINUTE),
        RequeueAndAfter("−1 s", -1 * SECOND, 1 * MINUTE),
    ],
)
def of_both_requeue_after_counts_if_there_is_any(controllers: Controllers, row: RequeueAndAfter) -> None:
    """Of RequeueAfter and Requeue, the first MUST decide if it is greater than 0, and else the other."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", "both", row.span)

    controller.elapse(row.comes_after - MILLISECOND)

    assert controller.reconciled == ["a"]

    controller.elapse(MILLISECOND)

    assert controller.under_way() == ["a"]


@rule(
    cites=AT_MOST,
    after=(
        "controller/no-more-at-once-than-it-may",
        "requeueing/requeue-is-up-to-the-rate-limiter",
        "requeueing/requeue-after-brings-it-back",
        "requeueing/requeue-after-brings-it-back-no-sooner",
    ),
    each=COMES_AGAIN,
)
def what_comes_again_waits_for_a_worker(controllers: Controllers, row: Ending) -> None:
    """A key that is to be reconciled again MUST wait while every worker is busy, and have its turn then."""
    controller = controllers(1)
    controller.add("a")
    controller.finish("a", row.how, row.after)
    controller.add("b")
    with given():
        assert controller.under_way() == ["b"]

    controller.elapse(A_LONG_TIME)

    assert controller.under_way() == ["b"]

    controller.finish("b")

    assert controller.under_way() == ["a"]


@rule(
    cites=ONE_AT_A_TIME,
    after=("requeueing/what-comes-again-waits-for-a-worker", "controller/one-key-is-in-one-worker-at-a-time"),
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
    with given():
        assert controller.under_way() == ["a"]

    controller.elapse(A_LONG_TIME)

    assert controller.under_way() == ["a"]


@rule(
    cites=CONTROLLER["AddWithOpts"],
    after="requeueing/what-comes-again-waits-for-its-own-run",
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
    after=(
        "requeueing/what-comes-again-waits-for-its-own-run",
        "outcomes/an-event-during-a-run-is-followed-by-another",
    ),
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
    with given():
        assert controller.under_way() == ["a"]
    controller.add("a")
    controller.finish("a", row.how, row.after)
    controller.finish("a")

    controller.elapse(A_LONG_TIME)

    return "it comes again all the same" if controller.under_way() else "the event has taken its place"
