"""A rule that catches proxies that measure wrongly when a sync fails, or after that."""

from __future__ import annotations

from stingy.language import SECOND, Cluster


def a_failure_measures_nothing_and_spoils_nothing(cluster: Cluster) -> None:
    """A sync that fails MUST NOT measure anything; later changes MUST be measured as usual."""
    writer = cluster.host("writer")
    cluster.boots()
    cluster.elapse(1 * SECOND)
    writer.changes("web")
    cluster.hears()
    cluster.elapse(2 * SECOND)

    # hole
    # | cluster.sync(succeeds=False)
    # | # TODO: that failed. What must not be in the metric now, and what has to be in it after the next change?
    assert cluster.sync(succeeds=False) == []
    assert cluster.metric().count == 0

    cluster.elapse(3 * SECOND)
    writer.changes("db")
    cluster.hears()
    cluster.elapse(1 * SECOND)
    measured = [round(latency) for latency in cluster.sync()]

    assert measured in ([1], [1, 6])

    cluster.elapse(2 * SECOND)

    assert cluster.sync() == []
    # end of hole
