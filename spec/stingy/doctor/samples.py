"""Sample options and calls for each profile: the calls make sense on a fresh candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stingy.contract import MILLISECOND, SECOND
from stingy.contract.ops import WITHIN, Part, of
from stingy.language.session import Options

Asked = tuple[str, Mapping[str, Any]]
"""An op, and the further keys of its request."""


@dataclass(frozen=True)
class Sample:
    """What a candidate of one profile is made with, and called with."""

    options: Options
    calls: Sequence[Asked]
    """Calls that return at once if all is well."""


def _sample(part: Part, **options: Any) -> Sample:
    """Return the sample of a part: those of its own ops that have a sample in the table of ops."""
    own = [op for op in of(part) if op.profiles[0] == WITHIN.get(part, part)]
    return Sample(options, [(op.name, op.sample) for op in own if op.sample is not None])


_DELAYS = {"delays": [SECOND]}

SAMPLES: Mapping[str, Sample] = {
    "queue": _sample("queue"),
    "drain": _sample("drain"),
    "hook": _sample("hook", queue={"hides": 0}),
    "memory": _sample("memory", watched=True),
    "ending": _sample("ending"),
    "delay": _sample("delay"),
    "limit": _sample("limit", rate_limiter=_DELAYS),
    "exponential": _sample("limiter", base_delay=MILLISECOND, max_delay=SECOND),
    "fast_slow": _sample("limiter", fast_delay=MILLISECOND, slow_delay=SECOND, max_fast_attempts=1),
    "bucket": _sample("limiter", rate=10, burst=100),
    "max_of": _sample("limiter", limiters=[_DELAYS]),
    "max_wait": _sample("limiter", limiter=_DELAYS, max_delay=MILLISECOND),
    "default_controller": _sample("limiter"),
    "default_item": _sample("limiter"),
    "metrics": _sample("metrics", metrics={}, name="orders"),
    "controller": _sample("controller", max_concurrent_reconciles=1, rate_limiter=_DELAYS),
    "priority": _sample("priority"),
    "trigger": _sample("trigger"),
    "reading": _sample("reading"),
    "writing": _sample("writing"),
    "tracker": _sample("tracker", ip_family="IPv4"),
    "proxy": _sample("proxy", ip_family="IPv4"),
}
"""Samples by the names of profiles. Combinations such as ``limit, drain`` have none."""
