"""The search of a driver's race loses no outcome: if any order shows it, one of the searched orders does."""

import shlex
from collections import defaultdict

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from stingy.transport.connection import connect
from stingy.transport.footprints import Search
from stingy.transport.protocol import PROTOCOL, WAY, Footprints, History, Step
from stingy.transport.scheduled import Seen
from stingy.transport.wire import Wire

pytestmark = pytest.mark.budget(40)
"""The first test of a process builds the driver; from an empty cache that takes 30 CPU-seconds."""
LEFT = [["len"], ["get"]]
MOST = 1500
OPS = [["add", "a"], ["add", "b"], ["get"], ["done"], ["len"], ["shut_down"], ["shutting_down"]]


@pytest.fixture(scope="module")
def wires(controlled_driver):
    """Connections to the driver of a queue with this fault, shared by all tests."""
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
    """Return a function that runs these programs with given turns, each time on a fresh queue."""
    wire.ask("new", impl="work_queue", options={})

    def run(choices):
        schedule = {"choices": choices, "footprints": True, "runs": 1, "most": 1, "then": LEFT}
        told = wire.ask("burst", programs=programs, seed=0, schedule=schedule)
        return msgspec.convert(told, History).histories[0]

    return run


def searched(run):
    """Return the different histories that the search finds (None if it does not end), and its runs."""
    search, seen = Search(), Seen()
    while search.open and search.runs < MOST:
        history = run(search.choices())
        seen.note(history)
        search.learn(history.footprints)
    return (seen if search.complete else None), search.runs


def all_there_are(run):
    """Return the same for a search that tries each choice."""
    waiting, seen, runs = [[]], Seen(), 0
    while waiting:
        prefix = waiting.pop()
        history = run(prefix)
        seen.note(history)
        waiting += branches(history.footprints.steps, prefix)
        runs += 1
        if runs > MOST:
            return None, runs
    return seen, runs


def branches(steps, prefix):
    """Return the choices that could replace one of these, from the end of the prefix on."""
    known = sum(who != WAY for who, _ in prefix)
    for n, step in enumerate(steps):
        before = [turn for each in steps[:n] for turn in taken(each)]
        if n >= known:
            yield from ([*before, (other, 1)] for other in step.of)
        if n >= known or (n == known - 1 and prefix[-1][0] != WAY):
            yield from ([*before, (step.who, 1), (WAY, way)] for way in range(1, step.ways))


def taken(step):
    """Return the choices that lead to this step."""
    return [(step.who, 1), *([(WAY, step.way or None)] if step.ways > 1 else [])]


programs = st.lists(st.lists(st.sampled_from(OPS), min_size=1, max_size=2), min_size=2, max_size=3)


@pytest.mark.parametrize(
    "fault", ["", "lets go of its lock", "takes two locks in either order", "mixed", "selects", "hands over"]
)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
@given(lanes=programs)
def test_the_search_finds_every_history_of_a_driver(wires, fault, lanes):
    run = running(wires(fault), {f"lane {n}": lane for n, lane in enumerate(lanes, 1)})
    everything, all_runs = all_there_are(run)
    assume(everything is not None)
    found, runs = searched(run)
    assert runs <= all_runs
    assert found is not None
    assert found.answers == everything.answers


class Model:
    """Program whose steps touch things, which get their numbers when they are first touched.

    The last lane begins when the others have ended; each of them signals its end.
    """

    def __init__(self, lanes, last):
        self.others = {f"lane {n}": [*lane, [("write", "ended")]] for n, lane in enumerate(lanes, 1)}
        self.last = last

    def run(self, choices):
        """Run with turns that begin like this; return the footprints, and the values that each lane has read."""
        turns, state, seen = list(choices), {}, defaultdict(list)
        numbers = defaultdict(lambda: len(numbers) + 1)
        left = {name: list(lane) for name, lane in [*self.others.items(), ("last", self.last)]}

        def able():
            ended = not any(left[name] for name in self.others)
            return [name for name, ops in left.items() if ops and (ended or name != "last")]

        steps = []
        while ready := able():
            who = turns.pop(0)[0] if turns else ready[0]
            way = (turns.pop(0)[1] or 0) if turns and turns[0][0] == WAY else 0
            touched, ways = defaultdict(list), 1
            for kind, thing in left[who].pop(0):
                touched[TOUCH[kind]].append(numbers[thing])
                if kind == "choose":
                    ways, state[thing] = 2, (who, way)
                elif kind == "join":
                    state[thing] = [*state.get(thing, []), who]
                elif kind == "serve" and thing in state:
                    if len(state[thing]) > 1:
                        touched["serves"].append(numbers[thing])
                    seen[who].append(state[thing][:1])
                    state[thing] = state[thing][1:]
                elif kind == "write":
                    state[thing] = (who, len(left[who]))
                else:
                    seen[who].append(state.get(thing))
            others = [name for name in ready if name != who]
            wakes = [name for name in able() if name not in (who, *ready)]
            steps.append(Step(who, of=others, wakes=wakes, way=way, ways=ways, **touched))
        return Footprints(steps, exact=True), str(sorted(seen.items()))


TOUCH = {"choose": "writes", "read": "reads", "write": "writes", "join": "joins", "serve": "writes"}
TOUCHES = st.one_of(
    st.tuples(st.sampled_from(["read", "read", "write"]), st.sampled_from("xyz")),
    st.tuples(st.sampled_from(["join", "join", "serve"]), st.sampled_from("mn")),
)
STEPS = st.one_of(st.just([("choose", "x")]), st.lists(TOUCHES, min_size=1, max_size=2))
LANES = st.lists(st.lists(STEPS, min_size=1, max_size=2), min_size=2, max_size=3)
MODELS = st.builds(Model, LANES.filter(lambda lanes: sum(map(len, lanes)) <= 4), st.lists(STEPS, max_size=2))


def all_that_a_model_shows(model):
    waiting, seen = [[]], set()
    while waiting:
        prefix = waiting.pop()
        footprints, shown = model.run(prefix)
        seen.add(shown)
        waiting += branches(footprints.steps, prefix)
    return seen


def searched_model(model):
    search, found = Search(), set()
    while search.open:
        footprints, shown = model.run(search.choices())
        found.add(shown)
        search.learn(footprints)
    assert search.complete
    return found


@settings(max_examples=100, deadline=None)
@given(model=MODELS)
def test_the_search_finds_every_outcome_of_a_model(model):
    assert searched_model(model) == all_that_a_model_shows(model)


def test_the_order_of_arrival_matters_in_a_line_where_several_wait():
    joins = [[("join", "m")]]
    model = Model([joins, joins], [[("serve", "m")]])
    assert searched_model(model) == all_that_a_model_shows(model)
    assert len(searched_model(model)) == 2
