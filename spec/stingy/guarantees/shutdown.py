"""Shutdown.

ShutDown refuses what is new and lets workers finish what is there. A worker learns of it from Get, once
the queue is empty; then it may go home.
"""

from __future__ import annotations

from stingy.contract.sources import DELAYING, DOC, QUEUE, QUEUE_TESTS
from stingy.language import DONE, GET, SHUT_DOWN, SHUTDOWN, Program, Queue, Race, add, given, numbers, rule

AGAIN = (DELAYING["ShutDown"], QUEUE["Typed.stopOnce"])
"""Where it says that there may be more than one shutdown."""


@rule(
    cites=(QUEUE["ShutDown"], DOC["Shutdown notifications"]),
    after="handing_out/get-waits-while-nothing-is-queued",
)
def get_reports_the_shutdown(queue: Queue) -> None:
    """Get on an empty queue that was shut down MUST report the shutdown at once, every time it is asked."""
    queue.shut_down()

    assert queue.get() is SHUTDOWN
    assert queue.get() is SHUTDOWN


@rule(
    cites=(QUEUE["ShutDown"], DOC["Shutdown notifications"]),
    after="shutdown/get-reports-the-shutdown",
    for_all={"workers": numbers(1, 6)},
)
def shutdown_wakes_every_waiting_worker(queue: Queue, workers: int) -> None:
    """ShutDown MUST send every worker that waits in Get home, with the flag and without an item."""
    waiting = [queue.ask() for _ in range(workers)]

    queue.shut_down()

    assert [worker.got for worker in waiting] == [SHUTDOWN] * workers, (
        "does ShutDown wake all that wait, with notify_all and not with notify?"
    )


@rule(
    cites=(QUEUE["ShutDown"], DOC["Shutdown notifications"]),
    after=("shutdown/shutdown-wakes-every-waiting-worker", "handing_out/an-added-item-is-handed-out"),
)
def nobody_waits_for_another_worker_to_finish(queue: Queue) -> None:
    """After ShutDown, a Get on an empty queue MUST report the shutdown at once, also while another worker holds an item.

    An idle worker that waits for the last Done keeps its program from ending for as long as the busy one takes.
    """
    queue.add("a")
    queue.get()
    waiting = queue.ask()
    with given():
        assert waiting.waiting

    queue.shut_down()

    assert waiting.got is SHUTDOWN, "does Get look at what is queued alone, and not at what is in processing?"
    assert queue.get() is SHUTDOWN


@rule(cites=QUEUE["Add"], after="shutdown/get-reports-the-shutdown")
def what_is_added_after_shutdown_is_ignored(queue: Queue) -> None:
    """An Add after ShutDown MUST be ignored, silently."""
    queue.shut_down()

    queue.add("a")

    assert queue.get() is SHUTDOWN


@rule(cites=QUEUE["Add"], after="shutdown/get-reports-the-shutdown")
def an_add_after_shutdown_is_ignored_for_an_item_in_processing(queue: Queue) -> None:
    """An Add after ShutDown MUST be ignored also for an item that a worker holds: its Done does not bring it back.

    Upstream says "not queued or marked as dirty for reprocessing", and has no test for the second half.
    """
    queue.add("a")
    queue.get()
    queue.shut_down()

    queue.add("a")
    queue.done("a")

    assert queue.get() is SHUTDOWN


@rule(
    cites=QUEUE["ShutDown"],
    after=("shutdown/get-reports-the-shutdown", "fair/first-come-first-served"),
    for_all={"items": numbers(1, 5)},
)
def what_was_queued_is_still_handed_out(queue: Queue, items: int) -> None:
    """Items queued before ShutDown MUST still be handed out, in order, and Get report the shutdown only after them."""
    queued = [f"item-{n}" for n in range(items)]
    for item in queued:
        queue.add(item)

    queue.shut_down()

    assert queue.take_all() == queued, (
        "does Get look for items before it looks at the flag, and does ShutDown leave them queued?"
    )
    assert queue.get() is SHUTDOWN


@rule(
    cites=QUEUE["Done"],
    after=("shutdown/get-reports-the-shutdown", "once_more/added-while-processed-comes-back-after-done"),
)
def what_was_owed_is_still_handed_out(queue: Queue) -> None:
    """An item added while it was processed, before ShutDown, MUST come back at its Done after ShutDown."""
    queue.add("a")
    queue.get()
    queue.add("a")
    queue.shut_down()

    queue.done("a")

    assert queue.get() == "a"


