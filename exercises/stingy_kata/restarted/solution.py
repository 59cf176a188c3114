"""A node whose clock is wrong when it starts, and what it measures once the clock is right."""

from __future__ import annotations

from collections.abc import Sequence

from stingy.language import MINUTE, SECOND, Cluster, Clusters

# The node's clock is so many seconds ahead, and the change comes so many after the start of kube-proxy.
# The rules are programmed 2 s after the change; where that was before the start, 2 s after the start.
# What is measured, in seconds: [2] for one latency of 2 s, [] where nothing is measured.
# hole
# | # TODO: on paper first, all four; then here.
# end of hole
PREDICTED: dict[tuple[int, int], object] = {
    # hole
    # | (+60, +10): ...,
    # | (+60, +100): ...,
    # | (-60, -10): ...,
    # | (-60, +10): ...,
    (+60, +10): [],
    (+60, +100): [62],
    (-60, -10): [-48],
    (-60, +10): [-58],
    # end of hole
}


def what_is_measured_is_what_i_predict(clusters: Clusters) -> None:
    """A change MUST be measured, or not, as the table has it."""
    left = [case for case, predicted in PREDICTED.items() if predicted is ...]
    assert not left, f"{len(left)} of {len(PREDICTED)} predictions are still to be filled in"
    for (ahead, after_start), predicted in PREDICTED.items():
        measured = _measured(clusters(), ahead, after_start)
        assert measured == predicted, f"for {ahead:+}, {after_start:+} it measures {measured}"


def the_start_is_what_the_clock_said(cluster: Cluster) -> None:
    """Once the clock is right the node MUST stay blind for as long as it was ahead at its start, and then be exact."""
    writer = cluster.host("writer")
    cluster.boots(ahead=10 * MINUTE)
    cluster.steps(-10 * MINUTE)
    # hole
    # | # TODO: something changes after 1 min, after 5 min and after 11 min. What is measured of each?
    # | writer.changes("web")
    # | cluster.hears()
    for minute, predicted in ((1, []), (5, []), (11, [2])):
        cluster.until(minute * MINUTE)
        writer.changes("web")
        cluster.hears()
        cluster.elapse(2 * SECOND)

        assert [round(latency) for latency in cluster.sync()] == predicted
    # end of hole


def _measured(cluster: Cluster, ahead: int, after_start: int) -> Sequence[int]:
    """Return the latencies of one change in seconds; kube-proxy starts at 100 s of true time."""
    writer = cluster.host("writer")
    for instant in sorted([100, 100 + after_start]):
        cluster.until(instant * SECOND)
        if instant == 100:
            cluster.boots(ahead=ahead * SECOND)
        else:
            writer.changes()
    cluster.hears()
    cluster.elapse(2 * SECOND)
    return [round(latency) for latency in cluster.sync()]
