"""The scheduler that tests of the engine run on."""

import pytest

from stingy.contract import SECOND
from stingy.engine.patches import patched, running
from stingy.engine.scheduler import Scheduler
from stingy.engine.strategies import Fair


@pytest.fixture
def world():
    """A scheduler under which threads are started, and run until they wait."""
    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        yield scheduler
        scheduler.close()


def did(world, job):
    """Run a job on a lane, and return what it returns."""
    seen = []
    world.start("lane", lambda: seen.append(job()))
    world.settle(SECOND)
    return seen[0]
