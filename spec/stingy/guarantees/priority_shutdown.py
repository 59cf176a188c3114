"""Priorities: shutdown.

After a ShutDown nothing more is accepted, what waits for its time is not waited for, and workers go home. Other
than client-go's queues, a priority queue may drop what is ready.
"""

from __future__ import annotations

from stingy.contract.sources import DELAYING, PRIORITY_QUEUE, PRIORITY_TESTS, QUEUE
from stingy.language import MINUTE, SHUTDOWN, PriorityQueue, given, numbers, rule


@rule(
    cites=(
        PRIORITY_TESTS["Get from priority queue might get stuck when the priority queue is shut down"],
        PRIORITY_QUEUE["GetWithPriority"],
    ),
    after="priority/get-waits-while-nothing-is-ready",
)
def get_reports_the_shutdown(prioritized: PriorityQueue) -> None:
    """Get on an empty queue that was shut down MUST report the shutdown at once, every time it is asked.

    It blocked for ever once (kubernetes-sigs/controller-runtime#3239).
    """
    prioritized.shut_down()

    assert prioritized.get() is SHUTDOWN
    assert prioritized.get() is SHUTDOWN


@rule(
    cites=(
        PRIORITY_QUEUE["GetWithPriority"],
        PRIORITY_TESTS["TestGetFromPriorityQueueIsUnblockedOnShutdown"],
    ),
    after="priority_shutdown/get-reports-the-shutdown",
    for_all={"workers": numbers(1, 6)},
)
def shutdown_wakes_every_waiting_worker(prioritized: PriorityQueue, workers: int) -> None:
    """ShutDown MUST send every worker that waits in Get home, with the flag and without an item.

    They stayed where they were once (kubernetes-sigs/controller-runtime#3337).
    """
    waiting = [prioritized.ask() for _ in range(workers)]

    prioritized.shut_down()

    assert [worker.got for worker in waiting] == [SHUTDOWN] * workers, (
        "does ShutDown wake all that wait, with notify_all and not with notify?"
    )


@rule(
    cites=(PRIORITY_QUEUE["GetWithPriority"], QUEUE["ShutDown"]),
    after=("priority_shutdown/shutdown-wakes-every-waiting-worker", "priority/one-worker-at-a-time"),
)
def nobody_waits_for_another_worker_to_finish(prioritized: PriorityQueue) -> None:
    """After ShutDown, a Get on an empty queue MUST report the shutdown at once, also while another worker holds an item."""
    prioritized.add_with("a")
    prioritized.get()
    waiting = prioritized.ask()
    with given():
        assert waiting.waiting

    prioritized.shut_down()

    assert waiting.got is SHUTDOWN, "does Get look at what is ready alone, and not at what is in processing?"
    assert prioritized.get() is SHUTDOWN


@rule(
    cites=(PRIORITY_QUEUE["TypedRateLimitingInterface"], QUEUE["Add"]),
    after="priority_shutdown/get-reports-the-shutdown",
)
def what_is_added_after_a_shutdown_is_ignored(prioritized: PriorityQueue) -> None:
    """What is added after ShutDown MUST be ignored, whatever its priority or its delay."""
    prioritized.shut_down()

    prioritized.add_with("a", priority=9)
    prioritized.add_with("b", after=MINUTE)
    prioritized.elapse(2 * MINUTE)

    assert prioritized.get() is SHUTDOWN


@rule(
    cites=(
        PRIORITY_TESTS["Get from priority queue might get stuck when the priority queue is shut down"],
        PRIORITY_QUEUE["ShutDown"],
    ),
    after=("readiness/nothing-comes-before-its-time", "priority_shutdown/get-reports-the-shutdown"),
)
def a_shutdown_ends_every_wait_for_a_time(prioritized: PriorityQueue) -> None:
    """What waits for its time at a ShutDown MUST NOT be waited for, nor be handed out when its time has come."""
    prioritized.add_with("a", after=MINUTE)

    prioritized.shut_down()

    assert prioritized.get() is SHUTDOWN

    prioritized.elapse(2 * MINUTE)

    assert prioritized.get() is SHUTDOWN


@rule(
    cites=(
        PRIORITY_TESTS["Get from priority queue might get stuck when the priority queue is shut down"],
        QUEUE["Get"],
    ),
    after="priority_shutdown/get-reports-the-shutdown",
)
def the_flag_means_no_item(prioritized: PriorityQueue) -> None:
    """The shutdown flag MUST NOT accompany an item: a worker that sees the flag goes home, and drops it.

    controller-runtime's did so in 1 of 4,000 runs, where a Get and a ShutDown met.
    """
    prioritized.add_with("a")
    prioritized.add_with("b")
    prioritized.shut_down()

    answers = [prioritized.ask() for _ in range(3)]

    assert [answer for answer in answers if not answer.waiting and answer.with_item] == []


@rule(
    cites=PRIORITY_QUEUE["ShutDown"],
    after="priority_shutdown/get-reports-the-shutdown",
    contested=("it is handed out", "it is dropped"),
)
def whether_a_shutdown_drops_what_is_ready(prioritized: PriorityQueue) -> str:
    """What is ready at a ShutDown MAY be dropped.

    controller-runtime drops it: whoever starts next lists all objects anyway. client-go's queues hand it out.
    """
    prioritized.add_with("a")

    prioritized.shut_down()

    return "it is dropped" if prioritized.get() is SHUTDOWN else "it is handed out"


@rule(
    cites=(DELAYING["ShutDown"], PRIORITY_QUEUE["TypedRateLimitingInterface"]),
    after="priority_shutdown/get-reports-the-shutdown",
)
def a_second_shutdown_changes_nothing(prioritized: PriorityQueue) -> None:
    """ShutDown MUST be callable more than once.

    A priority queue is handed out as one of client-go's queues, whose ShutDown "may be invoked more than once".
    controller-runtime's panics, as client-go's delaying queue once did (kubernetes/kubernetes#77170).
    """
    prioritized.shut_down()

    prioritized.shut_down()

    assert prioritized.get() is SHUTDOWN
