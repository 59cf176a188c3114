"""The time zone in which a candidate in this process is judged: one in which local time is not UTC."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

NEW_YORK = "EST5EDT,M3.2.0,M11.1.0"
"""New York's zone in the form that POSIX gives ``TZ``, which needs no database of time zones.

It is behind UTC, and its clocks are set twice a year. Machines that run tests are mostly in UTC,
where nobody notices that a time was converted by the local one.
"""


@contextmanager
def in_new_york() -> Iterator[None]:
    """Until the block ends, let local time be that of New York, where the zone of a process can be set.

    On Windows it cannot.
    """
    set_zone = getattr(time, "tzset", None)
    if set_zone is None:
        yield
        return
    before = os.environ.get("TZ")
    os.environ["TZ"] = NEW_YORK
    set_zone()
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("TZ", None)
        else:
            os.environ["TZ"] = before
        set_zone()