@rule(cites=(QUEUE["Get"], QUEUE["ShutDown"]), after="shutdown/get-reports-the-shutdown")
def the_flag_means_no_item(queue: Queue) -> None:
    """The shutdown flag MUST NOT accompany an item: a worker that sees the flag goes home, and drops it.

    controller-runtime's priority queue did so in 1 of 4,000 runs; the item was then lost without a Done.
    """
    queue.add("a")
    queue.add("b")
    queue.shut_down()

    answers = [queue.ask() for _ in range(3)]

    assert [answer for answer in answers if not answer.waiting and answer.with_item] == []


@rule(
    cites=(QUEUE["Done"], QUEUE["ShutDown"]),
    after=(
        "shutdown/what-was-owed-is-still-handed-out",
        "shutdown/nobody-waits-for-another-worker-to-finish",
        "stingy/one-worker-at-a-time",
        "once_more/an-item-that-waits-for-its-done-holds-up-no-other",
    ),
)
def the_flag_is_not_the_last_word(queue: Queue) -> None:
    """After a Get has reported the shutdown, a later one MUST still return an item that its Done brings back.

    It was added before the shutdown, so it is still to be processed. A worker that goes home at the flag is right all
    the same: the one that holds the item comes again.
    """
    queue.add("a")
    queue.get()
    queue.add("a")
    queue.shut_down()
    with given():
        assert queue.get() is SHUTDOWN

    queue.done("a")

    assert queue.get() == "a"


@rule(
    cites=(DELAYING["ShutDown"], QUEUE["ShutDownWithDrain"]),
    after="shutdown/get-reports-the-shutdown",
)
def a_second_shutdown_changes_nothing(queue: Queue) -> None:
    """ShutDown MUST be callable more than once.

    client-go says so of its delaying queue, where a second call panicked once (kubernetes/kubernetes#77170), and takes care
    of it in the plain one as well. Whoever stops a queue need not know which one it is: controller-runtime's priority
    queue is handed out as one of client-go's, and panics today.
    """
    queue.shut_down()

    queue.shut_down()

    assert queue.get() is SHUTDOWN


@rule(
    cites=QUEUE["ShutDown"],
    after=("shutdown/a-second-shutdown-changes-nothing", "shutdown/what-was-queued-is-still-handed-out"),
)
def a_second_shutdown_drops_nothing(queue: Queue) -> None:
    """What was queued before the first ShutDown MUST still be handed out after a second one.

    A program with two places to stop it stops its queue twice, and has as much to finish as any other.
    """
    queue.add("a")
    queue.add("b")
    queue.shut_down()

    queue.shut_down()

    assert queue.take_all() == ["a", "b"]


@rule(
    cites=(QUEUE_TESTS["TestNoQueueDrainageUsingShutDown"], QUEUE["ShutDownWithDrain"]),
    after="handing_out/an-added-item-is-handed-out",
)
def shutdown_waits_for_nobody(queue: Queue) -> None:
    """ShutDown MUST return at once, with items queued and in processing."""
    queue.add("a")
    queue.add("b")
    queue.get()

    queue.shut_down()

    assert queue.shutting_down()


@rule(cites=(DELAYING["AddAfter after a shutdown"], QUEUE["ShutDown"]))
def shutting_down_says_so(queue: Queue) -> None:
    """ShuttingDown MUST be false before a shutdown and true from then on.

    Upstream has no test for it: a ShuttingDown that always answers false passes.
    """
    assert not queue.shutting_down()

    queue.shut_down()

    assert queue.shutting_down()
    queue.ask()
    assert queue.shutting_down()


@rule(cites=QUEUE["ShutDown"], after="shutdown/what-was-queued-is-still-handed-out")
def nothing_is_left_when_all_have_gone_home(race: Race) -> None:
    """Once every worker has seen the flag, each item added before ShutDown MUST have been handed out since."""
    history = race.run(
        worker_1=[GET, DONE] * 4,
        worker_2=[GET, DONE] * 4,
        producer=[add("a"), add("b"), add("a"), SHUT_DOWN],
    )

    assert history.raised() == []
    if history.waiting("get") == []:
        assert history.lost() == []


@rule(
    cites=QUEUE["ShutDown"],
    after=(
        "shutdown/what-is-added-after-shutdown-is-ignored",
        "shutdown/what-was-queued-is-still-handed-out",
    ),
    each=[
        Program("an Add", "", "add a | shut_down, get"),
        Program("two Adds", "", "add a | add b | shut_down, get, done, get"),
        Program("an Add, and a worker", "", "add a | shut_down | get"),
    ],
)
def nothing_comes_in_once_a_shutdown_has_returned(race: Race, row: Program) -> None:
    """After ShutDown has returned, or a Get has reported it, an Add MUST NOT queue an item, even one that began earlier.

    The last worker may be gone, and the item would never be handed out.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.let_in(race.left()) == [], (
        "does Add look at the flag under the same lock under which it queues the item?"
    )
