"""Change tracker: checkout.

A sync begins with a checkout: it takes what has gathered, the services that changed and their trigger times,
and the tracker begins anew. Meanwhile the informers go on.
"""

from __future__ import annotations

from stingy.contract.sources import TRACKER
from stingy.guarantees.changes import ENDPOINTS
from stingy.guarantees.handing_out import MANY
from stingy.guarantees.trigger_times import WEB
from stingy.language import SECOND, Small, Tracker, TrackerRace, beside_each_other, rule, services_changed

CHECKOUT = TRACKER["checkoutTriggerTimes"]
UPDATED = TRACKER["UpdateEndpointsMapResult"]
LOCK = TRACKER["lock"]


@rule(cites=CHECKOUT)
def where_nothing_has_changed_there_is_nothing(tracker: Tracker) -> None:
    """A checkout before any change MUST hand over nothing."""
    handed_over = tracker.checkout()

    assert handed_over.times == {}
    assert handed_over.services == frozenset()


@rule(
    cites=(CHECKOUT, UPDATED),
    after=(
        "trigger_times/namespaces-are-kept-apart",
        "trigger_times/changed-services-are-named-without-a-time",
    ),
)
def a_checkout_covers_every_service(tracker: Tracker) -> None:
    """A checkout MUST hand over every service that has changed, with its own times, all at once."""
    tracker.change("web", at=1 * SECOND)
    tracker.change("db")
    tracker.change("cache", at=3 * SECOND)
    tracker.change("web", at=4 * SECOND, namespace="test")

    handed_over = tracker.checkout()

    assert handed_over.services == frozenset({WEB, "shop/db", "shop/cache", "test/web"})
    assert handed_over.times == {
        WEB: [1 * SECOND],
        "shop/cache": [3 * SECOND],
        "test/web": [4 * SECOND],
    }


@rule(cites=(CHECKOUT, UPDATED), after="checkout/a-checkout-covers-every-service")
def two_trackers_know_nothing_of_each_other(two: tuple[Tracker, Tracker]) -> None:
    """A checkout MUST NOT hand over what another tracker in the same process has been told of, nor take it from there."""
    tracker, other = two
    tracker.change("web", at=1 * SECOND)
    tracker.change("db", at=1 * SECOND)
    handed_over = tracker.checkout()
    other.change("web", at=2 * SECOND)

    assert handed_over.times == {WEB: [1 * SECOND], "shop/db": [1 * SECOND]}
    assert tracker.checkout().services == frozenset(), "is something kept on the class, or in the module?"

    handed_over = other.checkout()

    assert handed_over.services == frozenset({WEB}), "is something kept on the class, or in the module?"
    assert handed_over.times == {WEB: [2 * SECOND]}, "is something kept on the class, or in the module?"


@rule(
    cites=(CHECKOUT, UPDATED),
    after="checkout/a-checkout-covers-every-service",
)
def of_many_services_none_is_left_out(tracker: Tracker) -> None:
    """However many services have changed, a checkout MUST hand over each of them, with its own times.

    The first one after the start has all services of the cluster.
    """
    services = [f"web-{n}" for n in range(1, MANY + 1)]
    for n, service in enumerate(services, 1):
        tracker.change(service, at=n * SECOND)

    handed_over = tracker.checkout()

    assert handed_over.services == {f"shop/{service}" for service in services}, (
        "is there a buffer that can be full, or a ring that overwrites?"
    )
    assert handed_over.times == {f"shop/{service}": [n * SECOND] for n, service in enumerate(services, 1)}


@rule(
    cites=(TRACKER["UpdateEndpointsMapResult"], TRACKER["checkoutTriggerTimes"]),
    after="trigger_times/a-checkout-empties-the-tracker",
)
def what_was_handed_over_stays_as_it_was(tracker: Tracker) -> None:
    """What comes after a checkout, be it a change or a removal, MUST NOT alter what that has handed over.

    The sync reads it once the rules are written; a tracker that hands out its own books and goes on writing in
    them has the proxy measure what it has not programmed.
    """
    tracker.change("web", at=1 * SECOND)
    tracker.change("db", at=2 * SECOND)
    before = tracker.checkout()

    tracker.change("web", at=3 * SECOND)
    tracker.remove("db-1", "db")

    assert tracker.read_again() == before


@rule(
    cites=(TRACKER["UpdateEndpointsMapResult"], TRACKER["checkoutTriggerTimes"]),
    after="checkout/what-was-handed-over-stays-as-it-was",
)
def what_was_handed_over_is_not_used_again(tracker: Tracker) -> None:
    """However often the tracker is checked out afterwards, that MUST NOT alter what an earlier checkout has handed over.

    A sync that hangs, or whose times are kept because it failed, still reads it. A tracker that has two or three
    books, and writes in them by turns, takes it away.
    """
    tracker.change("web", at=1 * SECOND)
    tracker.change("db", at=2 * SECOND)
    first = tracker.checkout()

    for n in range(3, 8):
        tracker.change("web", at=n * SECOND)
        tracker.checkout()

    assert tracker.read_first_again() == first


