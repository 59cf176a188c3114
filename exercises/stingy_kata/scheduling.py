"""Grade exercises of the kind ``order``, in which the learner chooses the order of the threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from stingy.contract.sources import DOC
from stingy.engine.scheduler import Fair, Scheduler
from stingy.engine.task import Task
from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language import GET, Race, add, rule
from stingy.language.account import Line, account
from stingy.language.order import Attempt, Explored, Order
from stingy.language.rule import Level
from stingy.language.session import CandidateError, NotOffered, Uncontrolled
from stingy.language.story import Story
from stingy_kata import SEED
from stingy_kata.exercise import Exercise
from stingy_kata.importing import Unreadable, candidate, module
from stingy_kata.script import Script

LANES = ("worker 1", "worker 2", "producer")

ORDER_BREAKS_IT = "order/two-workers-have-it-at-once"
"""Id of the demand that the learner's order breaks the start."""
ORDER_HOLDS = "order/and-no-longer-with-yours"
"""Id of the demand that the learner's own code withstands the learner's order."""


class ByHand(Fair):
    """Runs the threads in a given order of turns.

    A turn ends before the thread takes its next lock, or when it waits or ends; a thread's first
    turn ends only before its second lock. Turns of threads that cannot run are skipped. After the
    last turn, the current thread continues, and if it cannot, the first ready one.
    """

    stop = 0

    def __init__(self, order: Sequence[str]) -> None:
        self._ahead = list(order)
        self._begun: set[str] = set()
        self._enters: Task | None = None
        """The thread in its first turn, until it takes its first lock; None in later turns."""

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        if current.access is None or current.access.lock is None:
            return current
        if current is self._enters:
            self._enters = None
            return current
        return self._next(scheduler.lineup.ready()) or current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._next(ready) or ready[0]

    def _next(self, ready: Sequence[Task]) -> Task | None:
        by_name = {task.name.replace("_", " "): task for task in ready}
        while self._ahead:
            name = self._ahead.pop(0)
            if name in by_name:
                self._enters = None if name in self._begun else by_name[name]
                self._begun.add(name)
                return by_name[name]
        return None


@rule(cites=DOC["Stingy"])
def two_workers_have_it_at_once(race: Race) -> None:
    """Whatever the order, an item MUST NOT be with two workers at once."""
    history = race.run(worker_1=[GET], worker_2=[GET], producer=[add("a"), add("a")])

    assert history.held_twice() == []


def grade_order(exercise: Exercise, attempt: Script) -> Iterator[Verdict]:
    """Grade an order that a learner has written: yield a verdict on each of two demands.

    The order must break the start code, and the learner's own code must withstand it. Raises
    Unreadable if the learner's file has no usable ORDER.
    """
    order = _read_order(attempt)
    broken, story = _play(order, exercise.start)
    because = "" if broken else "in this order each worker got something of its own, or waits"
    yield _verdict(ORDER_BREAKS_IT, Finding.PASS if broken else Finding.FAIL, because, story)
    if not broken:
        yield _verdict(ORDER_HOLDS, Finding.BLOCKED, f"{ORDER_BREAKS_IT} comes first")
        return
    with suppress(NotOffered, CandidateError, Uncontrolled):  # the rules report these afterwards
        broken, story = _play(order, attempt)
        yield _verdict(ORDER_HOLDS, Finding.FAIL if broken else Finding.PASS, broken, story)


def _play(order: Sequence[str], script: Script) -> tuple[str, Sequence[Line]]:
    """Run a script in this order; return what is wrong (empty if nothing is), and the story."""
    stories: list[Story] = []

    def run(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:  # noqa: ARG001
        return Explored(1, failure=attempt(Order(1, ByHand(order), aloud=True)))

    with candidate(script) as found:
        done = two_workers_have_it_at_once.perform(found.open, None, SEED, stories.append, run)
    return "both workers have the item at once" if done.broken else "", account(stories[-1].steps)


def _verdict(id_: str, finding: Finding, because: str, story: Sequence[Line] = ()) -> Verdict:
    return Verdict(
        rule=id_,
        case="",
        profile=two_workers_have_it_at_once.profile.name,
        level=Level.MUST,
        verdict=finding,
        evidence=Evidence.DETERMINISTIC,
        because=because,
        story=tuple(story),
    )


def _read_order(attempt: Script) -> Sequence[str]:
    with module(attempt) as written:
        order = getattr(written, "ORDER", None)
    if not isinstance(order, list | tuple) or not set(order) <= set(LANES):
        lanes = ", ".join(map(repr, LANES))
        raise Unreadable(f"ORDER is {order!r}: it must be a list of lanes, each one of {lanes}")
    return order
