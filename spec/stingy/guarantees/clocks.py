"""Clock skew: many hosts.

Every host stamps by a clock of its own: the kubelet that sees a Pod become Ready, the API server that creates a
Service. Clocks are ahead or behind, drift, and are set right in one step; Kubernetes writes their readings in whole
seconds. kube-proxy has one start and one *now*, and holds whatever was stamped against these two. So each change has
the skew of its own originator, and the laws (F) and (L) hold for each by itself: with the node's lead at the start in
the one, and at the moment of programming in the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import Nanoseconds
from stingy.contract.sources import TRACKER
from stingy.guarantees.skew import (
    AN_HOUR,
    BOTH_LAWS,
    FILTER,
    FILTERED,
    LAW_L,
    s,
)
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    Cluster,
    Row,
    about,
    between,
    format_span,
    given,
    rule,
)

S = 1000 * SECOND
"""When the node boots, in true time."""
DECADES = 1_000_000_000 * SECOND
"""Skew of a board without a battery, whose clock starts in 1970: some thirty years."""


@rule(cites=BOTH_LAWS, after="skew/skew-moves-the-filter-and-the-latency", where=FILTERED)
def each_originator_has_its_own_skew(cluster: Cluster) -> None:
    """Changes that different hosts have stamped MUST each be judged and measured by their own stamp, also in one sync.

    The order of the stamps is not that of the changes, and nothing can be learned from one about another.
    """
    right = cluster.host("right")
    ahead = cluster.host("ahead", ahead=30 * SECOND)
    behind = cluster.host("behind", ahead=-30 * SECOND)
    cluster.until(S)
    cluster.boots()
    cluster.until(S + 10 * SECOND)
    for host in (ahead, right, behind):
        host.changes("web", f"web-{host.name}")
        cluster.elapse(1 * SECOND)
    cluster.hears()

    assert cluster.sync() == [about(-27 * SECOND), about(2 * SECOND)]

    cluster.until(S + 60 * SECOND)
    for host in (behind, right, ahead):
        host.changes("web", f"web-{host.name}")
    cluster.hears()
    cluster.elapse(1 * SECOND)

    assert cluster.sync() == [about(-29 * SECOND), about(1 * SECOND), about(31 * SECOND)]


@rule(
    cites=LAW_L,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    for_all={"ahead": between(-AN_HOUR, AN_HOUR), "took": between(0, 60 * SECOND)},
)
def on_its_own_host_there_is_no_skew(cluster: Cluster, ahead: Nanoseconds, took: Nanoseconds) -> None:
    """A change stamped by the node itself MUST be measured truly, but for what is cut off the stamp, however wrong its clock.

    Both readings are of one clock. So the Pods of a node are its best measure, to a second.
    """
    cluster.boots(ahead=ahead)
    cluster.elapse(2 * SECOND)
    change = cluster.here.changes("web")
    cluster.hears()
    cluster.elapse(took)

    assert cluster.sync() == [about(took + change.cut)]


@rule(cites=LAW_L, after="skew/law-l-the-latency")
def a_clock_that_drifts_is_measured_as_it_stands(cluster: Cluster) -> None:
    """What is measured MUST contain the skew of that very moment, where the originator's clock loses time.

    A crystal is off by some 200 parts in a million at worst: nearly a second in an hour without NTP.
    """
    kubelet = cluster.host("kubelet", gains=-200)
    cluster.boots()
    for hour in (1, 2, 3):
        cluster.until(cluster.started + hour * AN_HOUR)
        kubelet.changes("web")
        cluster.hears()
        cluster.elapse(1 * SECOND)

        assert cluster.sync() == [about(1 * SECOND + hour * 720 * MILLISECOND)]


@dataclass(frozen=True)
class Truncated(Row):
    """Times by the originator's clock, whose readings are cut down to whole seconds."""

    started: Nanoseconds
    skew: Nanoseconds
    changed: Nanoseconds
    programmed: Nanoseconds
    measured: Nanoseconds | None

    def cells(self) -> dict[str, str]:
        return {
            name.replace("_", " "): "not measured" if span is None else format_span(span)
            for name, span in vars(self).items()
        }

    @property
    def name(self) -> str:
        return f"{self.changed / SECOND:g} and {self.started / SECOND:g}"


def _measure(cluster: Cluster, row: Truncated) -> list[float]:
    kubelet = cluster.host("kubelet", whole_seconds=True)
    for instant in sorted({row.started, row.changed}):
        cluster.until(instant)
        if instant == row.started:
            cluster.boots(ahead=row.skew)
        if instant == row.changed:
            kubelet.changes("web")
    cluster.hears()
    cluster.until(row.programmed)
    return cluster.sync()


