"""Programs of reads, writes and locks that run step by step and without threads, to be fast."""

from itertools import count
from types import SimpleNamespace

from stingy.engine.places import Access, Holding
from stingy.engine.task import State


class Lock:
    held = False

    def __init__(self, name):
        self.holding = Holding.of(self, name)


class Lane:
    """A thread of a program: a list of calls, each of them a list of steps.

    A step is "r x" to read x, "w x" to write it, "l x" to lock it, or "u x" to unlock it.
    """

    def __init__(self, name, calls, data, locks):
        self.name, self.answers, self.spans = name, [], [[] for _ in calls]
        self._data, self._locks = data, locks
        self._steps = [(n, *step.split()) for n, call in enumerate(calls) for step in call]
        self._look_ahead()

    @property
    def ready(self):
        return bool(self._steps) and not (self.wants and self.wants.held)

    def step(self, strategy, clock):
        """Take one step, and with it those after it that unlock something."""
        call, kind, thing = self._steps.pop(0)
        if not self.spans[call]:
            strategy.call_begins()
            self.spans[call].append(next(clock))
        if kind == "r":
            self.answers.append(self._data[thing])
        elif kind == "w":
            self._data[thing] = f"{self.name}{len(self._steps)}"
        else:
            self._locks[thing].held = kind == "l"
        if kind == "u":
            strategy.released_by(self, self._locks[thing])
        if self._steps and self._steps[0][1] == "u":
            self.step(strategy, clock)
        elif not self._steps or self._steps[0][0] != call:
            strategy.call_ends()
            self.spans[call].append(next(clock))
        self._look_ahead()

    def _look_ahead(self):
        _, kind, thing = self._steps[0] if self._steps else (0, "", "")
        place = (("thing", thing),)
        self.wants = self._locks[thing] if kind == "l" else None
        self.state = State.WANTS_LOCK if kind == "l" else State.READY
        self.access = {"r": Access(reads=place), "w": Access(changes=place)}.get(kind)


def outcome(program, strategy):
    """Run a program, a list of calls for each thread, once, in the order that ``strategy`` chooses.

    Return the outcome, and True because this order always gives it. The outcome has the values that
    were read, which call ended before which other began, and the data in the end.
    """
    things = {step[2:] for calls in program for call in calls for step in call}
    data, locks = dict.fromkeys(things, ""), {thing: Lock(thing) for thing in things}
    clock = count()
    tasks = [Lane(name, calls, data, locks) for name, calls in zip("abcd", program, strict=False)]
    run = SimpleNamespace(tasks=tasks)
    while ready := [lane for lane in tasks if lane.ready]:
        strategy.when_blocked(run, ready).step(strategy, clock)
    strategy.over(run)
    spans = [span for lane in tasks for span in lane.spans]
    before = tuple(one[1:] < other[:1] and one[1:] != [] for one in spans for other in spans)
    return (tuple(tuple(lane.answers) for lane in tasks), before, str(sorted(data.items()))), True


def strictest(seen):
    """Return the outcomes; leave out those that equal another one but fix the order of fewer calls."""
    return {
        (answers, before, left)
        for answers, before, left in seen
        if not any(
            (answers, left) == (also, there)
            and before != other
            and all(b <= o for b, o in zip(before, other, strict=True))
            for also, other, there in seen
        )
    }
