"""Clock skew.

The trigger time is read off the clock of whoever stamped it; the start of the tracker and the moment of
programming are read off the node's. Nothing corrects for the difference. With *skew* = node − originator,
an event at *e*, a tracker started at *S* and rules programmed at *p*, all in true time, two laws follow
from upstream's code:

- **(F)** the event is measured if and only if *e − S > skew*;
- **(L)** what is measured is *p − e + skew*.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import Nanoseconds
from stingy.contract.sources import HISTOGRAM, METRICS, SLI, TRACKER
from stingy.guarantees.trigger_times import WEB
from stingy.language import MILLISECOND, SECOND, Proxy, Row, Tracker, about, alike, between, given, rule

FILTER = TRACKER["trackerStartTime"]
LAW_L = (SLI["latency"], METRICS["clock drift"])
BOTH_LAWS = (SLI["latency"], TRACKER["trackerStartTime"], METRICS["clock drift"])
FILTERED = {"restart_filter": "strict-after"}
"""The way of those that leave out what was before the start."""
AN_HOUR = 3600 * SECOND

S = 1000 * SECOND
"""The start of the tracker, in the vectors below."""


@dataclass(frozen=True)
class Skewed(Row):
    """A vector: seconds of true time, of which ``event`` may be a nanosecond past a whole one."""

    vector: str
    skew: int
    event: Nanoseconds
    programmed: Nanoseconds
    measured: Nanoseconds | None

    def cells(self) -> dict[str, str]:
        def seconds(span: Nanoseconds | None) -> str:
            return "not measured" if span is None else f"{span / SECOND:.9f}".rstrip("0").rstrip(".")

        return {
            "vector": self.vector,
            "skew in s": f"{self.skew:+d}" if self.skew else "0",
            "event": seconds(self.event),
            "programmed": seconds(self.programmed),
            "measured": seconds(self.measured),
        }


def s(seconds: float, nanoseconds: int = 0) -> Nanoseconds:
    return round(seconds * 1000) * MILLISECOND + nanoseconds


@rule(
    cites=BOTH_LAWS,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    where=FILTERED,
    each=[
        Skewed("K1", 0, s(999), s(1003), None),
        Skewed("K3", 0, s(1000, 1), s(1003), s(3, -1)),
        Skewed("K4", 0, s(1010), s(1012), s(2)),
        Skewed("A1", 30, s(1000, 1), s(1001), None),
        Skewed("A2", 30, s(1029), s(1031), None),
        Skewed("A4", 30, s(1030, 1), s(1032), s(32, -1)),
        Skewed("A5", 30, s(1100), s(1102), s(32)),
        Skewed("A6", 30, s(1100), s(1100), s(30)),
        Skewed("B1", -30, s(969), s(1001), None),
        Skewed("B3", -30, s(970, 1), s(1001), s(1, -1)),
        Skewed("B4", -30, s(971), s(1001), s(0)),
        Skewed("B5", -30, s(985), s(1001), s(-14)),
        Skewed("B6", -30, s(1000), s(1001), s(-29)),
        Skewed("B7", -30, s(1010), s(1040), s(0)),
        Skewed("B8", -30, s(1010), s(1040.25), s(0.25)),
        Skewed("B9", -30, s(1010), s(1040.251), s(0.251)),
        Skewed("B10", -30, s(1010), s(1350), s(310)),
        Skewed("C1", 3600, s(1100), s(1102), None),
        Skewed("C3", 3600, s(4600, 1), s(4602), s(3602, -1)),
        Skewed("C4", -3600, s(-2599), s(1001), s(0)),
        Skewed("C5", -3600, s(900), s(1001), s(-3499)),
    ],
)
def skew_moves_the_filter_and_the_latency(proxy: Proxy, row: Skewed) -> None:
    """If clocks differ, an event MUST be measured only if it came after the start by more than the skew, as its latency plus the skew.

    The tracker was made at 1000 s. A node that is ahead is blind for a while after its start, and then
    reports too much (A, C1–C3); one that is behind measures what was before its start, and reports too
    little, down to less than nothing (B, C4, C5).
    """
    proxy.until(row.event - S)
    proxy.change("web", at=row.event - S, skew=row.skew * SECOND)
    proxy.until(row.programmed - S)

    assert proxy.sync() == ([] if row.measured is None else [about(row.measured)])


@rule(
    cites=TRACKER["EndpointSliceUpdate"].in_code,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    where=FILTERED,
    each=[
        Skewed("K2", 0, s(1000), s(1003), None),
        Skewed("A3", 30, s(1030), s(1032), None),
        Skewed("B2", -30, s(970), s(1001), None),
        Skewed("C2", 3600, s(4600), s(4602), None),
    ],
)
def a_stamp_equal_to_the_start_is_left_out(proxy: Proxy, row: Skewed) -> None:
    """An event whose stamp equals the node's reading at the start SHOULD be left out, whatever the skew."""
    proxy.until(row.event - S)
    proxy.change("web", at=row.event - S, skew=row.skew * SECOND)
    proxy.until(row.programmed - S)

    assert proxy.sync() == []


