"""Controllers: Stop.

What is under way at Stop comes to its end, and no more begins. Start and Stop return with the last of it:
whoever has seen both return may close what the reconciles work with.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract.sources import CONTROLLER, DELAYING, QUEUE
from stingy.guarantees.controller import (
    A_FEW,
    A_LONG_TIME,
    Workers,
)
from stingy.guarantees.outcomes import (
    COMES_AGAIN,
    ENDINGS,
    Ending,
)
from stingy.language import Controllers, Row, given, rule


@rule(
    cites=(CONTROLLER["waits for its workers"], CONTROLLER["Start"]),
    after="controller/a-key-that-is-added-is-reconciled",
    each=A_FEW,
)
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
    cites=(CONTROLLER["waits for its workers"], CONTROLLER["Start"]),
    after=(
        "stopping/idle-workers-go-home",
        "controller/as-many-at-once-as-it-may",
        "outcomes/however-it-ends-the-worker-goes-on",
    ),
    each=ENDINGS,
)
def stop_lets_what_is_under_way_come_to_its_end(controllers: Controllers, row: Ending) -> None:
    """After Stop, the reconciles under way MUST be let come to their end, and Start and Stop return with the last."""
    controller = controllers(2)
    controller.add("a")
    controller.add("b")
    with given():
        assert controller.under_way() == ["a", "b"]
    controller.stop()

    assert controller.under_way() == ["a", "b"]

    controller.finish("b")
    controller.finish("a", row.how, row.after)

    assert controller.stopped


@rule(
    cites=(CONTROLLER["waits for its workers"], CONTROLLER["Start"]),
    after="stopping/stop-lets-what-is-under-way-come-to-its-end",
)
def a_controller_has_not_stopped_while_a_reconcile_is_under_way(controllers: Controllers) -> None:
    """Start and Stop MUST NOT both have returned while a reconcile is under way.

    Whoever has seen both return closes what the reconciles work with.
    """
    controller = controllers(3)
    controller.add("a")
    controller.add("b")
    with given():
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
    cites=(QUEUE["ShutDown"], CONTROLLER["waits for its workers"]),
    after="stopping/stop-lets-what-is-under-way-come-to-its-end",
    each=[Key("another key", "b"), Key("a key that is being reconciled", "a")],
)
def what_is_added_after_stop_is_not_reconciled(controllers: Controllers, row: Key) -> None:
    """A key that is added after Stop MUST be ignored, silently.

    The informers do not know that the controller has gone; and it would be reconciled by nobody who waits for it.
    """
    controller = controllers(2)
    controller.add("a")
    controller.stop()
    with given():
        assert controller.under_way() == ["a"]

    controller.add(row.key)

    assert controller.under_way() == ["a"]

    controller.finish("a")

    assert controller.under_way() == []


@rule(
    cites=(QUEUE["ShutDown"], CONTROLLER["waits for its workers"]),
    after="stopping/stop-lets-what-is-under-way-come-to-its-end",
    each=COMES_AGAIN,
)
def what_ends_after_stop_does_not_come_again(controllers: Controllers, row: Ending) -> None:
    """A key whose reconcile ends after Stop MUST NOT be reconciled again, however it ends."""
    controller = controllers()
    controller.add("a")
    with given():
        assert controller.under_way() == ["a"]
    controller.stop()
    controller.finish("a", row.how, row.after)

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(
    cites=(CONTROLLER["waits for its workers"], DELAYING["ShutDown"]),
    after=(
        "stopping/idle-workers-go-home",
        "requeueing/requeue-after-brings-it-back-no-sooner",
        "requeueing/requeue-is-up-to-the-rate-limiter",
    ),
    each=COMES_AGAIN,
)
def stop_does_not_wait_for_what_is_to_come_again(controllers: Controllers, row: Ending) -> None:
    """Start and Stop MUST return though there are keys that are to be reconciled again later.

    Rate limiters go up to a quarter of an hour; no manager waits so long.
    """
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how, row.after)
    with given():
        assert controller.under_way() == []

    controller.stop()

    assert controller.stopped


@rule(
    cites=(QUEUE["ShutDown"], CONTROLLER["waits for its workers"]),
    after="stopping/stop-does-not-wait-for-what-is-to-come-again",
    each=COMES_AGAIN,
)
def nothing_comes_again_once_it_has_stopped(controllers: Controllers, row: Ending) -> None:
    """A key that is to be reconciled again later MUST NOT be once Start and Stop have returned."""
    controller = controllers()
    controller.add("a")
    controller.finish("a", row.how, row.after)
    with given():
        assert controller.under_way() == []
    controller.stop()
    with given():
        assert controller.stopped

    controller.elapse(A_LONG_TIME)

    assert controller.reconciled == ["a"]


@rule(
    cites=(CONTROLLER["processNextWorkItem"], QUEUE["ShutDown"]),
    after=("stopping/stop-lets-what-is-under-way-come-to-its-end", "controller/no-more-at-once-than-it-may"),
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
    with given():
        assert controller.under_way() == ["a"]
    controller.add(row.key)
    controller.stop()

    controller.finish("a")

    if row.key in controller.under_way():
        controller.finish(row.key)
        return "it is reconciled" if controller.stopped else "it never stops"
    return "it is dropped" if controller.stopped else "it never stops"
