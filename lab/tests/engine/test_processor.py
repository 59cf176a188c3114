"""A process keeps its threads on one processor."""

import os
import sys
from subprocess import PIPE, Popen
from threading import Thread

import pytest

from stingy.engine.system import Processor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone keeps threads on a processor")

NOWHERE = 1_000_000 + os.getpid()
"""Number of a processor that no machine has, and that no other test claims."""

HOLDS_IT = f"""
from stingy.engine.system import Processor
held = Processor({NOWHERE})
print("held", flush=True)
input()
"""


def test_a_processor_is_claimed_by_one_process_until_it_leaves_or_dies():
    other = Popen([sys.executable, "-c", HOLDS_IT], stdin=PIPE, stdout=PIPE)
    assert other.stdout.readline() == b"held\n"
    with pytest.raises(OSError, match="in use"):
        Processor(NOWHERE)
    other.kill()
    other.communicate()
    mine = Processor(NOWHERE)
    mine.leave()
    Processor(NOWHERE).leave()


def test_a_processor_that_is_taken_away_is_done_without():
    may, gone = os.sched_getaffinity(0), Processor(NOWHERE)
    with gone.kept():
        assert os.sched_getaffinity(0) == may
    gone.leave()


def test_threads_stay_on_it_and_may_go_anywhere_afterwards(monkeypatch):
    may, seen, mine = os.sched_getaffinity(0), [], Processor(NOWHERE)
    monkeypatch.setattr(
        mine, "_number", max(may)
    )  # another process of the lab may have claimed that processor
    with mine.kept():
        thread = Thread(target=lambda: seen.append(os.sched_getaffinity(0)))
        thread.start()
        thread.join()
        seen.append(os.sched_getaffinity(0))
    mine.leave()
    assert seen == [{max(may)}] * 2
    assert os.sched_getaffinity(0) == may
