"""The memory of a candidate's processes is the memory of all of them together."""

import os
import subprocess
import sys

import pytest

from stingy.transport.processes import CAN_BE_SEEN, Processes

pytestmark = pytest.mark.skipif(not CAN_BE_SEEN, reason="this system shows no processes")

MEGABYTE = 1 << 20
FAMILY = """
import os, sys
held = bytearray(64 << 20)
children = [os.fork() for _ in range(4) if os.getppid() == PARENT]
if os.getppid() == PARENT:
    print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def family():
    """A process and four forks, which share its memory; each alone seems to hold all of it."""
    program = FAMILY.replace("PARENT", str(os.getpid()))
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    yield Processes(process.pid)
    process.communicate("")


def test_memory_that_processes_share_is_counted_once(family):
    assert family.hold_more(60 * MEGABYTE)
    assert not family.hold_more(200 * MEGABYTE)
