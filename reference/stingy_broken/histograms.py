"""Proxies whose metric is another than the one that is promised."""

from __future__ import annotations

import math
from bisect import bisect_right
from types import SimpleNamespace

from stingy_broken import breaks
from stingy_reference import Histogram, Proxy


@breaks("latency/the-metric-is-a-histogram-of-seconds")
class GoesByAnotherName(Proxy):
    """Its metric has the name that was first proposed."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency.name = "kubeproxy_network_programming_latency_seconds"


@breaks("latency/a-bucket-holds-what-is-up-to-its-bound")
class BoundsAreExclusive(Proxy):
    """A value equal to a bound goes into the next bucket."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        histogram = self._latency

        def observe(value):
            histogram._counts[bisect_right(histogram._bounds, value)] += 1
            histogram.count += 1
            histogram.sum += value

        histogram.observe = observe


@breaks("skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum")
class BucketsAreNotCumulative(Proxy):
    """Exposes the count of each bucket for itself."""

    def metric(self):
        histogram = super().metric()
        counts = zip((*histogram._bounds, math.inf), histogram._counts, strict=True)
        return SimpleNamespace(
            name=histogram.name, count=histogram.count, sum=histogram.sum, buckets=list(counts)
        )


@breaks("latency/the-histogram-has-81-finite-bounds")
class LacksTheBucketZero(Proxy):
    """Its buckets begin at 0.25, as the comments say."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        histogram = self._latency
        self._latency = Histogram(histogram.name, labels=histogram.labels, bounds=histogram._bounds[1:])


@breaks("latency/a-bucket-holds-what-is-up-to-its-bound")
class DropsWhatIsBeyondTheLastBound(Proxy):
    """Counts no observation for which there is no bucket but the infinite one."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe = self._latency.observe
        self._latency.observe = lambda value: observe(value) if value <= 300 else None


@breaks("skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum")
class GuardsItsSum(Proxy):
    """Does not let its sum fall once it has risen: a counter must not."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe = self._latency.observe

        def guarded(value):
            before = self._latency.sum
            observe(value)
            if before > 0 > value:
                self._latency.sum = before

        self._latency.observe = guarded


@breaks("journey/from-the-change-to-the-metric")
class CountsSyncs(Proxy):
    """Counts a sync once, however much it has observed."""

    def sync(self, program):
        before = self._latency.count
        observed = super().sync(program)
        self._latency.count = before + bool(observed)
        return observed


@breaks("latency/the-type-of-the-metric-is-histogram")
class IsAGauge(Proxy):
    """Says that its metric is a gauge."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency.kind = "gauge"


@breaks("latency/the-metric-is-labelled-with-the-family-of-its-proxy")
class IsAlwaysOfTheFirstFamily(Proxy):
    """Labels everything as IPv4."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._latency.labels = {"ip_family": "IPv4"}


@breaks("latency/the-metric-had-no-label")
class IsLabelledBeforeItsTime(Proxy):
    """Follows Kubernetes 1.32, and has the label that came after it."""

    kubernetes = "1.32"


@breaks("latency/a-bucket-holds-what-is-up-to-its-bound")
class OverflowsIntoTheFirstBucket(Proxy):
    """Counts what is beyond the last bound in the first bucket."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        observe, counts = self._latency.observe, self._latency._counts

        def overflows(value):
            observe(value)
            counts[0], counts[-1] = counts[0] + counts[-1], 0

        self._latency.observe = overflows