@rule(
    cites=TRACKER["UpdateEndpointsMapResult"].in_code,
    after="trigger_times/changed-services-are-named-without-a-time",
)
def what_cancels_out_is_named(tracker: Tracker) -> None:
    """A checkout SHOULD name a service whose change has been undone before it.

    To program it once more does no harm.
    """
    tracker.change("web", endpoints=ENDPOINTS)
    tracker.checkout()
    tracker.change("web")
    tracker.rewrite("web-1", endpoints=ENDPOINTS)

    assert tracker.checkout().services == frozenset({WEB})


@rule(
    cites=TRACKER["UpdateEndpointsMapResult"].in_code,
    after="trigger_times/changed-services-are-named-without-a-time",
)
def what_was_not_there_for_long_is_named(tracker: Tracker) -> None:
    """A checkout SHOULD name a service whose slice came and was removed since the last one."""
    tracker.change("web", at=1 * SECOND)
    tracker.remove("web-1")

    assert tracker.checkout().services == frozenset({WEB})


@rule(
    cites=(CHECKOUT, LOCK),
    after=("trigger_times/every-change-adds-its-time", "checkout/what-was-handed-over-stays-as-it-was"),
)
def every_time_is_handed_over_once(tracker: TrackerRace) -> None:
    """Of changes that come while a proxy checks out, each trigger time MUST be handed over by one checkout.

    A time that falls between the copying and the emptying is lost; one that is copied twice is measured twice.
    With which checkout a time comes, its own or the one before, is left open: upstream takes the services and
    the times in two steps.
    """
    during = tracker.run(tracker.a_change("web", 1 * SECOND), tracker.a_change("web", 3 * SECOND))

    handed_over = during, tracker.checkout()
    assert sorted(at for each in handed_over for at in each.times.get(WEB, [])) == [1 * SECOND, 3 * SECOND]


@rule(
    cites=(UPDATED, LOCK),
    after=("trigger_times/a-checkout-empties-the-tracker", "checkout/a-checkout-covers-every-service"),
)
def every_service_is_named_by_some_checkout(tracker: TrackerRace) -> None:
    """Of services that change while a proxy checks out, each MUST be named: by that checkout, or the next.

    One that is named by none is not programmed until it happens to change again.
    """
    during = tracker.run(tracker.a_change("web", 1 * SECOND), tracker.a_change("db", 2 * SECOND))

    named = {service for each in (during, tracker.checkout()) for service in each.services}
    assert named == {WEB, "shop/db"}


@rule(
    cites=(CHECKOUT, UPDATED),
    after=("checkout/every-time-is-handed-over-once", "checkout/every-service-is-named-by-some-checkout"),
)
def no_time_comes_after_its_change(tracker: TrackerRace) -> None:
    """A trigger time MUST NOT be handed over by a later checkout than the change that it is of.

    The sync in between has programmed that change; whoever measures it with the next one is late by all that lies
    between the two. A tracker that takes its times before it takes its services does so.
    """
    during = tracker.run(tracker.a_change("web", 1 * SECOND), tracker.a_change("db", 2 * SECOND))

    late = tracker.checkout().times.keys()
    assert not late & during.services


@rule(cites=(CHECKOUT, LOCK), after="checkout/what-was-handed-over-stays-as-it-was")
def what_comes_meanwhile_alters_nothing_that_was_handed_over(tracker: TrackerRace) -> None:
    """What comes while a proxy checks out MUST NOT alter what that has handed over, once it has returned.

    A tracker that lets its lock go before it puts new books in the place of those it hands over goes on writing in the
    old ones, which the sync reads.
    """
    tracker.change("web", at=1 * SECOND)

    during = tracker.run(tracker.a_removal("web-1"))

    assert tracker.read_again() == during


@rule(
    cites=(CHECKOUT, UPDATED, LOCK),
    after=(
        "trigger_times/every-change-adds-its-time",
        "checkout/what-was-handed-over-stays-as-it-was",
        "checkout/a-checkout-covers-every-service",
        "checkout/every-time-is-handed-over-once",
        "checkout/every-service-is-named-by-some-checkout",
    ),
    for_all={"program": beside_each_other("change {}", "checkout")},
)
def no_program_of_changes_loses_one(tracker: TrackerRace, program: Small) -> None:
    """Whatever changes come while a proxy checks out, each trigger time MUST be handed over once, and each service named."""
    changed = services_changed(program.at_once)

    handed_over = tracker.play(program.at_once)

    for service in sorted(set(changed)):
        times = [n * SECOND for n, each in enumerate(changed, 1) if each == service]
        assert sorted(at for each in handed_over for at in each.times.get(f"shop/{service}", [])) == times
    assert {name for each in handed_over for name in each.services} == {f"shop/{name}" for name in changed}
