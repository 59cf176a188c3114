"""The search through all orders of a driver's race loses none: what any order at all shows, one of its orders shows."""

import shlex

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from stingy.transport.connection import connect
from stingy.transport.footprints import Search
from stingy.transport.protocol import PROTOCOL, History
from stingy.transport.scheduled import Seen
from stingy.transport.wire import Wire

LEFT = [["len"], ["get"]]
MOST = 1500
OPS = [["add", "a"], ["add", "b"], ["get"], ["done"], ["len"], ["shut_down"], ["shutting_down"]]


@pytest.fixture(scope="module")
def wires(controlled_driver):
    """Lines to the driver of a queue with this fault, one for all tests."""
    opened = {}

    def wire(fault):
        if fault not in opened:
            opened[fault] = Wire(connect("cmd:" + shlex.join([str(controlled_driver), "-fault", fault])))
            opened[fault].greet(60, protocol=PROTOCOL)
        return opened[fault]

    yield wire
    for each in opened.values():
        each.close()


def running(wire, programs):
    """What runs these programs with the turns that it is given, each time with a fresh queue."""
    wire.ask("new", impl="work_queue", options={})

    def run(choices):
        schedule = {"choices": choices, "footprints": True, "runs": 1, "most": 1, "then": LEFT}
        told = wire.ask("burst", programs=programs, seed=0, schedule=schedule)
        return msgspec.convert(told, History).histories[0]

    return run


def searched(run):
    """The histories that the search finds, by what tells them apart, and in how many runs."""
    search, seen = Search(), Seen()
    while search.open and search.runs < MOST:
        history = run(search.choices())
        seen.note(history)
        search.learn(history.footprints)
    return (seen if search.complete else None), search.runs


def all_there_are(run):
    """The same, where no choice is left out."""
    waiting, seen, runs = [[]], Seen(), 0
    while waiting:
        prefix = waiting.pop()
        history = run(prefix)
        seen.note(history)
        steps = history.footprints.steps
        so_far = [(step.who, 1) for step in steps]
        for n in range(len(prefix), len(steps)):
            waiting += [[*so_far[:n], (other, 1)] for other in steps[n].of]
        runs += 1
        if runs > MOST:
            return None, runs
    return seen, runs


programs = st.lists(st.lists(st.sampled_from(OPS), min_size=1, max_size=2), min_size=2, max_size=3)


@pytest.mark.parametrize("fault", ["", "lets go of its lock", "takes two locks in either order", "mixed"])
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
@given(lanes=programs)
def test_it_finds_every_history_that_there_is(wires, fault, lanes):
    run = running(wires(fault), {f"lane {n}": lane for n, lane in enumerate(lanes, 1)})
    everything, all_runs = all_there_are(run)
    assume(everything is not None)
    found, runs = searched(run)
    assert runs <= all_runs
    assert found is not None
    assert found.answers == everything.answers