@rule(
    cites=FILTER,
    after=(
        "restart/what-was-before-the-start-is-not-measured",
        "restart/what-was-after-the-start-is-measured",
    ),
    where=FILTERED,
    for_all={"skew": between(-AN_HOUR, AN_HOUR), "beyond": between(1, AN_HOUR)},
)
def law_f_the_filter(tracker: Tracker, skew: Nanoseconds, beyond: Nanoseconds) -> None:
    """(F): a trigger time MUST be kept if its event came later after the start than the skew, and left out if earlier."""
    tracker.change("web", at=skew + beyond, skew=skew, slice_name="later")
    tracker.change("web", at=skew - beyond, skew=skew, slice_name="earlier")

    assert tracker.checkout().times == {WEB: [beyond]}


@rule(
    cites=LAW_L,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    for_all={
        "skew": between(-AN_HOUR, AN_HOUR),
        "beyond": between(1, AN_HOUR),
        "took": between(0, 60 * SECOND),
    },
)
def law_l_the_latency(proxy: Proxy, skew: Nanoseconds, beyond: Nanoseconds, took: Nanoseconds) -> None:
    """(L): what is measured MUST be the true latency plus the skew, neither corrected nor cut off."""
    event = skew + beyond
    proxy.until(event)
    proxy.change("web", at=event, skew=skew)
    waited = proxy.uptime - event
    proxy.elapse(took)

    assert proxy.sync() == [about(waited + took + skew)]


@rule(
    cites=(TRACKER["trackerStartTime"], SLI["latency"]),
    after="skew/skew-moves-the-filter-and-the-latency",
    where=FILTERED,
    for_all={"event": between(1, AN_HOUR), "took": between(0, 60 * SECOND)},
)
def clocks_that_agree_are_exact(proxy: Proxy, event: Nanoseconds, took: Nanoseconds) -> None:
    """Without skew, the latency of every change after the start MUST be the true one, and of none before it be measured."""
    proxy.change("web", at=-event, slice_name="stale")
    proxy.until(event)
    proxy.change("web", at=event, slice_name="fresh")
    proxy.elapse(took)

    assert proxy.sync() == [about(took)]


@rule(
    cites=BOTH_LAWS,
    after="skew/skew-moves-the-filter-and-the-latency",
    where=FILTERED,
    for_all={"ahead": between(10 * SECOND, AN_HOUR)},
)
def a_node_ahead_is_blind_for_as_long(proxy: Proxy, ahead: Nanoseconds) -> None:
    """A node that is ahead MUST measure no change of its first while, which is as long as it is ahead.

    While its uptime is not longer than its lead, nothing whatever is measured, though all is programmed.
    """
    for part in (1, 3, 6, 9):
        event = ahead * part // 10
        proxy.until(event)
        proxy.change("web", at=event, skew=ahead)
        proxy.elapse(1)

        assert proxy.sync() == []


@rule(
    cites=BOTH_LAWS,
    after="skew/skew-moves-the-filter-and-the-latency",
    where=FILTERED,
    for_all={"behind": between(10 * SECOND, AN_HOUR)},
)
def a_node_behind_measures_what_was_before_it(proxy: Proxy, behind: Nanoseconds) -> None:
    """A node that is behind MUST measure the changes of the while before its start, which is as long as it is behind."""
    proxy.change("web", at=-behind + 1, skew=-behind, slice_name="just-within")
    proxy.change("web", at=-behind - 1, skew=-behind, slice_name="just-before")
    proxy.elapse(1 * SECOND)

    assert proxy.sync() == [about(1 * SECOND - 1)]


@rule(
    cites=LAW_L,
    after="skew/skew-moves-the-filter-and-the-latency",
    for_all={"ahead": between(0, AN_HOUR), "took": between(0, 60 * SECOND)},
)
def a_node_ahead_measures_no_less_than_its_lead(proxy: Proxy, ahead: Nanoseconds, took: Nanoseconds) -> None:
    """What a node measures that is ahead MUST NOT be less than its lead: no bucket below that is ever touched."""
    event = ahead + 1
    proxy.until(event)
    proxy.change("web", at=event, skew=ahead)
    proxy.elapse(took)

    (latency,) = proxy.sync()

    assert latency >= ahead / SECOND - 1e-6
    assert [
        count for bound, count in proxy.metric().le.items() if bound < ahead / SECOND - 1e-6 and count
    ] == []


