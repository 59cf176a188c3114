"""Network programming latency.

When a sync has programmed the rules, kube-proxy observes, for every trigger time it checked out, how
long ago that was: `kubeproxy_network_programming_duration_seconds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stingy.contract import LATENCY_METRIC, MICROSECOND, Nanoseconds
from stingy.contract.sources import BUCKETS, HISTOGRAM, IPTABLES, METRICS, SLI, TRACKER
from stingy.guarantees.handing_out import MANY
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    Proxies,
    Proxy,
    Row,
    StartingProxy,
    about,
    between,
    numbers,
    rule,
)

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

LAST_SECOND = "9999-12-31T23:59:59Z"
"""The last that RFC 3339 can write."""
GO_S_LONGEST: Nanoseconds = (1 << 63) - 1


@rule(
    cites=(SLI["latency"], METRICS["NetworkProgrammingLatency"]),
    for_all={"triggered": between(1, 60 * SECOND), "took": between(0, 60 * SECOND)},
)
def the_latency_is_the_time_from_trigger_to_programmed(
    proxy: Proxy, triggered: Nanoseconds, took: Nanoseconds
) -> None:
    """The latency observed MUST be the time that has passed since the trigger time when the rules are programmed."""
    proxy.until(triggered)
    proxy.change("web", at=triggered)
    proxy.until(triggered + took)

    assert proxy.sync() == [about(took)]


@rule(
    cites=(SLI["latency"], IPTABLES["syncProxyRules"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def programming_itself_is_part_of_the_latency(proxy: Proxy) -> None:
    """The latency MUST include the time that programming takes: the clock is read after it.

    On a large node, writing the rules is most of it.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)

    assert proxy.sync(takes=4 * SECOND) == [about(6 * SECOND)]


@rule(
    cites=LATENCY,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    for_all={"slices": numbers(1, 6)},
)
def one_observation_for_each_time(proxy: Proxy, slices: int) -> None:
    """A sync MUST observe one latency for each trigger time: not one a service, nor one a sync."""
    for n in range(1, slices + 1):
        proxy.change("web", at=n * SECOND, slice_name=f"web-{n}")
    proxy.change("db", at=1 * SECOND)
    proxy.until(10 * SECOND)

    expected = sorted([*(10 - n for n in range(1, slices + 1)), 9])
    assert proxy.sync() == [about(n * SECOND) for n in expected]


