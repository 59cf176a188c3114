"""The scheduler that tests of the engine run on."""

from contextlib import contextmanager

import pytest

from stingy.contract import SECOND
from stingy.engine.patches import patched, running
from stingy.engine.scheduler import Scheduler
from stingy.engine.strategies import Fair


@contextmanager
def scheduled(strategy=None):
    """Yield a scheduler that controls the threads started in the block; ``strategy`` chooses their order."""
    scheduler = Scheduler(strategy or Fair())
    with running(scheduler), patched():
        yield scheduler
        scheduler.close()


@pytest.fixture
def world():
    """Return a scheduler for a test, under which threads are started, and run until they wait."""
    with scheduled() as scheduler:
        yield scheduler


def did(world, job):
    """Run a function in a thread of the scheduler ``world``, and return its result."""
    seen = []
    world.start("lane", lambda: seen.append(job()))
    world.settle(SECOND)
    return seen[0]
