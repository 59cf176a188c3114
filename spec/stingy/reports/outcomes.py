"""Recorded outcomes of real implementations where a rule accepts several outcomes or only reports.

The file is ``outcomes.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

RECORD = Path(__file__).with_name("outcomes.json")
"""Written by ``python -m lab matrix --table`` from the results in ``candidates/``."""


def outcomes(rule_id: str) -> Mapping[str, str]:
    """Return the recorded results of a contested rule, by implementation and version; or empty."""
    return _all().get(rule_id, {})


@cache
def _all() -> Mapping[str, Mapping[str, str]]:
    return dict(json.loads(RECORD.read_text(encoding="utf-8")))
