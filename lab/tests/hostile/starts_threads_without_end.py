"""Starts threads until its process has no room for the stack of another one."""

import os
import resource
import threading
from contextlib import suppress
from pathlib import Path

from stingy_reference import WorkQueue

SAYS = "INCONCLUSIVE: threads"
EXIT = 2

with suppress(FileNotFoundError):
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    room = size + (2 << 30)  # some 250 stacks: the other tests need the threads that the machine has
    resource.setrlimit(resource.RLIMIT_AS, (room, room))


class Queue(WorkQueue):
    def shutting_down(self):
        while True:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
