"""For what comes by itself, and need not come at once."""

import time


def wait_for(holds, seconds):
    """What it answers in the end: as soon as that is true, or once so many seconds are over."""
    late = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < late:
        time.sleep(0.01)
    return found
