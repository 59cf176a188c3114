"""Writes the report itself, and ends the process."""

import os
from pathlib import Path

from stingy_reference import WorkQueue

SAYS = "ERROR: the candidate ended the process (exit status 0)"
EXIT = 3


class Queue(WorkQueue):
    def shutting_down(self):
        Path("stingy.json").write_text('{"complete": true}')
        os._exit(0)
