"""The scheduler that tests of the engine run on."""

import pytest

from stingy.engine.patches import patched, running
from stingy.engine.scheduler import Scheduler
from stingy.engine.strategies import Fair


@pytest.fixture
def world():
    """A scheduler that runs; jobs are started on it, and told to settle."""
    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        yield scheduler
        scheduler.close()
