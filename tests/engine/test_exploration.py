"""Which orders are tried: all without a pre-emption where they are few, then samples, the same for the same seed."""

import threading
from functools import partial

from stingy.engine.exploration import strategies
from stingy.engine.patches import patched, running
from stingy.engine.scheduler import Scheduler
from stingy.engine.strategies import Fair
from stingy.engine.tracing import Tracer


def runs(program, seed=1, orders=60, traced=False):
    """What each order of three threads writes down."""
    seen = []
    for strategy in strategies(seed, orders):
        scheduler = Scheduler(Fair())
        with running(scheduler), patched():
            said = []
            job = program(said)
            scheduler.follow(strategy)
            scheduler.tracer = Tracer(frozenset({__file__})) if traced else None
            for name in "abc":
                scheduler.start(name, partial(job, name))
            scheduler.settle()
            scheduler.close()
        seen.append("".join(said))
    return seen


def one_after_the_other(said):
    return said.append


def through_a_lock(said):
    lock = threading.Lock()

    def job(name):
        for _ in range(2):
            with lock:
                said.append(name)

    return job


class Counter:
    value = 0


def lost_update(said):
    counter = Counter()

    def job(_):
        counter.value += 1
        said[:] = [str(counter.value)]

    return job


def test_without_a_choice_every_order_of_starting_is_tried_first():
    assert set(runs(one_after_the_other, orders=8)) == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_pre_emptions_follow():
    assert len(set(runs(through_a_lock))) > 10


def test_the_same_seed_tries_the_same_orders():
    assert runs(through_a_lock, seed=5) == runs(through_a_lock, seed=5)
    assert runs(through_a_lock, seed=5) != runs(through_a_lock, seed=6)


def test_a_race_on_one_line_is_found_inside_the_candidates_own_code():
    assert set(runs(lost_update, orders=40)) == {"3"}, "without tracing it cannot be seen"
    assert "2" in runs(lost_update, orders=40, traced=True)


def test_tracing_ends_with_the_race():
    import sys

    before = sys.gettrace()
    runs(lost_update, orders=3, traced=True)
    assert sys.gettrace() is before
