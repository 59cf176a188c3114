"""Controllers: reconcile, MaxConcurrentReconciles.

A controller calls *reconcile* with every key to which something has happened: in so many workers at most,
for one key in one worker at a time.

Reconciles are the rules' own here: each goes on until the rule says how it ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import CONTROLLER, CONTROLLER_OPTIONS, CONTROLLER_TESTS, DOC, QUEUE, RECONCILE
from stingy.guarantees.handing_out import A_CROWD, EQUAL, UNEQUAL, Values
from stingy.language import MINUTE, SECOND, AtOnce, Controllers, Nanoseconds, Row, With, given, numbers, rule

AT_MOST = CONTROLLER_OPTIONS["MaxConcurrentReconciles"]
ONE_AT_A_TIME = CONTROLLER_OPTIONS["TypedOptions"]
HANDLED = CONTROLLER["reconcileHandler"]

A_LONG_TIME = 10 * MINUTE
"""More than any first retry waits for."""


@dataclass(frozen=True)
class Workers(Row):
    workers: int


A_FEW = [Workers(1), Workers(2), Workers(3), Workers(8)]
MORE_THAN_A_POOL_HAS = Workers(40)
"""Pools of threads have 32 at most unless more are asked for."""


@rule(
    cites=CONTROLLER_TESTS["should call Reconciler if an item is enqueued"],
)
def a_key_that_is_added_is_reconciled(controllers: Controllers) -> None:
    """A key that is added to a controller MUST be reconciled.

    All other rules about controllers build on this one: while it is broken they are not judged.
    """
    controller = controllers()

    controller.add("a")

    assert controller.under_way() == ["a"], "does Start start the workers?"


@rule(
    cites=(RECONCILE["Reconciler"], QUEUE["Get"]),
    after="controller/a-key-that-is-added-is-reconciled",
)
def an_empty_key_is_a_key(controllers: Controllers) -> None:
    """A key whose value is empty MUST be reconciled like any other.

    `while key := queue.get()` is a worker that goes home at the first of them.
    """
    controller = controllers()

    controller.add("")

    assert controller.under_way() == [""]


@rule(
    cites=(RECONCILE["Reconciler"], CONTROLLER["Start"]),
    after="controller/a-key-that-is-added-is-reconciled",
)
def what_is_added_before_start_is_reconciled(controllers: Controllers) -> None:
    """A key that is added before Start MUST be reconciled after it.

    Informers list the objects that exist, often before the workers start, and do not list them again.
    """
    controller = controllers(started=False)
    controller.add("a")

    controller.start()

    assert controller.under_way() == ["a"], "does Add keep a key if no worker is there yet?"


@rule(cites=HANDLED, after="controller/a-key-that-is-added-is-reconciled")
def a_success_is_the_end_of_it(controllers: Controllers) -> None:
    """After a reconcile that succeeded, its key MUST NOT be reconciled again before something happens to it."""
    controller = controllers()
    controller.add("a")

    controller.finish("a")

    assert controller.under_way() == []

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(cites=AT_MOST, after="controller/a-key-that-is-added-is-reconciled", each=A_FEW)
def no_more_at_once_than_it_may(controllers: Controllers, row: Workers) -> None:
    """However many keys wait, more than MaxConcurrentReconciles reconciles MUST NOT be under way at once.

    Upstream's test of it is a placeholder that was never written.
    """
    controller = controllers(row.workers)

    for number in range(row.workers + 3):
        controller.add(f"key {number}")

    assert len(controller.under_way()) <= row.workers


@rule(
    cites=AT_MOST, after="controller/a-key-that-is-added-is-reconciled", each=[*A_FEW, MORE_THAN_A_POOL_HAS]
)
def as_many_at_once_as_it_may(controllers: Controllers, row: Workers) -> None:
    """With enough keys, MaxConcurrentReconciles reconciles MUST be under way at once."""
    controller = controllers(row.workers)

    for number in range(row.workers + 3):
        controller.add(f"key {number}")

    assert len(controller.under_way()) >= row.workers


@rule(
    cites=(CONTROLLER_OPTIONS["MaxConcurrentReconciles"], DOC["Multiple consumers and producers"]),
    after="controller/a-success-is-the-end-of-it",
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


@rule(
    cites=(CONTROLLER_OPTIONS["MaxConcurrentReconciles"], DOC["Multiple consumers and producers"]),
    after=("controller/as-many-at-once-as-it-may", "controller/a-success-is-the-end-of-it"),
)
def a_slow_key_holds_up_one_worker(controllers: Controllers) -> None:
    """While the reconcile of one key goes on and on, the other workers MUST get on with other keys."""
    controller = controllers(2)
    controller.add("slow")
    with given():
        assert controller.under_way() == ["slow"]

    for key in ("a", "b", "c"):
        controller.add(key)
        controller.finish(key)

    assert controller.under_way() == ["slow"]
    assert controller.reconciled == ["slow", "a", "b", "c"]


@rule(
    cites=CONTROLLER_OPTIONS["MaxConcurrentReconciles"].in_code,
    after=("controller/no-more-at-once-than-it-may", "controller/as-many-at-once-as-it-may"),
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


@rule(cites=ONE_AT_A_TIME, after="controller/a-key-that-is-added-is-reconciled")
def one_key_is_in_one_worker_at_a_time(controllers: Controllers) -> None:
    """A key MUST NOT be reconciled by two workers at once, though there is an event for it and a worker free.

    To hand a key to a pool and call Done at once is how two of them come to edit the same object.
    """
    controller = controllers(4)
    controller.add("a")
    controller.add("b")
    controller.under_way()

    controller.add("a")
    controller.add("b")
    controller.add("a")
    running = controller.under_way()

    assert running == sorted(set(running))


@rule(
    cites=(DOC["Stingy"], RECONCILE["de-duplicates"]),
    after=(
        "controller/no-more-at-once-than-it-may",
        "controller/with-few-workers-and-many-keys-each-has-its-turn",
    ),
    for_all={"events": numbers(2, 10)},
)
def many_events_before_a_run_are_one_run(controllers: Controllers, events: int) -> None:
    """Any number of events for a key that waits for a worker MUST lead to no more than one reconcile."""
    controller = controllers(1)
    controller.add("b")
    with given():
        assert controller.under_way() == ["b"]
    for _ in range(events):
        controller.add("a")

    controller.finish("b")
    controller.finish("a")

    assert controller.under_way() == []


@rule(
    cites=RECONCILE["TypedReconciler"],
    after=(
        "controller/with-few-workers-and-many-keys-each-has-its-turn",
        "controller/a-success-is-the-end-of-it",
    ),
)
def of_many_keys_none_is_lost(controllers: Controllers) -> None:
    """However many keys wait, for a worker or to be tried again, each MUST be reconciled."""
    controller = controllers(1)
    keys = [f"key-{n}" for n in range(A_CROWD)]
    controller.add_straight(keys, "error")

    controller.elapse(A_LONG_TIME)
    controller.work_off(len(keys))

    reconciled = {*controller.reconciled}
    assert [key for key in keys if key not in reconciled] == [], "is there a limit to the keys that can wait?"


Valued = Annotated[Controllers, With("values")]


@rule(cites=ONE_AT_A_TIME, after="controller/as-many-at-once-as-it-may", each=UNEQUAL)
def unequal_values_are_different_keys(valued: Valued, row: Values) -> None:
    """Two keys that are not equal MUST both be reconciled, also at once, of whatever type, even if their hashes or their texts are the same."""
    controller = valued(2)

    for value in row.both:
        controller.add(value)

    assert controller.under_way() == sorted(row.both), "are keys looked up by their hash or their text?"


@rule(cites=ONE_AT_A_TIME, after="controller/one-key-is-in-one-worker-at-a-time", each=EQUAL)
def equal_values_are_one_key(valued: Valued, row: Values) -> None:
    """Two keys that are equal MUST NOT be reconciled at once, of whatever type, even if their texts are different."""
    controller = valued(2)
    one, other = row.both

    controller.add(one)
    with given():
        assert controller.under_way() == [one]
    controller.add(other)

    assert controller.under_way() == [one]


@rule(
    cites=CONTROLLER_TESTS["should call Reconciler if an item is enqueued"],
    after="controller/a-success-is-the-end-of-it",
)
def two_controllers_know_nothing_of_each_other(two: tuple[Controllers, Controllers]) -> None:
    """A controller MUST NOT notice which keys another one in the same process reconciles, nor that it is stopped.

    The key of a Deployment may be that of a Service as well: both are called `shop/web`.
    """
    first, second = two
    controller, other = first(), second()
    other.add("a")
    with given():
        assert other.under_way() == ["a"]

    controller.add("a")

    assert controller.under_way() == ["a"], "is something kept on the class, or in the module?"

    other.finish("a")
    other.stop()
    controller.finish("a")
    controller.add("b")

    assert controller.under_way() == ["b"], "is something kept on the class, or in the module?"


@dataclass(frozen=True)
class Events(Row):
    sources: str
    """Each with the keys of its events, between bars."""
    workers: int | None = 2
    """None: its default, which makes no difference where there is only one key."""

    @property
    def of_each(self) -> list[list[str]]:
        return [source.split() for source in self.sources.split("|")]

    @property
    def name(self) -> str:
        return self.sources if self.workers else f"{self.sources}, any number of workers"

    def cells(self) -> dict[str, str]:
        return {"sources": self.sources, "workers": str(self.workers or "any number")}


ONE_KEY = [Events(sources, workers) for sources in ("a", "a | a") for workers in (2, None)]
TWO_KEYS = [Events("a | b"), Events("b a | a")]


@rule(
    cites=(ONE_AT_A_TIME, CONTROLLER["Start"]),
    after=(
        "controller/one-key-is-in-one-worker-at-a-time",
        "controller/what-is-added-before-start-is-reconciled",
    ),
    each=[*ONE_KEY, *TWO_KEYS],
)
def an_event_as_the_controller_starts_is_not_missed(
    controllers: Annotated[Controllers, AtOnce], row: Events
) -> None:
    """A key that is added during Start MUST be reconciled, by one worker, whatever the order.

    A Start that hands over the keys that came before it can miss one that comes meanwhile, or give it to two workers.
    """
    controller = controllers(row.workers, started=False)

    controller.start_with(*row.of_each)

    assert controller.under_way() == sorted({key for keys in row.of_each for key in keys})


@rule(
    cites=(ONE_AT_A_TIME, QUEUE["Done"]),
    after=("controller/one-key-is-in-one-worker-at-a-time", "controller/a-success-is-the-end-of-it"),
)
def an_event_that_a_reconcile_sends_is_not_missed(controllers: Controllers) -> None:
    """A key about which its own reconcile sends an event MUST be reconciled once more.

    A reconcile that changes its object causes an event. Whoever ignores it, as an echo, also misses
    what somebody else has changed at the same time.
    """
    controller = controllers(1)
    controller.add("a")

    controller.finish("a", "event")

    assert controller.under_way() == ["a"]

    controller.finish("a")

    assert controller.under_way() == []


@rule(
    cites=(ONE_AT_A_TIME, QUEUE["Done"]),
    after=(
        "controller/one-key-is-in-one-worker-at-a-time",
        "controller/many-events-before-a-run-are-one-run",
    ),
    each=[*ONE_KEY, *TWO_KEYS],
)
def an_event_as_a_reconcile_ends_is_not_missed(
    controllers: Annotated[Controllers, AtOnce], row: Events
) -> None:
    """A key to which something happens as its reconcile ends MUST be reconciled once more, whatever the order, in one worker.

    The end of a reconcile looks whether the key has come again; an event that comes just after that look is to be seen by
    whoever brings it.
    """
    controller = controllers(row.workers)
    controller.add("a")

    controller.at_once(*row.of_each, ends="a")

    assert controller.under_way() == sorted({key for keys in row.of_each for key in keys})
    assert controller.reconciled.count("a") == 2


@dataclass(frozen=True)
class Idle(Row):
    idle_for: str
    span: Nanoseconds


@rule(
    cites=(RECONCILE["Reconciler"], DOC["Multiple consumers and producers"]),
    after="controller/an-event-as-a-reconcile-ends-is-not-missed",
    each=[
        Idle("no time", 0),
        Idle("4 s", 4 * SECOND),
        Idle("29 s", 29 * SECOND),
        Idle("a minute", MINUTE),
        Idle("an hour", 60 * MINUTE),
    ],
)
def an_event_as_an_idle_worker_gives_up_is_not_missed(
    controllers: Annotated[Controllers, AtOnce], row: Idle
) -> None:
    """A key that is added in the moment in which an idle worker exits MUST be reconciled.

    A worker that exits after an idle time has to look once more, under the lock, before it signs off. The key is added at the next
    time-out of the controller's own, if it has one.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a")
    controller.elapse(row.span)

    controller.at_alarm(["a"])

    assert controller.under_way() == ["a"], (
        "does an idle worker look for a key once more, under the lock, before it exits?"
    )
