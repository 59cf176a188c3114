"""What real implementations were seen to do where a rule accepts several outcomes, or only looks (``outcomes.json``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

RECORD = Path(__file__).with_name("outcomes.json")
"""Written by ``python -m lab matrix --table``, of the results in ``candidates/``."""


def outcomes(rule_id: str) -> Mapping[str, str]:
    """Return what was seen, by implementation and version."""
    return _all().get(rule_id, {})


@cache
def _all() -> Mapping[str, Mapping[str, str]]:
    return dict(json.loads(RECORD.read_text(encoding="utf-8")))
