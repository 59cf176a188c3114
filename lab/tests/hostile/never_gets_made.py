"""Waits for ever in its constructor."""

import threading

from stingy_reference import WorkQueue

SAYS = "ERROR: its constructor does not return"
EXIT = 3


class Queue(WorkQueue):
    def __init__(self):
        threading.Event().wait()
