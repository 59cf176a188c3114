"""The time zone in which a candidate in this process is judged."""

import os
import time

import pytest

from stingy.contract import PROFILES
from stingy.engine.zone import NEW_YORK, in_new_york
from stingy_reference import AnnotationCodec

AN_INSTANT = 1_700_000_000

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be set here")


class Asks(AnnotationCodec):
    """A codec that writes the hour of the local time."""

    def format(self, instant):
        return f"{time.localtime(instant).tm_hour} {time.tzname[0]}"


def test_local_time_is_that_of_new_york_while_a_candidate_is_judged(candidate_of):
    session = candidate_of(Asks).open(PROFILES["writing"])
    call = session.call("controller", "format", AN_INSTANT)
    session.settle(call)
    session.close()
    assert call.value == "17 EST"


@pytest.mark.parametrize("before", [None, "NPT-5:45"])
def test_afterwards_it_is_what_it_was(monkeypatch, before):
    if before is None:
        monkeypatch.delenv("TZ", raising=False)
    else:
        monkeypatch.setenv("TZ", before)
    time.tzset()
    hour = time.localtime(AN_INSTANT).tm_hour
    with in_new_york():
        assert os.environ["TZ"] == NEW_YORK
    assert (os.environ.get("TZ"), time.localtime(AN_INSTANT).tm_hour) == (before, hour)
    monkeypatch.undo()
    time.tzset()
