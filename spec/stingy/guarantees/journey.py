"""From the change to the metric.

A Pod becomes Ready. Its kubelet notes when; the control plane writes that down on the EndpointSlice; kube-proxy hears of
it some time, keeps it if it came after the start, programs the rules, and observes how long it all took. Meanwhile other
hosts stamp other changes by other clocks, syncs fail, and kube-proxy is started anew. Here everything is played at once:
whatever happens, (F) and (L) must foretell every latency that is observed, and nothing else may be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from stingy.contract import Nanoseconds
from stingy.contract.sources import HISTOGRAM, METRICS, SLI, TRACKER
from stingy.guarantees.skew import (
    AN_HOUR,
    BOTH_LAWS,
    FILTERED,
)
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    About,
    Change,
    Cluster,
    Clusters,
    Host,
    about,
    alike,
    between,
    forms,
    parse_steps,
    rule,
    scripts,
)

FAR = 10
"""So many times the step that is not far."""
ORIGINATORS = ("ahead", "behind", "here")
"""Hosts that stamp a change: one whose clock is ahead, one whose clock is behind, and the node."""
HAPPENS = (
    *(
        f"{where} changes, {then}"
        for where in ORIGINATORS
        for then in ("sync", "slow sync", "failed sync", "no sync")
    ),
    "sync",
    "restart",
)
"""After a change the node hears of it and of those before, and syncs; without a sync, it has not heard of it yet."""
WITHOUT_A_RESTART = HAPPENS[:-1]
HAPPENINGS = forms(
    *("WHO changes", "sync", "slow sync", "failed sync", "no sync", "restart"),
    *("clock set forward", "clock set back", "clock set far forward", "clock set far back"),
)
CLOCK_IS_SET = ("clock set forward", "clock set back", "clock set far forward", "clock set far back")
SINGLE = (
    "latency/one-observation-for-each-time",
    "latency/every-sync-observes-what-is-new",
    "latency/an-idle-sync-observes-nothing",
    "latency/programming-itself-is-part-of-the-latency",
    "latency/the-times-of-a-failed-sync",
    "latency/what-changes-after-a-failure-is-observed",
    "skew/a-negative-latency-is-told",
    "clocks/each-originator-has-its-own-skew",
    "clocks/whole-seconds-are-taken-as-they-come",
    "clocks/what-is-cut-off-the-stamp-is-added-to-the-latency",
    "clocks/a-restart-measures-nothing-again",
    "clocks/a-restart-of-a-node-behind-measures-twice",
    "skew/clocks-that-agree-are-exact",
    "skew/a-node-behind-measures-what-was-before-it",
    "skew/a-node-ahead-is-blind-for-as-long",
)
"""Rules about each part of the journey alone."""

Script = Sequence[tuple[str, Nanoseconds]]


class Foretold:
    """Prediction of (F) and (L) for the node's kube-proxy, compared with what it observes.

    Two things they leave open: a time of a failed sync may be lost, or be kept until one succeeds; and one that
    equals the start may be measured or not.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._started = cluster.now
        self._ahead = cluster.ahead
        self._heard: list[Change] = []
        self._failed: list[Change] = []

    def starts(self, shown: Sequence[Change]) -> None:
        """kube-proxy is started anew, and is shown these."""
        self._started, self._ahead = self._cluster.now, self._cluster.ahead
        self._heard = list(shown)
        self._failed = []

    def hears(self, changes: Sequence[Change]) -> None:
        self._heard += changes

    def fails(self) -> None:
        self._failed += self._heard
        self._heard = []

    def agrees(self, latencies: list[float]) -> None:
        """The sync that is over has observed what it had to."""
        observed: list[object] = list(latencies)
        for foretold in self._latencies(change for change in self._heard if self._beyond(change) > 0):
            assert foretold in observed
            observed.remove(foretold)
        left_open: list[object] = [
            *self._latencies(change for change in self._heard if self._beyond(change) == 0),
            *self._latencies(change for change in self._failed if self._beyond(change) >= 0),
        ]
        for besides in observed:
            assert besides in left_open
            left_open.remove(besides)
        self._failed, self._heard = [], []

    def _latencies(self, changes: Iterable[Change]) -> list[About]:
        return [about(latency) for latency in sorted(map(self._latency, changes))]

    def _beyond(self, change: Change) -> Nanoseconds:
        """(F): by how much later it came after the start than the skew was then; it is kept if that is more than 0."""
        return (change.happened - change.cut - self._started) - (self._ahead - change.ahead)

    def _latency(self, change: Change) -> Nanoseconds:
        """(L): what it truly took, what the stamp has lost, and the skew as it is now."""
        took = self._cluster.now - change.happened
        return took + change.cut + (self._cluster.ahead - change.ahead)


