"""Changes during a sync.

To program the rules takes a second or more on a large node, and the informers do not wait for it. What had been checked
out when the sync began belongs to it. What arrives while it goes on belongs to the next one, its trigger time as well:
it has not been programmed yet.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import Nanoseconds
from stingy.contract.sources import IPTABLES, METRICS, SLICE_CACHE, TRACKER
from stingy.guarantees.changes import ENDPOINTS
from stingy.guarantees.handing_out import MANY
from stingy.language import SECOND, Proxy, Row, about, forms, rule, steps

APPLIED = SLICE_CACHE["checkoutChanges"]
MEASURED = ("latency/programming-itself-is-part-of-the-latency", "latency/every-sync-observes-what-is-new")


@dataclass(frozen=True)
class Arrival(Row):
    what_changes: str
    service: str = "web"
    slice: str = "web-1"
    stamped: Nanoseconds = 4 * SECOND

    def cells(self) -> dict[str, str]:
        return {"what changes": self.what_changes}


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], TRACKER["checkoutTriggerTimes"]),
    after=(*MEASURED, "latency/what-arrives-late-is-measured-from-its-change"),
    each=[
        Arrival("the slice that is being programmed"),
        Arrival("another slice of its service", slice="web-2"),
        Arrival("another service", "db", "db-1"),
        Arrival("the slice, before the sync began", stamped=2 * SECOND),
    ],
)
def what_arrives_during_a_sync_is_left_to_the_next(proxy: Proxy, row: Arrival) -> None:
    """A change that arrives while the rules are programmed MUST be measured by the next sync, and not by this one.

    This one writes rules without it. A proxy that is handed its tracker's own lists measures it at once; one that empties
    them when the rules are written never does.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)
    arrival = proxy.a_change(row.service, at=row.stamped, slice_name=row.slice)

    assert proxy.sync(takes=2 * SECOND, meanwhile=[arrival]) == [about(4 * SECOND)]

    proxy.until(10 * SECOND)
    assert proxy.sync() == [about(10 * SECOND - row.stamped)]


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], TRACKER["removeSlice"]),
    after=(
        *MEASURED,
        "latency/a-removal-is-not-measured",
        "arrivals/what-arrives-during-a-sync-is-left-to-the-next",
    ),
)
def a_removal_during_a_sync_takes_nothing_from_it(proxy: Proxy) -> None:
    """A removal that arrives while the rules are programmed MUST NOT cost this sync the times of that service.

    Its rules are written as they were checked out, and that is what is measured.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)

    assert proxy.sync(takes=2 * SECOND, meanwhile=[proxy.a_removal("web-1")]) == [about(4 * SECOND)]


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], IPTABLES["syncProxyRules"]),
    after=(
        "latency/what-changes-after-a-failure-is-observed",
        "arrivals/what-arrives-during-a-sync-is-left-to-the-next",
    ),
)
def what_arrives_during_a_failure_is_observed(proxy: Proxy) -> None:
    """A change that arrives while the rules are programmed in vain MUST be measured by the next sync that succeeds.

    The failed sync had not checked it out, and so has nothing of it to lose.
    """
    proxy.change("db", at=1 * SECOND)
    proxy.until(3 * SECOND)

    arrival = proxy.a_change("web", at=4 * SECOND)
    proxy.sync(succeeds=False, takes=2 * SECOND, meanwhile=[arrival])

    observed = proxy.sync()
    assert [latency for latency in observed if latency != about(4 * SECOND)] == [about(1 * SECOND)]


@rule(cites=APPLIED, after=(*MEASURED, "latency/an-idle-sync-observes-nothing"))
def an_echo_during_a_sync_is_no_change(proxy: Proxy) -> None:
    """A slice that comes again, unchanged, while its rules are programmed MUST NOT be measured once more.

    What is checked out is what the next update is held against, whether its rules are written yet or not.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)

    assert proxy.sync(takes=2 * SECOND, meanwhile=[proxy.an_echo("web-1")]) == [about(4 * SECOND)]
    assert proxy.sync() == []


@rule(cites=APPLIED, after="arrivals/what-arrives-during-a-sync-is-left-to-the-next")
def what_is_undone_during_a_sync_is_a_change(proxy: Proxy) -> None:
    """A change that is undone while its rules are programmed MUST count as another change.

    To hold it against the rules of before would take it for no change, and leave the node with what was undone.
    """
    proxy.change("web", at=1 * SECOND, endpoints=ENDPOINTS)
    proxy.until(2 * SECOND)
    proxy.sync()
    proxy.change("web", at=2 * SECOND)
    proxy.until(3 * SECOND)

    undone = proxy.a_change("web", at=4 * SECOND, endpoints=ENDPOINTS)
    assert proxy.sync(takes=2 * SECOND, meanwhile=[undone]) == [about(3 * SECOND)]

    proxy.until(10 * SECOND)
    assert proxy.sync() == [about(6 * SECOND)]


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], TRACKER["checkoutTriggerTimes"]),
    after=(
        "arrivals/what-arrives-during-a-sync-is-left-to-the-next",
        "latency/of-many-times-each-is-observed",
    ),
)
def of_many_that_arrive_during_a_sync_none_is_lost(proxy: Proxy) -> None:
    """However many changes arrive while the rules are programmed, each MUST be measured by the next sync."""
    proxy.change("web", at=1 * SECOND)
    proxy.until((MANY + 1) * SECOND)
    arrivals = [proxy.a_change("web", at=n * SECOND, slice_name=f"web-{n}") for n in range(2, MANY + 2)]

    assert proxy.sync(meanwhile=arrivals) == [about(MANY * SECOND)]
    assert proxy.sync() == [about(n * SECOND) for n in range(MANY)], (
        "is there a buffer that is full while the rules are programmed?"
    )


SERVICES = ("web", "db")
STEPS = forms("SERVICE changes", "SERVICE changes during the next sync", "sync")


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], TRACKER["checkoutTriggerTimes"]),
    after=(
        "arrivals/what-arrives-during-a-sync-is-left-to-the-next",
        "latency/one-observation-for-each-time",
    ),
    for_all={
        "does": steps(
            *(
                f"{service} changes{when}"
                for service in SERVICES
                for when in ("", " during the next sync", " during the next sync")
            ),
            *("sync", "sync"),
            least=8,
            most=40,
        )
    },
)
def whatever_arrives_is_measured_once(proxy: Proxy, does: list[str]) -> None:
    """However changes and syncs fall together, each change MUST be measured once: by the first sync that began after it."""
    proxy.elapse(len(does) * SECOND)
    due: list[Nanoseconds] = []
    arrivals: list[tuple[str, Nanoseconds]] = []

    for n, step in enumerate([*does, "sync", "sync"], 1):
        match STEPS.read(step):
            case ["sync"]:
                meanwhile = [proxy.a_change(service, at=at) for service, at in arrivals]
                observed = proxy.sync(takes=1 * SECOND, meanwhile=meanwhile)
                assert observed == [about(proxy.uptime - at) for at in sorted(due, reverse=True)]
                due, arrivals = [at for _, at in arrivals], []
            case ["changes", service]:
                proxy.change(service, at=n * SECOND)
                due.append(n * SECOND)
            case ["changes during the next sync", service]:
                arrivals.append((service, n * SECOND))
