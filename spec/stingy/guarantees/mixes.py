"""Every mix of calls.

The rules before ask for one thing at a time. Here all calls of a queue are mixed, in random order,
while time passes to a deadline, not quite to it, and far beyond it. An item is added while it waits, delayed while a worker
holds it, and comes due while it is queued; and then the same happens to it once more, for what a call leaves behind shows
only when the item comes round again. What the workers get is compared with a model of the queue. Where upstream leaves
something open, the model allows all of it. Controllers are asked in the same way, with each end that a reconcile can have,
and limiters alone, in every mix of their few calls.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import (
    CONTROLLER_OPTIONS,
    DELAYING,
    DELAYING_TESTS,
    DESIGN,
    DOC,
    LIMITERS,
    PRIORITY_QUEUE,
    QUEUE,
    RATE_LIMITING,
    RECONCILE,
    TOKEN_BUCKET,
)
from stingy.guarantees.backoff import Exponential, doubling
from stingy.guarantees.bucket import ONE_A_MINUTE, Bucket, seconds
from stingy.language import (
    MINUTE,
    SECOND,
    Controllers,
    DelayingQueue,
    PriorityQueue,
    RateLimitingQueue,
    Row,
    With,
    numbers,
    rule,
    steps,
)
from stingy.language.notation import parse_steps
from stingy.language.paths import walks
from stingy.language.walk import Promise, keeps
from stingy.language.walked import WORKERS, WalkedController, WalkedQueue


@dataclass(frozen=True)
class Meeting(Row):
    """Where an item is when its deadline comes."""

    where: str
    steps: str


@rule(
    cites=(DELAYING["AddAfter"], DELAYING["insert"]),
    after=(
        "delays/an-item-can-be-delayed-again",
        "deadlines/an-item-due-while-it-is-processed-comes-after-its-done",
        "deadlines/an-item-due-while-it-is-queued-comes-once",
    ),
    each=[
        Meeting("in the queue", "add"),
        Meeting("with a worker", "add, get"),
        Meeting("with a worker, and added again", "add, get, add"),
    ],
)
def what_came_due_meanwhile_can_be_delayed_again(delaying: DelayingQueue, row: Meeting) -> None:
    """Wherever an item was when its deadline came, it MUST come again when it is delayed again.

    kube-rs/kube#1322 lost it.
    """
    for step in parse_steps(row.steps):
        if step == "add":
            delaying.add("a")
        else:
            delaying.get()
    delaying.add_after("a", MINUTE)
    delaying.elapse(MINUTE)
    delaying.take_all()

    delaying.add_after("a", MINUTE)
    delaying.elapse(MINUTE)

    assert delaying.get() == "a"


HELD = "get", "done ITEM"
DELAYS = *HELD, "add ITEM", "ITEM after 5 s", "ITEM after 50 s", "len"
DELAYED = {"does": walks(*DELAYS, most=60)}
RETRIED = {
    "does": walks(
        *HELD,
        "add ITEM",
        "ITEM after 50 s",
        "ITEM fails",
        "ITEM is forgotten",
        "num_requeues ITEM",
        most=60,
    )
}
URGENCIES = (
    *HELD,
    "add ITEM",
    "add ITEM at 7",
    "ITEM after 5 s",
    "ITEM after 50 s at 7",
    "ITEM fails at 7",
)
URGENT = {"does": walks(*URGENCIES, "ITEM fails", most=60, merges=True)}
SHUT_DOWN = {
    "does": walks(*HELD, "add ITEM", "ITEM after 5 s", "ITEM after 50 s", most=60, once="shut down"),
}
CONTROLLED = {
    "does": walks(
        "add ITEM",
        "ITEM ends ok",
        "ITEM ends error",
        "ITEM ends requeue",
        "ITEM ends requeue_after after 50 s",
        most=60,
    )
}

ENDINGS = (
    "outcomes/each-failure-waits-longer",
    "outcomes/a-success-forgets-the-failures",
    "requeueing/each-requeue-waits-longer",
    "requeueing/requeue-after-forgets-the-failures",
)
"""Rules on how long each end of a reconcile delays the next: the model goes by them."""

Retrying = Annotated[RateLimitingQueue, With("delay")]
Limited = Annotated[PriorityQueue, With("limit")]


@rule(
    cites=(DELAYING["AddAfter"], DELAYING["insert"], QUEUE["Done"]),
    after=("mixes/what-came-due-meanwhile-can-be-delayed-again", "deadlines/a-done-does-not-cancel-a-delay"),
    for_all=DELAYED,
)
def a_delaying_queue_loses_nothing(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happens to an item that waits, is queued or is held, it MUST be handed out after each Add, and at its earliest deadline unless an Add has taken its place."""
    return keeps(Promise.KEPT, WalkedQueue(delaying), does)