class _Unasked(Foretold):
    """Nobody wants to know."""

    def agrees(self, latencies: list[float]) -> None:
        """It does not matter."""


def _play(
    cluster: Cluster,
    script: Script,
    hosts: Mapping[str, Host],
    step: Nanoseconds = 0,
    oracle: type[Foretold] = Foretold,
) -> list[list[float]]:
    """Play it, hold every sync against what is foretold, and return what they observed."""
    foretold = oracle(cluster)
    foretold.starts(cluster.boots())
    syncs: list[list[float]] = []
    for line, after in (*script, ("here changes, sync", 0)):
        cluster.elapse(after)
        *changes, (does, *_) = map(HAPPENINGS.read, parse_steps(line))
        for _, where in changes:
            # Each a second after the one before, so that no two stamps of a host are equal.
            cluster.elapse(1 * SECOND)
            hosts[where].changes(where, f"{where}-{cluster.changes % 2}")
        if changes and does != "no sync":
            foretold.hears(cluster.hears())
        match does:
            case "sync" | "slow sync":
                syncs.append(cluster.sync(takes=3 * SECOND if does == "slow sync" else 0))
                foretold.agrees(syncs[-1])
            case "failed sync":
                assert cluster.sync(succeeds=False) == []
                foretold.fails()
            case "restart":
                foretold.starts(cluster.restarts())
            case "clock set forward":
                cluster.steps(step)
            case "clock set back":
                cluster.steps(-step)
            case "clock set far forward":
                cluster.steps(FAR * step)
            case "clock set far back":
                cluster.steps(-FAR * step)
    return syncs


@rule(
    cites=(SLI["latency"], METRICS["NetworkProgrammingLatency"], TRACKER["trackerStartTime"]),
    after=(
        "latency/one-observation-for-each-time",
        "latency/what-arrives-late-is-measured-from-its-change",
        "latency/a-bucket-holds-what-is-up-to-its-bound",
    ),
)
def from_the_change_to_the_metric(cluster: Cluster) -> None:
    """What happens to a service from its creation on MUST be found in the metric, each change once and truly.

    Read it as the story of a service: it is created, gets Pods on two hosts, is idle, and loses a Pod.
    """
    api_server = cluster.host("API server", whole_seconds=True)
    kubelet = cluster.host("kubelet", ahead=250 * MILLISECOND, whole_seconds=True)
    cluster.boots()
    assert cluster.sync() == []

    cluster.until(10 * SECOND)
    api_server.changes("web")
    cluster.elapse(300 * MILLISECOND)
    cluster.hears()
    cluster.elapse(700 * MILLISECOND)
    assert cluster.sync(takes=1 * SECOND) == [about(2 * SECOND)]

    cluster.until(20 * SECOND)
    kubelet.changes("web")
    cluster.elapse(1 * SECOND)
    cluster.here.changes("web", "web-2")
    cluster.hears()
    assert cluster.sync(takes=500 * MILLISECOND) == [about(500 * MILLISECOND), about(1500 * MILLISECOND)]

    cluster.elapse(30 * MINUTE)
    assert cluster.sync() == []

    change = api_server.changes("web")
    cluster.elapse(400 * SECOND)
    cluster.hears()
    assert cluster.sync() == [about(400 * SECOND + change.cut)]

    metric = cluster.metric()
    assert metric.count == metric.le[math.inf] == 4
    assert metric.sum == about(404 * SECOND + change.cut)


