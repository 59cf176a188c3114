# ruff: noqa: DTZ002, DTZ003, DTZ005, DTZ011, DTZ012, E721, PLW0108 - the clocks are read in every way there is
"""All clocks of a candidate are virtual and agree; other code reads the real ones."""

import copy
import datetime as dt
import pickle
import time
from datetime import UTC
from datetime import datetime as imported
from decimal import Decimal
from fractions import Fraction

import pytest

from scheduling import did
from stingy.contract import SECOND
from stingy.engine.patches import bound_before, patched, running
from stingy.engine.scheduler import Scheduler
from stingy.engine.strategies import Fair
from stingy.engine.virtualtime import VirtualTime


@pytest.fixture
def under_control():
    """Return a function that runs another one in a controlled thread, at 90 s of virtual time."""
    scheduler = Scheduler(Fair())
    bindings = [binding for binding in bound_before() if binding[0].__name__ == __name__]
    with running(scheduler), patched(bindings):

        def call(function):
            seen = []
            scheduler.start("lane", lambda: seen.append(function()))
            scheduler.settle()
            return seen[0]

        scheduler.advance(90 * SECOND)
        yield call
        scheduler.close()


def wall():
    return (VirtualTime.wall_origin + 90 * SECOND) / SECOND


READINGS = {
    "clock_gettime": lambda: time.clock_gettime(time.CLOCK_REALTIME),
    "clock_gettime_ns": lambda: time.clock_gettime_ns(time.CLOCK_REALTIME) / SECOND,
    "localtime": lambda: time.mktime(time.localtime()),
    "gmtime": lambda: __import__("calendar").timegm(time.gmtime()),
    "ctime": lambda: time.mktime(time.strptime(time.ctime())),
    "asctime": lambda: time.mktime(time.strptime(time.asctime())),
    "strftime": lambda: time.mktime(time.strptime(time.strftime("%Y %j %H %M %S"), "%Y %j %H %M %S")),
    "datetime.now": lambda: dt.datetime.now().timestamp(),
    "datetime.now of a zone": lambda: dt.datetime.now(UTC).timestamp(),
    "datetime.utcnow": lambda: dt.datetime.utcnow().replace(tzinfo=UTC).timestamp(),
    "datetime.today": lambda: dt.datetime.today().timestamp(),
    "datetime, imported by name": lambda: imported.now().timestamp(),
}


@pytest.mark.parametrize("read", READINGS.values(), ids=READINGS)
def test_all_readings_of_the_wall_clock_agree(read, under_control):
    assert under_control(read) == pytest.approx(wall(), abs=1)


def test_clocks_of_the_same_kind_agree(under_control):
    now, other = under_control(lambda: (time.monotonic(), time.clock_gettime(time.CLOCK_MONOTONIC)))
    assert now == other
    assert under_control(lambda: dt.date.today()) == dt.date.fromtimestamp(wall())


def test_other_code_reads_the_real_clock(under_control):
    """The real clock is years ahead of the virtual one, so readings of the two can be told apart."""
    assert dt.datetime.now().timestamp() > wall() + 86_400
    assert READINGS["clock_gettime"]() > wall() + 86_400


def test_real_and_virtual_dates_are_of_one_class(under_control):
    before = dt.datetime.fromtimestamp(0, UTC)

    def look():
        now = dt.datetime.now(UTC)
        named = {dt.datetime: "datetime"}
        return (
            isinstance(before, dt.datetime),
            isinstance(now, dt.date),
            type(now) == dt.datetime,
            named[type(now)],
            now - before > dt.timedelta(0),
            pickle.loads(pickle.dumps(now)) == copy.deepcopy(now) == now,
            not isinstance(dt.date(2024, 1, 1), dt.datetime),
            dt.datetime.combine(dt.date(2024, 1, 1), dt.time()).isoformat(),
        )

    assert under_control(look) == (True, True, True, "datetime", True, True, True, "2024-01-01T00:00:00")


def test_a_subclass_of_datetime_has_its_own_instances(under_control):
    def look():
        class Stamp(dt.datetime):
            pass

        now = Stamp.now()
        return (type(now) is Stamp, isinstance(now, dt.datetime), isinstance(dt.datetime.now(), Stamp))

    assert under_control(look) == (True, True, False)


@pytest.mark.parametrize("seconds", [-1, -1e-9, float("nan"), None, "1"])
def test_a_sleep_refuses_what_a_real_one_refuses(world, seconds):
    def refusal(sleep):
        with pytest.raises((TypeError, ValueError)) as error:
            sleep(seconds)
        return str(error.value)

    real = refusal(time.sleep)
    assert did(world, lambda: refusal(time.sleep)) == real


@pytest.mark.parametrize("seconds", [Fraction(1, 1000), Decimal("0.001"), True])
def test_a_sleep_takes_what_a_real_one_takes(world, seconds):
    def takes(sleep, span):
        try:
            sleep(span)
        except TypeError:
            return False
        return True

    nothing = type(seconds)(0)  # so that nobody waits for the real clock
    real = takes(time.sleep, nothing)
    assert did(world, lambda: takes(time.sleep, seconds)) == real
