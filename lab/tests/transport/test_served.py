"""Requests to a driver other than calls: steps of its clock, restarts, arrivals during a sync, items."""

import shlex
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from stingy.contract import PROFILES, SECOND, EndpointSlice
from stingy.contract.forms import Arrival, Program
from stingy.language.session import NotOffered
from stingy.transport import locate

SERVED = Path(__file__).parent.parent / "drivers" / "served.py"
PROXY = PROFILES["proxy"]


@pytest.fixture
def driver():
    candidate = locate("cmd:" + shlex.join([sys.executable, str(SERVED), "stingy_reference"]), 1)
    yield candidate
    candidate.close()


def test_a_driver_is_asked_for_a_step_if_it_says_that_it_can(driver):
    session = driver.open(PROXY)
    now = session.now_ns()
    session.step(-60 * SECOND)
    assert session.now_ns() == now - 60 * SECOND
    session.restart()


def test_a_driver_that_cannot_step_its_clock_is_not_asked_to(driver):
    driver._capabilities = replace(driver._capabilities, step=False)
    session = driver.open(PROXY)
    for ask in (lambda: session.step(1), lambda: session.call("node", "sync", Program(True, 0, 1))):
        with pytest.raises(NotOffered, match="its clock cannot be stepped"):
            ask()
    session.call("node", "sync", Program(True, 0))


def sync(driver, *names):
    session = driver.open(PROXY)
    arrivals = [Arrival("update", EndpointSlice("shop", name, "web")) for name in names]
    call = session.call("node", "sync", Program(True, 2 * SECOND, 0, arrivals))
    session.settle(call, 3 * SECOND)
    session.close()
    return call.value


def test_a_driver_is_told_what_arrives(driver):
    assert sync(driver, "a") == []


def test_a_driver_that_does_not_say_that_it_can_is_told_of_no_arrival(driver):
    driver._capabilities = replace(driver._capabilities, meanwhile=False)
    with pytest.raises(NotOffered, match="cannot be told of changes while it programs"):
        sync(driver, "a")
    assert sync(driver) == []


def test_an_item_of_a_driver_is_a_text(driver):
    with pytest.raises(NotOffered, match="its items are texts"):
        driver.open(PROFILES["values"])
