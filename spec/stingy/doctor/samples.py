"""What each profile is made with, and calls that make sense on a fresh one, without a story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stingy.contract import MILLISECOND, SECOND
from stingy.language.session import NO_OPTIONS, Options

Asked = tuple[str, Mapping[str, Any]]
"""An op, and the further keys of its request."""


@dataclass(frozen=True)
class Sample:
    options: Options = field(default_factory=lambda: NO_OPTIONS)
    calls: Sequence[Asked] = ()
    """Each returns at once, if all is well."""


_DELAYS = {"delays": [SECOND]}
_ITEM = {"item": "a"}
_LIMITER: Sequence[Asked] = (("when", _ITEM), ("num_requeues", _ITEM), ("forget", _ITEM))
_FAMILY = {"ip_family": "IPv4"}

SAMPLES: Mapping[str, Sample] = {
    "queue": Sample(calls=[("len", {}), ("shutting_down", {}), ("shut_down", {})]),
    "drain": Sample(calls=[("shut_down_with_drain", {})]),
    "hook": Sample({"queue": {"hides": 0}}, [("hook_calls", {})]),
    "memory": Sample({"watched": True}, [("kept", {})]),
    "ending": Sample(calls=[("running", {})]),
    "delay": Sample(calls=[("add_after", {"item": "a", "ns": 0})]),
    "limit": Sample(
        {"rate_limiter": _DELAYS}, [("add_rate_limited", _ITEM), ("num_requeues", _ITEM), ("forget", _ITEM)]
    ),
    "exponential": Sample({"base_delay": MILLISECOND, "max_delay": SECOND}, _LIMITER),
    "fast_slow": Sample({"fast_delay": MILLISECOND, "slow_delay": SECOND, "max_fast_attempts": 1}, _LIMITER),
    "bucket": Sample({"rate": 10, "burst": 100}, _LIMITER),
    "max_of": Sample({"limiters": [_DELAYS]}, _LIMITER),
    "max_wait": Sample({"limiter": _DELAYS, "max_delay": MILLISECOND}, _LIMITER),
    "default_controller": Sample(calls=_LIMITER),
    "default_item": Sample(calls=_LIMITER),
    "metrics": Sample({"metrics": {}, "name": "orders"}, [("metrics", {})]),
    "controller": Sample({"max_concurrent_reconciles": 1, "rate_limiter": _DELAYS}, [("reconciles", {})]),
    "priority": Sample(
        calls=[
            ("add_with_opts", {"item": "a", "priority": 1, "ns": 0, "rate_limited": False}),
            ("get_with_priority", {}),
        ]
    ),
    "trigger": Sample(calls=[("delete", {"namespace": "shop", "name": "web"})]),
    "reading": Sample(calls=[("parse", {"text": None})]),
    "writing": Sample(calls=[("format", {"instant": None})]),
    "tracker": Sample(_FAMILY, [("checkout", {})]),
    "proxy": Sample(_FAMILY, [("metric", {})]),
}
"""By the names of the profiles that stand for themselves."""
