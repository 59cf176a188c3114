"""Trigger times as the control plane writes them: RFC 3339 in UTC, to the nanosecond."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from stingy.contract import SECOND, Nanoseconds

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write_rfc3339(instant: Nanoseconds, offset: timedelta = timedelta()) -> str:
    """Return the instant as text in the zone ``offset`` from UTC, as Go's RFC3339Nano writes it.

    The fraction of a second has no trailing zeros.
    """
    whole, fraction = divmod(instant, SECOND)
    local = _EPOCH + timedelta(seconds=whole) + offset
    text = local.replace(tzinfo=None).isoformat(timespec="seconds")
    if fraction:
        text += f".{fraction:09}".rstrip("0")
    if not offset:
        return text + "Z"
    sign, minutes = ("-", -offset) if offset < timedelta() else ("+", offset)
    hours, rest = divmod(int(minutes.total_seconds()) // 60, 60)
    return f"{text}{sign}{hours:02}:{rest:02}"


def meant(text: str) -> Nanoseconds | None:
    """Return the instant that an RFC 3339 text means, in nanoseconds; None for any other text."""
    form = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)"
    if (found := re.fullmatch(form, text, re.ASCII)) is None:
        return None
    whole, fraction, offset = found.groups(default="")
    try:
        since = datetime.fromisoformat(whole + offset.replace("Z", "+00:00")) - _EPOCH
    except ValueError:  # well formed, but not a date or time
        return None
    return since // timedelta(seconds=1) * SECOND + int(f"{fraction:0<9}"[:9])
