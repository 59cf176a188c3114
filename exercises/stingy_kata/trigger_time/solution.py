from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)"  # the date and the time of day
    r"(?:\.(\d+))?"  # a fraction of a second, of any number of digits
    r"(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))",  # UTC, or how far the clock is ahead of it
    re.ASCII,
)
"""Pattern of a time in an annotation."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second."""


class AnnotationCodec:
    """Reads the annotation ``endpoints.kubernetes.io/last-change-trigger-time``."""

    def parse(self, text: str | None) -> int | None:
        """Return nanoseconds since the epoch; None if there is no annotation or it is invalid."""
        # hole
        # | # TODO: take it apart with `fields`, and put it together again.
        # | return None
        found = fields(text or "")
        if found is None:
            return None
        year, month, day, hour, minute, second = map(int, found[:6])
        fraction, sign, hours, minutes = found[6:]
        try:
            since = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - EPOCH
        except ValueError:  # the 30th of February
            return None
        ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
        since += ahead if sign == "-" else -ahead
        return since // timedelta(seconds=1) * NANOSECONDS + int(fraction[:9].ljust(9, "0"))
        # end of hole


def fields(text: str) -> list[str] | None:
    """Return the parts of a time: year to second, fraction, and offset (sign, hours, minutes).

    A part that is missing is "". Return None if the text is not a time.
    """
    match = RFC3339.fullmatch(text)
    return [found or "" for found in match.groups()] if match else None
