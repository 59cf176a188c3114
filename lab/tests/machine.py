"""The speed of this machine, measured once at the start: every time-out of the lab is CPU-seconds times this unit."""

import os
import time
from hashlib import sha256

WORK = 600_000
"""Hashes, one of the other."""
USUAL_S = 0.3
"""Seconds that these take on the idle machine on which the budgets were measured."""
MARGIN = 8
"""A test gets this many times its budget: other tests and other programs may start after the measurement."""
UNIT = "STINGY_LAB_UNIT"
"""Under this name the processes of xdist inherit what the first one measured."""


def unit() -> float:
    """Return the wall seconds that one CPU-second of the budgets takes here, at least 1."""
    if UNIT not in os.environ:
        began = time.perf_counter()
        _work()
        os.environ[UNIT] = str(max(1.0, (time.perf_counter() - began) / USUAL_S))
    return float(os.environ[UNIT])


def patience(cpu_s: float) -> float:
    """Return the wall seconds to wait for something that takes so many CPU-seconds."""
    return cpu_s * unit() * MARGIN


def wait_for(holds, cpu_s):
    """Call ``holds`` until it returns something true, or patience is over; return its last answer."""
    late = time.monotonic() + patience(cpu_s)
    while not (found := holds()) and time.monotonic() < late:
        time.sleep(0.01)
    return found


def _work() -> None:
    digest = b""
    for _ in range(WORK):
        digest = sha256(digest).digest()
