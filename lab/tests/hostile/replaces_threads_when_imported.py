"""Takes threading.Thread away as it is imported."""

import threading

from stingy_reference import WorkQueue

SAYS = "PASS: "
EXIT = 0

threading.Thread = None


class Queue(WorkQueue):
    pass