@rule(
    cites=(*BOTH_LAWS, METRICS["NetworkProgrammingLatency"]),
    after=SINGLE,
    where=FILTERED,
    for_all={
        "script": scripts(HAPPENS, 10 * MINUTE, 40),
        "ahead": between(0, 10 * MINUTE),
        "behind": between(0, 10 * MINUTE),
    },
)
def whatever_happens_the_laws_foretell_every_latency(
    cluster: Cluster, script: Script, ahead: Nanoseconds, behind: Nanoseconds
) -> None:
    """Whatever happens on the hosts and the node, each sync MUST observe what (F) and (L) foretell, and nothing else."""
    hosts = {
        "ahead": cluster.host("ahead", ahead=ahead, whole_seconds=True),
        "behind": cluster.host("behind", ahead=-behind, gains=100),
        "here": cluster.here,
    }

    _play(cluster, script, hosts)


@rule(
    cites=(*BOTH_LAWS, METRICS["NetworkProgrammingLatency"]),
    after=(
        "journey/whatever-happens-the-laws-foretell-every-latency",
        "clocks/a-step-between-change-and-sync-is-measured",
    ),
    where=FILTERED,
    for_all={
        "script": scripts((*HAPPENS, *CLOCK_IS_SET), 10 * MINUTE, 40),
        "ahead": between(0, 10 * MINUTE),
        "behind": between(0, 10 * MINUTE),
        "step": between(1 * SECOND, AN_HOUR),
    },
)
def where_the_clock_is_set_the_laws_foretell_every_latency(
    cluster: Cluster, script: Script, ahead: Nanoseconds, behind: Nanoseconds, step: Nanoseconds
) -> None:
    """Also where the node's clock is set again and again, each sync MUST observe what (F) and (L) foretell."""
    hosts = {
        "ahead": cluster.host("ahead", ahead=ahead, whole_seconds=True),
        "behind": cluster.host("behind", ahead=-behind, gains=100),
        "here": cluster.host("neighbour"),
    }

    _play(cluster, script, hosts, step)


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], HISTOGRAM["Buckets"]),
    after=(
        "journey/whatever-happens-the-laws-foretell-every-latency",
        "latency/a-bucket-holds-what-is-up-to-its-bound",
        "skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum",
    ),
    where=FILTERED,
    for_all={"script": scripts(WITHOUT_A_RESTART, MINUTE, 40)},
)
def the_metric_holds_all_that_was_observed(cluster: Cluster, script: Script) -> None:
    """After any number of syncs the metric MUST hold what each of them has observed: its count, its sum and its buckets."""
    hosts = {
        "ahead": cluster.host("ahead", ahead=30 * SECOND),
        "behind": cluster.host("behind", ahead=-30 * SECOND),
        "here": cluster.here,
    }

    observed = [latency for sync in _play(cluster, script, hosts) for latency in sync]

    metric = cluster.metric()
    assert metric.count == len(observed)
    assert metric.sum == about(
        round(sum(observed) * SECOND), len(observed) * 1000 + 1000, len(observed) * 1000 + 1000
    )
    assert metric.le == {bound: sum(latency <= bound for latency in observed) for bound in metric.bounds}


@rule(
    cites=BOTH_LAWS,
    after="journey/whatever-happens-the-laws-foretell-every-latency",
    where=FILTERED,
    for_all={
        "script": scripts(WITHOUT_A_RESTART, MINUTE, 40),
        "later": between(1000 * AN_HOUR, 10_000 * AN_HOUR),
    },
)
def at_another_time_the_latencies_are_the_same(
    clusters: Clusters, script: Script, later: Nanoseconds
) -> None:
    """If all clocks show another time, that MUST change nothing: only their differences count."""

    def played(after: Nanoseconds) -> list[list[float]]:
        cluster = clusters()
        cluster.starts_later(after)
        hosts = {
            "ahead": cluster.host("ahead", ahead=30 * SECOND),
            "behind": cluster.host("behind", ahead=-30 * SECOND),
            "here": cluster.host("neighbour"),
        }
        return _play(cluster, script, hosts, oracle=_Unasked)

    assert played(later) == [[alike(latency) for latency in sync] for sync in played(0)]