@rule(
    cites=BOTH_LAWS,
    after="skew/skew-moves-the-filter-and-the-latency",
    where=FILTERED,
    for_all={
        "skew": between(-AN_HOUR, AN_HOUR),
        "more": between(1, AN_HOUR),
        "event": between(-AN_HOUR, AN_HOUR),
    },
)
def with_more_skew_fewer_are_measured_and_more_of_each(
    proxy: Proxy, skew: Nanoseconds, more: Nanoseconds, event: Nanoseconds
) -> None:
    """With so much more skew, no change MUST be measured that was not with less, and each that still is by so much more."""
    proxy.until(event)
    proxy.change("web", at=event, skew=skew)
    with_less = proxy.sync()
    proxy.change("web", at=event, skew=skew + more)
    with_more = proxy.sync()

    assert len(with_more) <= len(with_less) <= 1
    assert [latency - more / SECOND for latency in with_more] == [
        alike(latency) for latency in with_less[: len(with_more)]
    ]


@rule(
    cites=(SLI["latency"], HISTOGRAM["Buckets"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    for_all={"behind": between(2 * SECOND, AN_HOUR)},
)
def a_negative_latency_is_told(proxy: Proxy, behind: Nanoseconds) -> None:
    """A latency below zero MUST be observed as it is: counted in the lowest bucket, and taken off the sum.

    It is a finding about the clocks; to cut it off at zero, or to drop it, would be to hide that.
    """
    proxy.elapse(1 * SECOND)
    proxy.change("web", at=1 * SECOND, skew=-behind)

    assert proxy.sync() == [about(-behind)]

    metric = proxy.metric()
    assert metric.count == 1
    assert metric.sum == about(-behind)
    assert metric.le[metric.bounds[0]] == 1


@rule(
    cites=(SLI["latency"], HISTOGRAM["Buckets"]),
    after="skew/a-negative-latency-is-told",
    for_all={"behind": between(1, AN_HOUR)},
)
def a_latency_of_nothing_counts_as_well(proxy: Proxy, behind: Nanoseconds) -> None:
    """A latency that the skew makes exactly nothing MUST be observed, and counted in the lowest bucket.

    That bucket ends at 0 upstream. No change is ever programmed in no time: what is counted there tells of the clocks.
    """
    proxy.change("web", at=1 * SECOND, skew=-behind)
    proxy.until(1 * SECOND + behind)

    assert proxy.sync() == [about(0)]

    metric = proxy.metric()
    assert metric.le[metric.bounds[0]] == 1


@rule(cites=(SLI["latency"], HISTOGRAM["Buckets"]), after="skew/a-negative-latency-is-told")
def a_negative_latency_raises_every_bucket_and_lowers_the_sum(proxy: Proxy) -> None:
    """A latency below zero MUST raise the count of every bucket by one, and lower the sum, be it to less than nothing.

    Prometheus then takes the sum to have been reset, and a rate over it means nothing; the buckets still do.
    """
    proxy.change("web", at=1 * SECOND)
    proxy.until(4 * SECOND)
    proxy.sync()
    before = proxy.metric()
    with given():
        assert before.sum == about(3 * SECOND)
    proxy.change("web", at=4 * SECOND, skew=-30 * SECOND)
    proxy.sync()

    after = proxy.metric()

    assert {bound: after.le[bound] - count for bound, count in before.le.items()} == dict.fromkeys(
        before.le, 1
    )
    assert after.count - before.count == 1
    assert after.sum == about(-27 * SECOND)


@rule(
    cites=BOTH_LAWS,
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    where=FILTERED,
    for_all={"skew": between(-AN_HOUR, AN_HOUR), "event": between(-AN_HOUR, AN_HOUR)},
)
def no_latency_exceeds_the_uptime(proxy: Proxy, skew: Nanoseconds, event: Nanoseconds) -> None:
    """Whatever the skew, a latency that is measured MUST be less than the time the node has been up.

    It follows from (F) and (L). So a value beyond the uptime proves a step of the clock, or a broken filter.
    """
    proxy.until(event)
    proxy.change("web", at=event, skew=skew)
    proxy.elapse(1 * SECOND)

    assert all(latency < proxy.uptime / SECOND + 1e-6 for latency in proxy.sync())