@rule(
    cites=BOTH_LAWS,
    after="skew/skew-moves-the-filter-and-the-latency",
    where=FILTERED,
    each=[
        Truncated(s(1000.2), 0, s(1000.9), s(1001.4), None),
        Truncated(s(1000.2), 0, s(1001.0), s(1001.4), s(0.4)),
        Truncated(s(1000.2), 0, s(1001.999), s(1002.1), s(1.1)),
        Truncated(s(1000.2), s(-0.5), s(1000.1), s(1000.6), s(0.1)),
    ],
)
def whole_seconds_are_taken_as_they_come(cluster: Cluster, row: Truncated) -> None:
    """The restart filter and the latency MUST take a stamp that was cut down to whole seconds for the exact instant that it names.

    Kubernetes writes times in whole seconds. So what changes within the second of the start is left out though it came
    after it, a change just before the start may be measured, and what is measured is up to a second too much.
    """
    assert _measure(cluster, row) == ([] if row.measured is None else [about(row.measured)])


@rule(
    cites=TRACKER["EndpointSliceUpdate"].in_code,
    after="clocks/whole-seconds-are-taken-as-they-come",
    where=FILTERED,
    each=[Truncated(s(1000.0), 0, s(1000.9), s(1001.4), None)],
)
def a_start_on_the_second_loses_that_second(cluster: Cluster, row: Truncated) -> None:
    """A change within the second that began with the start SHOULD be left out: its stamp equals the start."""
    assert _measure(cluster, row) == []


@rule(
    cites=LAW_L,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    for_all={"since_start": between(1 * SECOND, AN_HOUR), "took": between(0, 60 * SECOND)},
)
def what_is_cut_off_the_stamp_is_added_to_the_latency(
    cluster: Cluster, since_start: Nanoseconds, took: Nanoseconds
) -> None:
    """What the stamp has lost when it was cut down to seconds MUST be found in the latency: half a second on average.

    So for stamps of Kubernetes the buckets of 0.25 and 0.5 s say little. To take half a second off would not make it right.
    """
    kubelet = cluster.host("kubelet", whole_seconds=True)
    cluster.boots()
    cluster.elapse(since_start)
    change = kubelet.changes("web")
    cluster.hears()
    cluster.elapse(took)

    assert cluster.sync() == [about(took + change.cut)]


@rule(
    cites=FILTER,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    where=FILTERED,
)
def a_restart_measures_nothing_again(cluster: Cluster) -> None:
    """With clocks that agree, a kube-proxy that is started anew MUST NOT measure what the one before it has measured.

    It is shown all slices there are. Every restart would raise the 99th percentile (kubernetes/kubernetes#100861).
    """
    api_server = cluster.host("API server")
    cluster.boots()
    for service in ("web", "db"):
        cluster.elapse(10 * SECOND)
        api_server.changes(service)
    cluster.hears()
    cluster.sync()
    cluster.elapse(10 * SECOND)

    cluster.restarts()

    assert cluster.sync() == []


@rule(
    cites=FILTER,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    where=FILTERED,
)
def what_changes_while_it_is_down_is_never_measured(cluster: Cluster) -> None:
    """What has changed while kube-proxy was down MUST NOT be measured, however late it is programmed.

    It hides an outage: the latency looks best where kube-proxy crashes most. That is the price of the filter.
    """
    api_server = cluster.host("API server")
    cluster.boots()
    cluster.elapse(10 * SECOND)
    api_server.changes("web")
    cluster.elapse(5 * MINUTE)

    cluster.restarts()
    cluster.elapse(1 * SECOND)

    assert cluster.sync() == []


@rule(
    cites=BOTH_LAWS,
    after=("skew/skew-moves-the-filter-and-the-latency", "clocks/whole-seconds-are-taken-as-they-come"),
    where=FILTERED,
)
def a_restart_of_a_node_behind_measures_twice(cluster: Cluster) -> None:
    """A node that is behind MUST, once started anew, measure again what has changed no longer ago than it is behind.

    To its clock these changes are still to come. Nothing tells the new kube-proxy what the old one has measured.
    """
    kubelet = cluster.host("kubelet", ahead=30 * SECOND)
    cluster.boots()
    cluster.elapse(100 * SECOND)
    kubelet.changes("web")
    cluster.hears()
    cluster.elapse(2 * SECOND)
    with given():
        assert cluster.sync() == [about(-28 * SECOND)]

    cluster.elapse(20 * SECOND)
    cluster.restarts()
    assert cluster.sync() == [about(-8 * SECOND)]

    cluster.elapse(9 * SECOND)
    cluster.restarts()
    assert cluster.sync() == []


@rule(cites=BOTH_LAWS, after="skew/skew-moves-the-filter-and-the-latency", where=FILTERED)
def the_blind_while_outlasts_the_clock_that_made_it(cluster: Cluster) -> None:
    """A node whose clock is set back after the start MUST stay blind for as long as it was ahead, and then be exact.

    The start that counts is the wrong reading. Only a restart of kube-proxy would take a better one.
    """
    kubelet = cluster.host("kubelet")
    cluster.until(S)
    cluster.boots(ahead=10 * MINUTE)
    cluster.steps(-10 * MINUTE)
    for minute in (1, 5, 9):
        cluster.until(S + minute * MINUTE)
        kubelet.changes("web")
        cluster.hears()
        assert cluster.sync() == []

    cluster.until(S + 11 * MINUTE)
    kubelet.changes("web")
    cluster.hears()
    cluster.elapse(2 * SECOND)

    assert cluster.sync() == [about(2 * SECOND)]


