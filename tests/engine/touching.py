"""Programs of calls on ``Things``, run in every order and in those that the search keeps."""

from functools import partial
from itertools import count

from scheduling import scheduled
from steps import strictest
from stingy.contract import SECOND
from stingy.engine.places import BEGINS_A_CALL
from stingy.engine.points import come_to
from stingy.engine.scheduler import Fair
from stingy.engine.tracing import tracer
from test_reduction import search, search_all
from things import Things

BESIDE = {"start", "make", "made", "is_empty"}
"""Names of the methods that the calls use."""
CALLS = [
    name for name, thing in vars(Things).items() if callable(thing) and name[0] != "_" and name not in BESIDE
]


class Lane:
    """Thread that makes calls one after the other, and records the answer, beginning and end of each."""

    def __init__(self, scheduler, strategy, clock, things, name, calls):
        self.answers, self.spans = [], []
        self._scheduler, self._strategy, self._clock = scheduler, strategy, clock
        self._things, self._name, self._calls = things, name, calls

    def run(self):
        for name in self._calls:
            call = getattr(self._things, name)
            self.spans.append([])
            self._scheduler.will_begin(self._scheduler.current, self._begin)
            try:
                answer = repr(call(self._name))
            except Exception as error:  # noqa: BLE001 - it is an answer, too
                answer = type(error).__name__
            if not self.spans[-1]:
                come_to(BEGINS_A_CALL)
            self._begin()
            self._strategy.call_ends()
            self.spans[-1].append(next(self._clock))
            self.answers.append(answer)

    def _begin(self):
        if not self.spans[-1]:
            self._strategy.call_begins()
            self.spans[-1].append(next(self._clock))


def outcome(program, strategy):
    """Run a program, a list of calls for each thread, once, in the order that ``strategy`` chooses.

    Return the outcome, and True if this order always gives it. The outcome has the answers of the
    calls, which call ended before which other began, and the final state.
    """
    with scheduled() as scheduler:
        things = Things()
        scheduler.follow(strategy, tracer(Things))
        clock = count()
        lanes = [
            Lane(scheduler, strategy, clock, things, name, calls)
            for name, calls in zip("abc", program, strict=False)
        ]
        for lane, name in zip(lanes, "abc", strict=False):
            scheduler.start(name, lane.run)
        scheduler.settle(SECOND)
        exact = scheduler.record.exact
        scheduler.follow(Fair())
        left = state(things)
    calls = [span for lane in lanes for span in lane.spans]
    before = tuple(one[-1] < other[0] for one in calls for other in calls)
    return (tuple(tuple(lane.answers) for lane in lanes), before, left), exact


def state(things):
    """Return a text with all data that the calls of a program can change."""
    parts = vars(things) | {
        "slot": things.slot.held,
        "bag": things.bag.content,
        "numbers": next(things.numbers),
        "iterator": list(things.iterator),
        "flag": things.flag.is_set(),
        "tell": things.ask(),
    }
    unseen = ("lock", "adds", "sees", "ask", "alias", "names")
    said = {name: repr(it) for name, it in parts.items() if name not in unseen}
    return repr((said, sorted(things.names), Things.shared, things.hear("")))


def difference(program, most):
    """Compare the outcomes that the search finds for a program with those of all its orders.

    Return as text the outcomes that are lost or made up; None if there are more than ``most`` orders.
    """
    everything, _ = search_all(partial(outcome, program), most)
    if everything is None:
        return None
    reduced, runs = search(partial(outcome, program), most)
    assert reduced is not None, f"{program}: the search keeps {runs} orders"
    due, found = strictest(everything), strictest(reduced)
    return "; ".join([*(f"loses {it}" for it in due - found), *(f"makes up {it}" for it in found - due)])
