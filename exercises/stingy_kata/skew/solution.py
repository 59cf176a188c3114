"""Two clocks, four cases, and what the metric shows in each of them."""

from __future__ import annotations

from collections.abc import Sequence

from stingy.language import MILLISECOND, SECOND, Cluster, Clusters

# The writer's clock is so many seconds ahead of the node's, and the change comes so many after the start of kube-proxy.
# The rules are programmed 2 s after the change; for the first case, 2 s after the start.
# What is measured, in seconds: [2] for one latency of 2 s, [] where nothing is measured.
# hole
# | # TODO: on paper first, all four; then here.
# end of hole
PREDICTED: dict[tuple[int, int], object] = {
    # hole
    # | (+25, -10): ...,
    # | (+25, +10): ...,
    # | (-25, +10): ...,
    # | (-25, +100): ...,
    (+25, -10): [-13],
    (+25, +10): [-23],
    (-25, +10): [],
    (-25, +100): [27],
    # end of hole
}


def what_is_measured_is_what_i_predict(clusters: Clusters) -> None:
    """A change MUST be measured, or not, as the table has it."""
    left = [case for case, predicted in PREDICTED.items() if predicted is ...]
    assert not left, f"{len(left)} of {len(PREDICTED)} predictions are still to be filled in"
    for (ahead, after_start), predicted in PREDICTED.items():
        measured = _measured(clusters(), ahead, after_start)
        assert measured == predicted, f"for {ahead:+}, {after_start:+} it measures {measured}"


def a_stamp_is_taken_at_its_word(cluster: Cluster) -> None:
    """A stamp MUST be measured as it is: neither corrected nor left out."""
    pod = cluster.host("pod", whole_seconds=True)
    writer = cluster.host("writer", ahead=25 * SECOND)
    cluster.elapse(200 * MILLISECOND)
    cluster.boots()
    # hole
    # | # TODO: the Pod changes within the second of the start. Then the writer changes something: what is in the metric?

    cluster.elapse(700 * MILLISECOND)
    pod.changes("web")
    cluster.hears()

    assert cluster.sync() == []

    writer.changes("db")
    cluster.hears()
    cluster.sync()

    assert cluster.metric().count == 1
    assert cluster.metric().sum < 0
    # end of hole


def _measured(cluster: Cluster, ahead: int, after_start: int) -> Sequence[int]:
    """Return the latencies of one change in seconds; kube-proxy starts at 100 s of true time."""
    writer = cluster.host("writer", ahead=ahead * SECOND)
    for instant in sorted([100, 100 + after_start]):
        cluster.until(instant * SECOND)
        if instant == 100:
            cluster.boots()
        else:
            writer.changes()
    cluster.hears()
    cluster.elapse(2 * SECOND)
    return [round(latency) for latency in cluster.sync()]
