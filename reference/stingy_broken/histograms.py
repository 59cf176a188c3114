"""Proxies whose metric is another than the one that is promised."""

from __future__ import annotations

import math
from bisect import bisect_right
from types import SimpleNamespace

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import Histogram, Proxy


@breaks("journey/from-the-change-to-the-metric")
class CountsSyncs(Proxy):
    """Counts a sync once, however much it has observed."""

    def sync(self, program):
        before = self._latency.count
        observed = super().sync(program)
        self._latency.count = before + bool(observed)
        return observed


@breaks("latency/the-metric-had-no-label")
class IsLabelledBeforeItsTime(Proxy):
    """Follows Kubernetes 1.32, and has the label that came after it."""

    kubernetes = "1.32"


define(globals())
