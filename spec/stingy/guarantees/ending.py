"""Nothing runs after shutdown.

A queue that adds later, or tells of itself, has something that runs by itself: a thread, a task, a goroutine. It ends with the
queue. Whoever makes queues again and again, in tests or as controllers come and go, would otherwise gather them. No item is lost
by it, and a thread may have good reasons to stay, as one that serves many queues has. So these are no MUSTs.
"""

from __future__ import annotations

from typing import Annotated

from stingy.contract.sources import DELAYING, QUEUE
from stingy.guarantees.delays import HOUR
from stingy.language import MINUTE, EndingQueue, Measured, With, numbers, rule


@rule(
    cites=(DELAYING["waitingLoop"].in_code, DELAYING["ShutDown"].in_code),
    after="abandonment/a-shutdown-drops-what-waits",
    for_all={"waiting": numbers(1, 3)},
)
def nothing_runs_on_after_a_shutdown(ending: EndingQueue, waiting: int) -> None:
    """A minute after ShutDown, nothing SHOULD run on that waited for deadlines, however far off they were."""
    for item in "abc"[:waiting]:
        ending.add_after(item, HOUR)

    ending.shut_down()
    ending.elapse(MINUTE)

    assert ending.running() == 0, "does ShutDown wake and end the thread that waits for deadlines?"


@rule(
    cites=(DELAYING["waitingLoop"].in_code, QUEUE["ShutDownWithDrain"].in_code),
    after=("ending/nothing-runs-on-after-a-shutdown", "abandonment/a-drain-drops-what-waits"),
    for_all={"waiting": numbers(1, 3)},
)
def nothing_runs_on_after_a_drain(ending: Annotated[EndingQueue, With("drain")], waiting: int) -> None:
    """A minute after ShutDownWithDrain, nothing SHOULD run on that waited for deadlines, either."""
    for item in "abc"[:waiting]:
        ending.add_after(item, HOUR)

    ending.drain()
    ending.elapse(MINUTE)

    assert ending.running() == 0


@rule(
    cites=QUEUE["Typed.wg"].in_code,
    for_all={"done": numbers(1, 2)},
)
def nothing_is_measured_any_more(ending: Annotated[Measured, With("ending")], done: int) -> None:
    """A minute after ShutDown, nothing SHOULD run on that told how long items take, once they are done.

    client-go's ran on for up to half a second until 2025, and tests that look for leaks stumbled over it. It waits now.
    """
    for item in "ab"[:done]:
        ending.add(item)
    ending.take_all()

    ending.shut_down()
    ending.elapse(MINUTE)

    assert ending.running() == 0, (
        "does the thread that updates the gauges look whether the queue is shut down?"
    )
