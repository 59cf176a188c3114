"""Trigger times as text: RFC 3339 with nanoseconds, which ``datetime`` does not support."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

LAST_CHANGE_TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time"

_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 1_000_000_000


class AnnotationCodec:
    """Converts a trigger time to the text of the annotation, and back."""

    def format(self, instant: int | None) -> str | None:
        """Return the annotation's text for a time in nanoseconds since the epoch; None for None."""
        return None if instant is None else written(instant)

    def parse(self, text: str | None) -> int | None:
        """Return the time in nanoseconds since the epoch; None for None or an invalid text."""
        return None if text is None else parsed(text)


def written(instant: int) -> str:
    """Return the RFC 3339 text of a time in nanoseconds since the epoch.

    It is in UTC, and has no more fractional digits than needed.
    """
    seconds, fraction = divmod(instant, _SECOND)
    whole = (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()
    return whole + (f".{fraction:09}".rstrip("0") if fraction else "") + "Z"


def parsed(text: str) -> int | None:
    """Return the time in nanoseconds since the epoch; None if the text is not in RFC 3339."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, hours, minutes = match.groups()[6:]
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:  # the 30th of February
        return None
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    if offset >= timedelta(hours=24):
        return None
    since = (local - _EPOCH) + (offset if sign == "-" else -offset)
    seconds = since.days * 86_400 + since.seconds
    return seconds * _SECOND + int((fraction or "").ljust(9, "0")[:9])
