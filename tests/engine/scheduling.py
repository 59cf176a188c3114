"""The scheduler that tests of the engine run on."""

from contextlib import contextmanager

import pytest

from stingy.contract import SECOND
from stingy.engine.patches import patched, running
from stingy.engine.scheduler import Scheduler
from stingy.engine.strategies import Fair


@contextmanager
def scheduled(strategy=None):
    """Run a scheduler in the block, by this strategy, and close it at the end."""
    scheduler = Scheduler(strategy or Fair())
    with running(scheduler), patched():
        yield scheduler
        scheduler.close()


@pytest.fixture
def world():
    """A scheduler under which threads are started, and run until they wait."""
    with scheduled() as scheduler:
        yield scheduler


def did(world, job):
    """Run a job on a lane, and return what it returns."""
    seen = []
    world.start("lane", lambda: seen.append(job()))
    world.settle(SECOND)
    return seen[0]
