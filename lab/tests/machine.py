"""Speed of this machine, measured once at the start.

Every time-out of the lab is a number of CPU-seconds times this unit.
"""

import os
import time
from hashlib import sha256

WORK = 600_000
"""Number of hashes to measure, each of the one before."""
USUAL_S = 0.3
"""Seconds that the hashes take on the idle machine on which the budgets were measured."""
MARGIN = 8
"""Factor of a test's budget: other tests and programs may start after the measurement."""
UNIT = "STINGY_LAB_UNIT"
"""Environment variable with the measured unit, which the processes of xdist inherit."""


def unit() -> float:
    """Return the number of wall seconds that one CPU-second of the budgets takes here, at least 1."""
    if UNIT not in os.environ:
        began = time.perf_counter()
        _work()
        os.environ[UNIT] = str(max(1.0, (time.perf_counter() - began) / USUAL_S))
    return float(os.environ[UNIT])


def patience(cpu_s: float) -> float:
    """Return the number of wall seconds to wait for work of this many CPU-seconds."""
    return cpu_s * unit() * MARGIN


def wait_for(holds, cpu_s):
    """Call ``holds`` until it returns a true value or the time is over; return its last answer."""
    late = time.monotonic() + patience(cpu_s)
    while not (found := holds()) and time.monotonic() < late:
        time.sleep(0.01)
    return found


def _work() -> None:
    digest = b""
    for _ in range(WORK):
        digest = sha256(digest).digest()
