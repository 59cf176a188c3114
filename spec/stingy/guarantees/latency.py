"""Programming latency.

When a sync has programmed the rules, kube-proxy observes, for every trigger time it checked out, how
long ago that was: `kubeproxy_network_programming_duration_seconds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stingy.contract import LATENCY_METRIC, Nanoseconds
from stingy.language import MILLISECOND, SECOND, Node, Row, about, between, numbers, rule
from stingy.sources import BUCKETS, IPTABLES, METRICS

LATENCY = METRICS["NetworkProgrammingLatency"]
SYNC = IPTABLES["syncProxyRules"]

BOUNDS = (
    0.0,
    0.25,
    0.5,
    *(float(n) for n in range(1, 60)),
    *(float(n) for n in range(60, 120, 5)),
    *(float(n) for n in range(120, 301, 30)),
)
"""The 81 finite bounds: 0, then as the comments say: 0.25 and 0.5, 1 to 59, 60 to 115, 2 to 5 minutes."""


@rule(
    cites=LATENCY,
    for_all={"triggered": between(1, 60 * SECOND), "took": between(0, 60 * SECOND)},
)
def it_is_the_time_from_trigger_to_programmed(proxy: Node, triggered: Nanoseconds, took: Nanoseconds) -> None:
    """The latency observed MUST be the time that has passed since the trigger time when the rules are programmed."""
    proxy.until(triggered)
    proxy.change("web", at=triggered)
    proxy.until(triggered + took)

    assert proxy.sync() == [about(took)]


@rule(cites=SYNC, after=[it_is_the_time_from_trigger_to_programmed])
def programming_itself_is_part_of_it(proxy: Node) -> None:
    """The latency MUST include the time that programming takes: the clock is read after it.

    On a large node, writing the rules is most of it.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)

    assert proxy.sync(takes=4 * SECOND) == [about(6 * SECOND)]


@rule(
    cites=LATENCY,
    after=[it_is_the_time_from_trigger_to_programmed],
    for_all={"slices": numbers(1, 6)},
)
def one_observation_for_each_time(proxy: Node, slices: int) -> None:
    """A sync MUST observe one latency for each trigger time: not one a service, nor one a sync."""
    for n in range(1, slices + 1):
        proxy.change("web", at=n * SECOND, slice_name=f"web-{n}")
    proxy.change("db", at=1 * SECOND)
    proxy.until(10 * SECOND)

    expected = sorted([*(10 - n for n in range(1, slices + 1)), 9])
    assert proxy.sync() == [about(n * SECOND) for n in expected]


@rule(cites=SYNC, after=[it_is_the_time_from_trigger_to_programmed])
def a_failed_sync_observes_nothing(proxy: Node) -> None:
    """A sync that fails to program the rules MUST NOT observe any latency: nothing has been programmed."""
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)

    assert proxy.sync(succeeds=False) == []
    assert proxy.metric().count == 0


@rule(
    cites=SYNC,
    after=[a_failed_sync_observes_nothing],
    contested=("they are lost", "they are observed by the next one"),
)
def the_times_of_a_failed_sync(proxy: Node) -> str:
    """The trigger times of a failed sync MAY be lost, or be kept until one succeeds.

    kube-proxy loses them, so that the slowest programmings are the ones that are not measured
    (kubernetes/kubernetes#112604). To keep them is better.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)
    proxy.sync(succeeds=False)
    proxy.until(5 * SECOND)

    observed = proxy.sync()
    if observed == [about(4 * SECOND)]:
        return "they are observed by the next one"
    return "they are lost" if not observed else f"the next one observes {observed}"


@rule(cites=SYNC, after=[it_is_the_time_from_trigger_to_programmed])
def an_idle_sync_observes_nothing(proxy: Node) -> None:
    """A sync without changes since the last one MUST NOT observe anything."""
    proxy.change("web", at=1 * SECOND)
    proxy.until(2 * SECOND)
    proxy.sync()

    proxy.elapse(30 * SECOND)

    assert proxy.sync() == []


@rule(cites=SYNC, after=[it_is_the_time_from_trigger_to_programmed])
def nothing_before_both_lists_are_complete(starting: Node) -> None:
    """A sync before the first lists of Services and of EndpointSlices are complete MUST NOT observe anything."""
    starting.change("web", at=1 * SECOND)
    starting.until(2 * SECOND)
    assert starting.sync() == []

    starting.services_synced()

    assert starting.sync() == []


@rule(cites=SYNC, after=[nothing_before_both_lists_are_complete])
def the_first_sync_observes_what_has_gathered(starting: Node) -> None:
    """The first sync after both lists are complete MUST observe the changes that arrived before it."""
    starting.change("web", at=1 * SECOND)
    starting.until(2 * SECOND)
    starting.sync()
    starting.slices_synced()
    starting.services_synced()
    starting.until(3 * SECOND)

    assert starting.sync() == [about(2 * SECOND)]


@rule(cites=LATENCY, after=[it_is_the_time_from_trigger_to_programmed])
def it_is_a_histogram_of_seconds(proxy: Node) -> None:
    """The metric MUST have upstream's name, count each observation, and sum them up in seconds."""
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)
    proxy.sync()
    proxy.change("web", at=4 * SECOND)
    proxy.until(4500 * MILLISECOND)
    proxy.sync()

    metric = proxy.metric()

    assert metric.name == LATENCY_METRIC
    assert metric.count == 2
    assert metric.sum == about(2500 * MILLISECOND)


@dataclass(frozen=True)
class Observed(Row):
    latency_in_seconds: float
    lowest_bucket: float


@rule(
    cites=LATENCY,
    after=[it_is_a_histogram_of_seconds],
    each=[
        Observed(0.25, 0.25),
        Observed(0.251, 0.5),
        Observed(1.0, 1.0),
        Observed(59.0, 59.0),
        Observed(59.5, 60.0),
        Observed(61.0, 65.0),
        Observed(300.0, 300.0),
        Observed(300.001, math.inf),
    ],
)
def a_bucket_holds_what_is_up_to_its_bound(proxy: Node, row: Observed) -> None:
    """An observation MUST be counted in every bucket whose bound it does not exceed, and in no other.

    A value equal to a bound belongs to that bound's bucket; buckets are cumulative, the last is +Inf.
    """
    span = round(row.latency_in_seconds * 1000) * MILLISECOND
    proxy.change("web", at=1 * SECOND)
    proxy.until(1 * SECOND + span)
    proxy.sync()

    le = proxy.metric().le

    assert {bound: count for bound, count in le.items() if count != (bound >= row.lowest_bucket)} == {}
    assert le[math.inf] == 1


@rule(cites=(LATENCY, BUCKETS["MergeBuckets"]), after=[it_is_a_histogram_of_seconds])
def it_has_81_finite_bounds(proxy: Node) -> None:
    """The buckets SHOULD have upstream's 81 finite bounds, of which the first is 0.

    No comment mentions the 0: the helper that merges the lists begins with it. It is of use all the
    same: whatever is counted there is a sign of clock skew.
    """
    assert tuple(bound for bound in proxy.metric().bounds if bound != math.inf) == BOUNDS
