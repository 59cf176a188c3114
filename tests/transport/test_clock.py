"""The clock of a candidate's machine can be set, and goes on while the candidate is started anew."""

import time

import pytest

from stingy.contract import PROFILES, SECOND
from stingy.forms import Program
from stingy.transport import locate

PROXY = PROFILES["proxy"]


class Tells:
    """A proxy that tells what its clock shows."""

    def __init__(self, clock):
        self.clock = clock
        self.made = clock.time_ns(), clock.monotonic_ns()

    def update(self, slice_):
        """Nothing changes."""

    remove = update

    def services_synced(self):
        return self.made

    def slices_synced(self):
        return self.clock.time_ns(), self.clock.monotonic_ns()

    def sync(self, program):
        before = self.slices_synced()
        program()
        return [before, self.slices_synced()]

    def metric(self):
        return time.time_ns(), time.monotonic_ns()


@pytest.fixture
def ask():
    candidate = locate(f"{__name__}:Tells", 1)
    session = candidate.open(PROXY)

    def ask(op, *args):
        call = session.call("node", op, *args)
        session.settle(call)
        assert call.raised is None
        return call.value

    ask.session = session
    yield ask
    session.close()
    candidate.close()


def test_a_step_moves_the_wall_clock_alone(ask):
    wall, steady = ask("slices_synced")
    ask.session.step(-3600 * SECOND)
    ask.session.advance(2 * SECOND)
    assert ask("slices_synced") == (wall - 3598 * SECOND, steady + 2 * SECOND)
    assert ask.session.now_ns() == wall - 3598 * SECOND


def test_the_clock_can_be_set_while_rules_are_programmed(ask):
    (wall, steady), after = ask("sync", Program(True, 5 * SECOND, 60 * SECOND))
    assert after == (wall + 65 * SECOND, steady + 5 * SECOND)


def test_a_restart_makes_a_fresh_candidate_on_a_clock_that_goes_on(ask):
    wall, steady = ask("services_synced")
    ask.session.step(10 * SECOND)
    ask.session.advance(5 * SECOND)
    ask.session.restart()
    assert ask("services_synced") == (wall + 15 * SECOND, steady + 5 * SECOND)


def test_the_time_of_the_machine_is_set_as_well():
    candidate = locate(f"{__name__}:Tells", 1)
    session = candidate.open(PROXY)
    before = session.call("node", "metric")
    session.settle(before)
    session.step(7 * SECOND)
    after = session.call("node", "metric")
    session.settle(after)
    session.close()
    candidate.close()
    assert after.value == (before.value[0] + 7 * SECOND, before.value[1])
