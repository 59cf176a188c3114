"""Sample options and calls for each profile; the calls are valid on a fresh candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from stingy.contract import MILLISECOND, PROFILES, SECOND
from stingy.contract.ops import WITHIN, Part, of
from stingy.language.session import Options

Asked = tuple[str, Mapping[str, Any]]
"""An op, and the keys and values of its arguments in a request."""


@dataclass(frozen=True)
class Sample:
    """Sample options and calls with which ``stingy doctor`` tries a candidate of one profile."""

    options: Options
    calls: Sequence[Asked]
    """Calls that return immediately on a correct candidate."""


def _sample(part: Part, **options: Any) -> Sample:
    """Return a sample with these options, and with one call of each op of the part.

    Ops that another profile has first are left out, and so are ops without sample arguments.
    """
    own = [op for op in of(part) if op.profiles[0] == WITHIN.get(part, part)]
    return Sample(options, [(op.name, op.sample) for op in own if op.sample is not None])


_DELAYS = {"delays": [SECOND]}

SAMPLES: Mapping[str, Sample] = {
    **{part: _sample(part) for part in get_args(Part) if part in PROFILES},
    "hook": _sample("hook", queue={"hides": 0}),
    "memory": _sample("memory", watched=True),
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
    "tracker": _sample("tracker", ip_family="IPv4"),
    "proxy": _sample("proxy", ip_family="IPv4"),
}
"""Samples by the name of the profile; without options unless listed here.

Combinations such as ``limit, drain`` have no sample.
"""