@rule(cites=BOTH_LAWS, after="skew/skew-moves-the-filter-and-the-latency", where=FILTERED)
def set_right_after_the_start_a_clock_lets_everything_in(cluster: Cluster) -> None:
    """A node that starts far behind, and is set right before the first sync, MUST measure the full age of every slice.

    A board without a battery wakes up in 1970. Its filter is of no use, and nearly all it measures is beyond the last bucket.
    """
    kubelet = cluster.host("kubelet")
    kubelet.changes("web")
    cluster.elapse(AN_HOUR)
    kubelet.changes("db")
    cluster.elapse(AN_HOUR)
    cluster.boots(ahead=-DECADES)

    cluster.steps(DECADES)

    assert cluster.sync() == [about(AN_HOUR), about(2 * AN_HOUR)]


@rule(cites=BOTH_LAWS, after="skew/skew-moves-the-filter-and-the-latency", where=FILTERED)
def a_clock_not_yet_set_right_ruins_the_sum(cluster: Cluster) -> None:
    """A node that starts and syncs far behind MUST observe latencies of minus the time it is behind.

    Some thirty years a slice, taken off the sum: no average will ever make sense again. The buckets still do.
    """
    kubelet = cluster.host("kubelet")
    kubelet.changes("web")
    cluster.elapse(AN_HOUR)
    cluster.boots(ahead=-DECADES)

    assert cluster.sync() == [about(AN_HOUR - DECADES)]
    assert cluster.metric().sum == about(AN_HOUR - DECADES)


@rule(
    cites=LAW_L,
    after="skew/law-l-the-latency",
    for_all={"step": between(-AN_HOUR, AN_HOUR), "took": between(0, 60 * SECOND)},
)
def a_step_between_change_and_sync_is_measured(
    cluster: Cluster, step: Nanoseconds, took: Nanoseconds
) -> None:
    """If the node's clock is set between the change and the sync, the latency MUST be off by just that.

    The trigger time is a reading of a wall clock, and only another such reading can be held against it.
    """
    kubelet = cluster.host("kubelet")
    cluster.boots()
    cluster.elapse(10 * SECOND)
    kubelet.changes("web")
    cluster.hears()
    cluster.steps(step)
    cluster.elapse(took)

    assert cluster.sync() == [about(took + step)]


@rule(cites=LAW_L, after="clocks/a-step-between-change-and-sync-is-measured")
def a_step_while_rules_are_programmed_is_measured(cluster: Cluster) -> None:
    """If the node's clock is set while the rules are programmed, the latency MUST be off by that as well.

    The time that the sync takes can be told by a clock that is never set. The programming latency cannot.
    """
    kubelet = cluster.host("kubelet")
    cluster.boots()
    cluster.elapse(10 * SECOND)
    kubelet.changes("web")
    cluster.hears()

    assert cluster.sync(takes=2 * SECOND, clock_steps=AN_HOUR) == [about(2 * SECOND + AN_HOUR)]


@rule(cites=LAW_L, after="skew/law-l-the-latency")
def a_step_of_the_originator_counts_from_its_next_stamp(cluster: Cluster) -> None:
    """If an originator's clock is set, that MUST show in what it stamps from then on, and in nothing else."""
    kubelet = cluster.host("kubelet")
    cluster.boots()
    cluster.elapse(60 * SECOND)
    kubelet.changes("web", "web-1")
    kubelet.steps(-20 * SECOND)
    kubelet.changes("web", "web-2")
    cluster.hears()
    cluster.elapse(1 * SECOND)

    assert cluster.sync() == [about(1 * SECOND), about(21 * SECOND)]


@rule(
    cites=BOTH_LAWS,
    after=(
        "skew/clocks-that-agree-are-exact",
        "skew/a-node-behind-measures-what-was-before-it",
        "clocks/a-step-between-change-and-sync-is-measured",
    ),
    where=FILTERED,
    for_all={
        "ahead": between(-AN_HOUR, AN_HOUR),
        "step": between(-AN_HOUR, AN_HOUR),
        "before": between(0, AN_HOUR),
        "uptime": between(0, AN_HOUR),
    },
)
def only_a_step_takes_a_latency_beyond_the_uptime(
    cluster: Cluster, ahead: Nanoseconds, step: Nanoseconds, before: Nanoseconds, uptime: Nanoseconds
) -> None:
    """A latency MUST be less than the uptime and what the node's clock has been set forward since the start."""
    kubelet = cluster.host("kubelet", ahead=-ahead)
    kubelet.changes("web")
    cluster.elapse(before)
    cluster.boots()
    cluster.steps(step)
    cluster.elapse(uptime)
    kubelet.changes("db")
    cluster.hears()

    assert all(latency < (cluster.uptime + step) / SECOND + 1e-6 for latency in cluster.sync())