@rule(
    cites=(DOC["Stingy"], DELAYING["AddAfter"]),
    after="deadlines/an-item-due-while-it-is-processed-waits-for-its-done",
    for_all=DELAYED,
)
def a_delaying_queue_hands_nothing_out_twice_at_once(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happens to an item that a worker holds, it MUST NOT be handed out to another worker before its Done."""
    return keeps(Promise.ONE, WalkedQueue(delaying), does)


@rule(
    cites=DELAYING["AddAfter"],
    after=(
        "delays/an-item-is-not-there-before-its-delay-is-over",
        "deadlines/a-done-does-not-hurry-a-delayed-item",
    ),
    for_all=DELAYED,
)
def a_delaying_queue_hands_nothing_out_early(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happens to an item that waits, it MUST NOT be handed out before its deadline, unless it is added."""
    return keeps(Promise.EARLY, WalkedQueue(delaying), does)


@rule(
    cites=(DOC["Stingy"], DELAYING["insert"]),
    after=("deadlines/the-later-deadline-is-void", "deadlines/an-item-due-while-it-is-queued-comes-once"),
    for_all=DELAYED,
)
def a_delaying_queue_hands_nothing_out_too_often(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happens to an item, it MUST be handed out at most once for all Adds and deadlines since it was handed out last."""
    return keeps(Promise.ONCE, WalkedQueue(delaying), does)


@rule(
    cites=(DOC["Fair"], DELAYING["waitForPriorityQueue"]),
    after=("fair/first-come-first-served", "delays/items-come-in-the-order-of-their-deadlines"),
    for_all=DELAYED,
)
def a_delaying_queue_keeps_the_order(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happens to several items, they MUST be handed out in the order of their Adds, and of their deadlines."""
    return keeps(Promise.ORDER, WalkedQueue(delaying), does)


@rule(
    cites=(DELAYING_TESTS["TestSimpleQueue"], QUEUE["Len"]),
    after="delays/len-leaves-out-what-waits",
    for_all=DELAYED,
)
def a_delaying_queue_counts_what_is_queued(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happens to its items, Len MUST be the number of items that are queued, without those that wait. What was added while a worker holds it may be counted."""
    return keeps(Promise.LENGTH, WalkedQueue(delaying), does)


@rule(
    cites=(QUEUE["ShutDown"], QUEUE["Done"]),
    after=(
        "shutdown/what-was-queued-is-still-handed-out",
        "shutdown/what-was-owed-is-still-handed-out",
        "shutdown/nobody-waits-for-another-worker-to-finish",
        "mixes/a-delaying-queue-loses-nothing",
    ),
    for_all=SHUT_DOWN,
)
def a_delaying_queue_loses_nothing_in_a_shutdown(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happened to an item before ShutDown, it MUST still be handed out if it was queued then, or will be queued at its Done."""
    return keeps(Promise.KEPT, WalkedQueue(delaying), does)


@rule(
    cites=(QUEUE["ShutDown"], DELAYING["AddAfter"]),
    after=(
        "shutdown/what-is-added-after-shutdown-is-ignored",
        "shutdown/an-add-after-shutdown-is-ignored-for-an-item-in-processing",
        "abandonment/a-shutdown-drops-what-waits",
        "abandonment/an-addafter-after-a-shutdown-is-ignored",
        "mixes/a-delaying-queue-hands-nothing-out-too-often",
    ),
    for_all=SHUT_DOWN,
)
def a_delaying_queue_takes_nothing_after_a_shutdown(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happens before ShutDown and after it, an item MUST be handed out at most once for all Adds and deadlines since it was handed out last. Those after the ShutDown do not count."""
    return keeps(Promise.ONCE, WalkedQueue(delaying), does)


@rule(
    cites=(DOC["Stingy"], QUEUE["ShutDown"]),
    after=(
        "shutdown/what-was-owed-is-still-handed-out",
        "mixes/a-delaying-queue-hands-nothing-out-twice-at-once",
    ),
    for_all=SHUT_DOWN,
)
def a_delaying_queue_hands_nothing_out_twice_at_once_in_a_shutdown(
    delaying: DelayingQueue, does: list[str]
) -> str:
    """Whatever happened to an item before ShutDown, it MUST NOT be handed out to another worker before its Done."""
    return keeps(Promise.ONE, WalkedQueue(delaying), does)


@rule(
    cites=(QUEUE["ShutDown"], QUEUE["Get"]),
    after=(
        "shutdown/get-reports-the-shutdown",
        "shutdown/shutdown-wakes-every-waiting-worker",
        "abandonment/a-shutdown-drops-what-waits",
        "mixes/a-delaying-queue-loses-nothing-in-a-shutdown",
    ),
    for_all=SHUT_DOWN,
)
def a_delaying_queue_returns_every_get_after_a_shutdown(delaying: DelayingQueue, does: list[str]) -> str:
    """Whatever happened before ShutDown, a Get MUST NOT wait after it, nor go on waiting that was called before."""
    return keeps(Promise.SHUTDOWN, WalkedQueue(delaying), does)


@rule(
    cites=(RATE_LIMITING["AddRateLimited"], DELAYING["insert"], QUEUE["Done"]),
    after="mixes/a-delaying-queue-loses-nothing",
    for_all=RETRIED,
)
def a_rate_limiting_queue_loses_nothing(limiting: Retrying, does: list[str]) -> str:
    """Whatever happens to an item that has failed, it MUST be handed out after each Add, and when its retry is due unless an Add has taken its place."""
    return keeps(Promise.KEPT, WalkedQueue(limiting), does)


@rule(
    cites=(DOC["Stingy"], RATE_LIMITING["AddRateLimited"]),
    after="mixes/a-delaying-queue-hands-nothing-out-twice-at-once",
    for_all=RETRIED,
)
def a_rate_limiting_queue_hands_nothing_out_twice_at_once(limiting: Retrying, does: list[str]) -> str:
    """Whatever happens to an item that fails while a worker holds it, it MUST NOT be handed out before its Done."""
    return keeps(Promise.ONE, WalkedQueue(limiting), does)


@rule(
    cites=RATE_LIMITING["AddRateLimited"],
    after="mixes/a-delaying-queue-hands-nothing-out-early",
    for_all=RETRIED,
)
def a_rate_limiting_queue_hands_nothing_out_early(limiting: Retrying, does: list[str]) -> str:
    """Whatever happens to an item that has failed, it MUST NOT be handed out before its retry is due, unless it is added."""
    return keeps(Promise.EARLY, WalkedQueue(limiting), does)


@rule(
    cites=(DOC["Stingy"], RATE_LIMITING["AddRateLimited"]),
    after="mixes/a-delaying-queue-hands-nothing-out-too-often",
    for_all=RETRIED,
)
def a_rate_limiting_queue_hands_nothing_out_too_often(limiting: Retrying, does: list[str]) -> str:
    """Whatever happens to an item that has failed, it MUST be handed out at most once for all Adds and retries since it was handed out last."""
    return keeps(Promise.ONCE, WalkedQueue(limiting), does)


@rule(
    cites=(RATE_LIMITING["NumRequeues"], RATE_LIMITING["Forget"]),
    after="mixes/a-rate-limiting-queue-loses-nothing",
    for_all=RETRIED,
)
def a_rate_limiting_queue_counts_the_failures(limiting: Retrying, does: list[str]) -> str:
    """Whatever happens to an item, NumRequeues MUST be the number of its failures since the last Forget."""
    return keeps(Promise.COUNT, WalkedQueue(limiting), does)


@rule(
    cites=(DESIGN["After"], PRIORITY_QUEUE["lockedAddWithOpts"]),
    after="priority/an-item-comes-with-its-priority",
    for_all=URGENT,
)
def a_priority_queue_loses_nothing(prioritized: Limited, does: list[str]) -> str:
    """Whatever happens to an item with a priority, it MUST be handed out after each Add, when it is ready."""
    return keeps(Promise.KEPT, WalkedQueue(prioritized), does)


@rule(
    cites=(DESIGN["After"], PRIORITY_QUEUE["lockedAddWithOpts"]),
    after="priority/one-worker-at-a-time",
    for_all=URGENT,
)
def a_priority_queue_hands_nothing_out_twice_at_once(prioritized: Limited, does: list[str]) -> str:
    """Whatever happens to an item with a priority, it MUST NOT be handed out to another worker before its Done."""
    return keeps(Promise.ONE, WalkedQueue(prioritized), does)


@rule(
    cites=(DESIGN["After"], PRIORITY_QUEUE["lockedAddWithOpts"]),
    after=("readiness/nothing-comes-before-its-time", "readiness/a-rate-limited-item-waits-for-its-limiter"),
    for_all=URGENT,
)
def a_priority_queue_hands_nothing_out_early(prioritized: Limited, does: list[str]) -> str:
    """Whatever happens to an item with a priority, it MUST NOT be handed out before it is ready, even if it is held, has failed or is urgent."""
    return keeps(Promise.EARLY, WalkedQueue(prioritized), does)


@rule(
    cites=PRIORITY_QUEUE["PriorityQueue"],
    after="mixes/a-priority-queue-loses-nothing",
    for_all=URGENT,
)
def a_priority_queue_hands_nothing_out_too_often(prioritized: Limited, does: list[str]) -> str:
    """Whatever happens to an item with a priority, it MUST be handed out at most once for all Adds since it was handed out last."""
    return keeps(Promise.ONCE, WalkedQueue(prioritized), does)


@rule(
    cites=(DESIGN["Priority"], PRIORITY_QUEUE["PriorityQueue"]),
    after=(
        "priority/an-item-comes-with-its-priority",
        "priority/two-queues-know-nothing-of-each-other",
    ),
    for_all=URGENT,
)
def a_priority_queue_hands_out_with_the_highest_priority(prioritized: Limited, does: list[str]) -> str:
    """Whatever happens to an item, it MUST be handed out with the highest priority of the Adds that it is handed out for."""
    return keeps(Promise.PRIORITY, WalkedQueue(prioritized), does)


@rule(
    cites=DESIGN["Priority"],
    after="priority/the-highest-priority-goes-first",
    for_all=URGENT,
)
def a_priority_queue_hands_out_the_most_urgent_first(prioritized: Limited, does: list[str]) -> str:
    """Whatever happens to several items, the one with the highest priority MUST be handed out first of those that are ready."""
    return keeps(Promise.ORDER, WalkedQueue(prioritized), does)


@rule(
    cites=(RECONCILE["TypedReconciler"], QUEUE["Done"]),
    after=(
        "outcomes/however-it-ends-an-event-starts-it-again",
        "requeueing/requeue-after-brings-it-back",
        *ENDINGS,
    ),
    for_all=CONTROLLED,
)
def a_controller_loses_nothing(controllers: Controllers, does: list[str]) -> str:
    """However the reconciles of a key end, and whatever comes meanwhile, the key MUST be reconciled after each event, and when it is due again unless an event has taken its place."""
    return keeps(Promise.KEPT, WalkedController(controllers(WORKERS)), does)


@rule(
    cites=CONTROLLER_OPTIONS["TypedOptions"],
    after=("controller/one-key-is-in-one-worker-at-a-time", *ENDINGS),
    for_all=CONTROLLED,
)
def a_controller_reconciles_nothing_twice_at_once(controllers: Controllers, does: list[str]) -> str:
    """However the reconciles of a key end, and whatever comes meanwhile, a key MUST NOT be reconciled by two workers at once."""
    return keeps(Promise.ONE, WalkedController(controllers(WORKERS)), does)


@rule(
    cites=RECONCILE["RequeueAfter"],
    after=("requeueing/requeue-after-brings-it-back-no-sooner", *ENDINGS),
    for_all=CONTROLLED,
)
def a_controller_reconciles_nothing_early(controllers: Controllers, does: list[str]) -> str:
    """However the reconciles of a key end, and whatever comes meanwhile, a key MUST NOT be reconciled before its earliest deadline, unless an event comes."""
    return keeps(Promise.EARLY, WalkedController(controllers(WORKERS)), does)


@rule(
    cites=RECONCILE["de-duplicates"],
    after=("controller/many-events-before-a-run-are-one-run", *ENDINGS),
    for_all=CONTROLLED,
)
def a_controller_reconciles_nothing_too_often(controllers: Controllers, does: list[str]) -> str:
    """However the reconciles of a key end, and whatever comes meanwhile, a key MUST be reconciled at most once for all events since its last reconcile began."""
    return keeps(Promise.ONCE, WalkedController(controllers(WORKERS)), does)


ASKED = [f"{call} {item}" for call in ("when", "forget", "num_requeues") for item in "abc"]


@rule(
    cites=(LIMITERS["When"], LIMITERS["Forget"], LIMITERS["NumRequeues"]),
    after=("backoff/the-longest-wait-is-for-ever", "backoff/forget-is-about-one-item"),
    for_all={"does": steps(*ASKED, least=20, most=60)},
)
def an_exponential_limiter_counts_for_each_item(exponential: Exponential, does: list[str]) -> None:
    """Whatever is called for three items, When and NumRequeues MUST depend only on an item's own failures since its last Forget."""
    limiter = doubling(exponential)
    failures = Counter[str]()
    for step in does:
        match step.split():
            case ["when", item]:
                assert limiter.when(item) == min(SECOND << failures[item], MINUTE)
                failures[item] += 1
            case ["forget", item]:
                limiter.forget(item)
                failures[item] = 0
            case ["num_requeues", item]:
                assert limiter.num_requeues(item) == failures[item]


SHARED = ("when a", "when b", "forget a", "30 s pass", "70 s pass", "600 s pass")
A_LITTLE = 5
"""Seconds that all calls may take together. A place that is given twice, or not at all, changes a wait by ten or more."""


@rule(
    cites=(TOKEN_BUCKET["ReserveN"], LIMITERS["TypedBucketRateLimiter"]),
    after=(
        "bucket/a-place-that-was-promised-is-kept",
        "bucket/all-items-share-the-bucket",
        "bucket/a-bucket-holds-no-more-than-its-burst",
        "bucket/forget-gives-no-place-back",
    ),
    for_all={
        "burst": numbers(1, 5),
        "does": steps(*SHARED, least=20, most=60),
    },
)
def a_bucket_gives_each_call_the_next_place(bucket: Bucket, burst: int, does: list[str]) -> None:
    """Whatever is called for two items, and whenever, each When MUST take one place: without a wait as long as the bucket has one, and else behind all who wait."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=burst)
    left = burst * 60
    for step in does:
        match step.split():
            case ["when", item]:
                left -= 60
                assert abs(seconds(limiter.when(item)) - max(0, -left)) <= A_LITTLE
            case ["forget", item]:
                limiter.forget(item)
            case [span, "s", "pass"]:
                limiter.elapse(int(span) * SECOND)
                left = min(burst * 60, left + int(span))
