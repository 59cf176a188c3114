"""The doctor waits for a driver as long as a run does: time that a busy machine gives to others does not count."""

from types import SimpleNamespace

import pytest

from stingy.doctor.conversation import QUIET, Conversation
from stingy.transport import processes
from stingy.transport.processes import LEAST

WAITS, READY = False, True
PATIENCE = 10.0


class Driver:
    """A fake connection to a driver that does nothing, and a clock that only waits move on."""

    def __init__(self, is_ready):
        self.now = 0.0
        self.processes = SimpleNamespace(look=lambda: (0.0, is_ready))

    def wait(self, seconds):
        self.now += seconds

    def ended(self, seconds):
        self.now += seconds
        return ""

    def hang_up(self):
        pass

    def is_alive(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def driver_that(monkeypatch):
    """Return a function that returns a driver that ``waits``, or is ready to run and does not get to it."""

    def driver_that(is_ready):
        driver = Driver(is_ready)
        monkeypatch.setattr(processes, "CAN_BE_SEEN", True)
        monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: driver.now))
        return driver

    return driver_that


def talk_to(driver, heard=b""):
    """Return a conversation with the driver that has asked it something; no thread listens."""
    talk = object.__new__(Conversation)
    talk._connection = talk._changed = driver
    talk._asked, talk._replies, talk._heard = {1: "{}"}, {}, bytearray(heard)
    talk._ill, talk._over, talk.patience = None, False, PATIENCE
    talk._listeners = [SimpleNamespace(is_alive=driver.is_alive, join=driver.wait)]
    return talk


def poll(talk):
    assert talk.poll(1, PATIENCE) is None


def poll_half_a_line(talk):
    talk._heard += b'{"id": 1'
    assert talk.poll(1, PATIENCE) is None


def wait_for_its_end(talk):
    assert talk.ended(PATIENCE) == ""


def ask_why(talk):
    assert "has not answered {} in time" in str(talk.silence(1))


@pytest.mark.parametrize(
    ("wait", "seconds"),
    [(poll, PATIENCE), (poll_half_a_line, QUIET), (wait_for_its_end, PATIENCE), (ask_why, PATIENCE)],
)
def test_the_doctor_gives_up_a_driver_after_its_own_time_and_not_after_that_of_others(
    driver_that, wait, seconds
):
    for is_ready, lasts in ((WAITS, seconds), (READY, seconds / LEAST)):
        driver = driver_that(is_ready)
        wait(talk_to(driver))
        assert lasts <= driver.now < lasts + 2 / LEAST