@rule(
    cites=LATENCY,
    after="latency/one-observation-for-each-time",
)
def of_many_times_each_is_observed(proxy: Proxy) -> None:
    """However many trigger times a sync has checked out, it MUST observe a latency for each, and the metric count them all."""
    for n in range(1, MANY + 1):
        proxy.change("web", at=n * SECOND, slice_name=f"web-{n % 100}")
    proxy.until((MANY + 1) * SECOND)

    assert proxy.sync() == [about(n * SECOND) for n in range(1, MANY + 1)], (
        "is there a limit to the times that a sync observes?"
    )

    metric = proxy.metric()
    assert metric.count == metric.le[math.inf] == MANY, "does a counter overflow?"
    assert metric.sum == about(MANY * (MANY + 1) // 2 * SECOND, MANY * MICROSECOND, MANY * MICROSECOND)


@rule(
    cites=METRICS["NetworkProgrammingLatency"].in_code,
    after="latency/one-observation-for-each-time",
)
def slices_written_at_once_count_each(proxy: Proxy) -> None:
    """Slices that one event has changed SHOULD be observed one by one, though their trigger times are equal.

    A large service has many slices, and each of its rolling updates counts as often on every node.
    """
    for n in (1, 2, 3):
        proxy.change("web", at=1 * SECOND, slice_name=f"web-{n}")
    proxy.until(3 * SECOND)

    assert proxy.sync() == [about(2 * SECOND)] * 3


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], IPTABLES["syncProxyRules"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def every_sync_observes_what_is_new(proxy: Proxy) -> None:
    """Each sync MUST observe what has changed since the one before, be it the first one or one of a few changes.

    kube-proxy programs only what has changed where it can, and measures such a partial sync like any other.
    """
    for second in (10, 20, 30):
        proxy.until(second * SECOND)
        proxy.change("web", at=second * SECOND)
        proxy.elapse(2 * SECOND)

        assert proxy.sync() == [about(2 * SECOND)]


@dataclass(frozen=True)
class Late(Row):
    by: str
    seconds: int

    def cells(self) -> dict[str, str]:
        return {"by": self.by}


A_DAY = 86_400


@rule(
    cites=(SLI["latency"], IPTABLES["syncProxyRules"]),
    after="latency/every-sync-observes-what-is-new",
    each=[
        Late("2 hours", 7_200),
        Late("30 days", 30 * A_DAY),
        Late("60 days", 60 * A_DAY),
        Late("70 years", 70 * 365 * A_DAY),
    ],
)
def what_arrives_late_is_measured_from_its_change(proxy: Proxy, row: Late) -> None:
    """A change that arrives after other syncs MUST be measured as well, and from its trigger time, however long ago that was.

    A watch that broke off brings it then. It is just what the metric is there to show. Numbers of 32 bits come round after 36 or 72
    minutes of microseconds, 25 or 50 days of milliseconds, 68 years of seconds.
    """
    proxy.until(10 * SECOND)
    proxy.change("db", at=10 * SECOND)
    proxy.sync()
    proxy.elapse(row.seconds * SECOND)
    proxy.sync()
    proxy.change("web", at=5 * SECOND)

    assert proxy.sync() == [about((row.seconds + 5) * SECOND)], (
        "is the latency measured from the trigger time, in a type that can hold decades?"
    )


@dataclass(frozen=True)
class Unstamped(Row):
    annotation: str
    text: str | None


@rule(
    cites=(TRACKER["zero value"], TRACKER["getLastChangeTriggerTime"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    each=[Unstamped("none", None), Unstamped("empty", ""), Unstamped("no time", "yesterday")],
)
def what_has_no_trigger_time_is_not_measured(proxy: Proxy, row: Unstamped) -> None:
    """A change without a trigger time that can be read MUST NOT be observed, nor keep others from being so."""
    proxy.change("web") if row.text is None else proxy.annotated(row.text, "web")
    proxy.change("db", at=1 * SECOND)
    proxy.until(3 * SECOND)

    assert proxy.sync() == [about(2 * SECOND)]


@rule(
    cites=TRACKER["removeSlice"],
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def a_removal_is_not_measured(proxy: Proxy) -> None:
    """The removal of a slice MUST NOT be observed: the trigger time it still carries is that of its last change.

    Measured, it would be as old as the service, on every node at once (kubernetes/kubernetes#95363).
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(2 * SECOND)
    proxy.sync()
    proxy.elapse(3600 * SECOND)
    proxy.remove("web-1")

    assert proxy.sync() == []


@rule(
    cites=(SLI["latency"], IPTABLES["syncProxyRules"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def a_failed_sync_observes_nothing(proxy: Proxy) -> None:
    """A sync that fails to program the rules MUST NOT observe any latency: nothing has been programmed."""
    proxy.change("web", at=1 * SECOND)
    proxy.until(3 * SECOND)

    assert proxy.sync(succeeds=False) == []
    assert proxy.metric().count == 0


@rule(
    cites=SYNC,
    after="latency/a-failed-sync-observes-nothing",
    contested=("they are lost", "they are observed by the next one"),
)
def the_times_of_a_failed_sync(proxy: Proxy) -> str:
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


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], IPTABLES["syncProxyRules"]),
    after="latency/a-failed-sync-observes-nothing",
)
def what_changes_after_a_failure_is_observed(proxy: Proxy) -> None:
    """What changes after a failed sync MUST be observed by the next that succeeds, as if there had been no failure."""
    proxy.change("db", at=1 * SECOND)
    proxy.until(3 * SECOND)
    proxy.sync(succeeds=False)
    proxy.sync(succeeds=False)
    proxy.change("web", at=4 * SECOND)
    proxy.until(5 * SECOND)

    observed = proxy.sync()

    assert [latency for latency in observed if latency != about(4 * SECOND)] == [about(1 * SECOND)]


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], IPTABLES["syncProxyRules"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def an_idle_sync_observes_nothing(proxy: Proxy) -> None:
    """A sync without changes since the last one MUST NOT observe anything, however long the node is idle.

    kube-proxy syncs now and then of its own accord; three idle hours would else be three hours of latency.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(2 * SECOND)
    proxy.sync()

    for pause in (30 * SECOND, 30 * MINUTE, 60 * MINUTE, 90 * MINUTE):
        proxy.elapse(pause)
        assert proxy.sync() == []

    assert proxy.metric().count == 1


@rule(
    cites=(IPTABLES["servicesSynced"], IPTABLES["syncProxyRules"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def nothing_before_both_lists_are_complete(starting: StartingProxy) -> None:
    """A sync before the first lists of Services and of EndpointSlices are complete MUST NOT observe anything."""
    starting.change("web", at=1 * SECOND)
    starting.until(2 * SECOND)
    assert starting.sync() == []

    starting.services_synced()

    assert starting.sync() == []


@rule(
    cites=(IPTABLES["servicesSynced"], IPTABLES["syncProxyRules"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def nothing_with_the_list_of_slices_alone(starting: StartingProxy) -> None:
    """A sync with the list of EndpointSlices, but not yet that of Services, MUST NOT observe anything."""
    starting.change("web", at=1 * SECOND)
    starting.slices_synced()
    starting.until(2 * SECOND)

    assert starting.sync() == []


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], IPTABLES["syncProxyRules"]),
    after="latency/nothing-before-both-lists-are-complete",
)
def the_first_sync_observes_what_has_gathered(starting: StartingProxy) -> None:
    """The first sync after both lists are complete MUST observe the changes that arrived before it."""
    starting.change("web", at=1 * SECOND)
    starting.until(2 * SECOND)
    starting.sync()
    starting.slices_synced()
    starting.services_synced()
    starting.until(3 * SECOND)

    assert starting.sync() == [about(2 * SECOND)]


@rule(
    cites=(IPTABLES["servicesSynced"], SYNC),
    after=(
        "latency/nothing-before-both-lists-are-complete",
        "latency/the-first-sync-observes-what-has-gathered",
    ),
)
def two_proxies_know_nothing_of_each_other(two: tuple[StartingProxy, StartingProxy]) -> None:
    """A proxy MUST NOT observe changes that another one in the same process has been told of, nor take its lists for its own.

    In a node with two address families there are two.
    """
    proxy, other = two
    other.services_synced()
    other.slices_synced()
    other.change("web", at=1 * SECOND)
    proxy.change("web", at=2 * SECOND)
    proxy.until(4 * SECOND)

    assert proxy.sync() == [], "is something kept on the class, or in the module?"

    other.sync()
    proxy.services_synced()
    proxy.slices_synced()

    assert proxy.sync() == [about(2 * SECOND)], "is something kept on the class, or in the module?"


@rule(
    cites=METRICS["name and help"],
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
)
def the_metric_is_a_histogram_of_seconds(proxy: Proxy) -> None:
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


@rule(cites=METRICS["histogram"], after="latency/the-metric-is-a-histogram-of-seconds")
def the_type_of_the_metric_is_histogram(proxy: Proxy) -> None:
    """Where the metric tells its type, that MUST be a histogram: quantiles are taken over all nodes."""
    assert proxy.metric().kind == "histogram"


@dataclass(frozen=True)
class Family(Row):
    family: str
    address: str


@rule(
    cites=METRICS["label"],
    after="latency/the-metric-is-a-histogram-of-seconds",
    where={"label": "ip_family"},
    each=[Family("IPv4", "10.0.0.1"), Family("IPv6", "fd00::1")],
)
def the_metric_is_labelled_with_the_family_of_its_proxy(proxy_of: Proxies, row: Family) -> None:
    """Where the metric tells its labels, `ip_family` MUST be the family of the proxy that has observed it.

    A node with two families has two proxies, whose latencies were one (kubernetes/kubernetes#116486).
    """
    proxy = proxy_of(row.family)
    proxy.change("web", at=1 * SECOND, address_type=row.family, endpoints=(row.address,))
    proxy.until(2 * SECOND)
    proxy.sync()

    assert proxy.metric().labels.get("ip_family") == row.family


@rule(
    cites=METRICS["NetworkProgrammingLatency"].in_code,
    after="latency/the-metric-is-a-histogram-of-seconds",
    where={"label": "none"},
)
def the_metric_had_no_label(proxy: Proxy) -> None:
    """Where the metric tells its labels, it SHOULD have none: a query by `ip_family` has nothing to find."""
    proxy.change("web", at=1 * SECOND)
    proxy.until(2 * SECOND)
    proxy.sync()

    assert proxy.metric().labels == {}


@dataclass(frozen=True)
class Observed(Row):
    latency_in_seconds: float


@rule(
    cites=(HISTOGRAM["Buckets"], METRICS["NetworkProgrammingLatency"]),
    after="latency/the-metric-is-a-histogram-of-seconds",
    each=[
        Observed(0.0),
        Observed(0.1),
        Observed(0.25),
        Observed(0.251),
        Observed(0.5),
        Observed(1.0),
        Observed(59.0),
        Observed(59.5),
        Observed(60.0),
        Observed(61.0),
        Observed(115.0),
        Observed(117.0),
        Observed(300.0),
        Observed(300.001),
    ],
)
def a_bucket_holds_what_is_up_to_its_bound(proxy: Proxy, row: Observed) -> None:
    """An observation MUST be counted in every bucket whose bound it does not exceed, and in no other.

    A value equal to a bound belongs to that bound's bucket; buckets are cumulative, the last is +Inf, and holds all.
    """
    span = round(row.latency_in_seconds * 1000) * MILLISECOND
    proxy.change("web", at=1 * SECOND)
    proxy.until(1 * SECOND + span)
    proxy.sync()

    le = proxy.metric().le

    assert {bound: count for bound, count in le.items() if count != (bound >= row.latency_in_seconds)} == {}
    assert le[math.inf] == 1


@rule(
    cites=(METRICS["NetworkProgrammingLatency"].in_code, BUCKETS["MergeBuckets"]),
    after="latency/the-metric-is-a-histogram-of-seconds",
)
def the_histogram_has_81_finite_bounds(proxy: Proxy) -> None:
    """The buckets SHOULD have upstream's 81 finite bounds, of which the first is 0.

    No comment mentions the 0: the helper that merges the lists begins with it. It is of use all the
    same: whatever is counted there is a sign of clock skew.
    """
    assert tuple(bound for bound in proxy.metric().bounds if bound != math.inf) == BOUNDS


@rule(
    cites=(LATENCY, SYNC),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    contested=("it is told as it is", "it is cut off at 292 years", "it is not measured"),
)
def a_latency_of_thousands_of_years(proxy: Proxy) -> str:
    """A trigger time thousands of years off MAY be told as it is, be cut off at 292 years, or not be measured.

    Go's durations end at 292 years, so kube-proxy observes −9,223,372,036.9 s for every time beyond.
    """
    proxy.annotated(LAST_SECOND)

    observed = proxy.sync()
    if not observed:
        return "it is not measured"
    cut_off = observed == [about(-GO_S_LONGEST, MILLISECOND, MILLISECOND)]
    if cut_off:
        return "it is cut off at 292 years"
    told = len(observed) == 1 and -300e9 < observed[0] < -200e9
    return "it is told as it is" if told else f"{observed} is observed"
