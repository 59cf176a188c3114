from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)"  # the date and the time of day
    r"(?:\.(\d+))?"  # a fraction of a second, of any number of digits
    r"(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))",  # UTC, or how far the clock is ahead of it
    re.ASCII,
)
"""What a time looks like in an annotation."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NANOSECONDS = 1_000_000_000
"""In a second."""


class AnnotationCodec:
    """Reads the annotation ``endpoints.kubernetes.io/last-change-trigger-time``."""

    def parse(self, text: str | None) -> int | None:
        """Nanoseconds since the epoch; None where there is no annotation, or one that cannot be read."""
        # TODO: take it apart with `fields`, and put it together again.
        return None


def fields(text: str) -> list[str] | None:
    """Year to second, fraction, sign, hours and minutes of the offset; "" for what is not there, None if it is no time."""
    match = RFC3339.fullmatch(text)
    return [found or "" for found in match.groups()] if match else None
