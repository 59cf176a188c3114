"""Rate limiting: AddRateLimited.

AddRateLimited asks a rate limiter how long an item has to wait that has failed, and adds it then. Forget
lets the rate limiter begin anew. The limiter of these rules is the suite's own: an item waits for 1 minute
at its first failure, for 2 at the second, then for 4, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import DELAYING, LIMITERS, QUEUE, RATE_LIMITING, RATE_LIMITING_TESTS
from stingy.language import MILLISECOND, MINUTE, SECOND, SHUTDOWN, RateLimitingQueue, Row, With, rule

ADD_RATE_LIMITED = RATE_LIMITING["AddRateLimited"]
FORGET = RATE_LIMITING["Forget"]
NUM_REQUEUES = RATE_LIMITING["NumRequeues"]


@dataclass(frozen=True)
class Failures(Row):
    failures: int


SO_OFTEN = tuple(map(Failures, (0, 1, 2, 6, 31, 32, 33, 62, 63, 64, 65, 100, 257)))
"""Where a count of so many bits comes round, or somebody has thought that nobody counts so far."""


@rule(
    cites=ADD_RATE_LIMITED,
    after="delays/an-item-is-not-there-before-its-delay-is-over",
)
def a_failed_item_comes_when_its_limiter_says(limiting: RateLimitingQueue) -> None:
    """An item that was added with AddRateLimited MUST be handed out when its limiter says."""
    limiting.add_rate_limited("a")

    limiting.until(MINUTE)

    assert limiting.get() == "a", "is the delay that the limiter returns taken in its own unit?"


@rule(cites=ADD_RATE_LIMITED, after="rate_limiting/a-failed-item-comes-when-its-limiter-says")
def a_failed_item_does_not_come_before_its_limiter_says(limiting: RateLimitingQueue) -> None:
    """An item that was added with AddRateLimited MUST NOT be handed out before its limiter says.

    One item that cannot be processed would keep a worker busy for nothing, and the server that it asks.
    """
    limiting.add_rate_limited("a")

    limiting.until(MINUTE - MILLISECOND)
    limiting.ask()

    assert limiting.handed_out == []


@rule(
    cites=ADD_RATE_LIMITED,
    after=(
        "rate_limiting/a-failed-item-does-not-come-before-its-limiter-says",
        "handing_out/a-finished-item-stays-away",
    ),
)
def each_failure_waits_as_the_limiter_says(limiting: RateLimitingQueue) -> None:
    """AddRateLimited MUST ask the limiter once, each time: the n-th failure waits as it says for the n-th."""
    for before, minutes in enumerate((1, 2, 4)):
        failed = limiting.uptime
        limiting.add_rate_limited("a")
        worker = limiting.ask()

        limiting.until(failed + minutes * MINUTE - MILLISECOND)

        assert limiting.handed_out == ["a"] * before, "is the limiter asked once for each AddRateLimited?"

        limiting.until(failed + minutes * MINUTE)

        assert worker.got == "a", "is the limiter asked once for each AddRateLimited?"

        limiting.done("a")


@rule(
    cites=ADD_RATE_LIMITED,
    after="rate_limiting/a-failed-item-does-not-come-before-its-limiter-says",
)
def each_item_waits_for_its_own_failures(limiting: RateLimitingQueue) -> None:
    """The limiter MUST be asked about the very item: the failures of one do not hold up another."""
    limiting.add_rate_limited("a")
    limiting.until(MINUTE)
    limiting.get()
    limiting.done("a")
    failed = limiting.uptime

    limiting.add_rate_limited("b")
    limiting.until(failed + MINUTE)

    assert limiting.get() == "b"


@rule(
    cites=(RATE_LIMITING["AddRateLimited"], QUEUE["Done"]),
    after="rate_limiting/a-failed-item-does-not-come-before-its-limiter-says",
)
def a_done_does_not_hurry_a_retry(limiting: RateLimitingQueue) -> None:
    """An item that fails while it is processed MUST NOT come back at its Done already.

    First AddRateLimited, and then Done: so every controller does it.
    """
    limiting.add("a")
    limiting.get()
    limiting.add_rate_limited("a")

    limiting.done("a")
    limiting.until(MINUTE - MILLISECOND)
    limiting.ask()

    assert limiting.handed_out == ["a"]


@rule(
    cites=(RATE_LIMITING["AddRateLimited"], QUEUE["Done"]),
    after="rate_limiting/a-failed-item-comes-when-its-limiter-says",
)
def a_done_does_not_cancel_a_retry(limiting: RateLimitingQueue) -> None:
    """An item that fails while it is processed MUST come when its limiter says, after its Done."""
    limiting.add("a")
    limiting.get()
    limiting.add_rate_limited("a")

    limiting.done("a")
    limiting.until(MINUTE)

    assert limiting.get() == "a"


@rule(cites=NUM_REQUEUES, after="handing_out/an-added-item-is-handed-out")
def numrequeues_begins_at_zero(limiting: RateLimitingQueue) -> None:
    """NumRequeues of an item that has never failed MUST be 0, though nobody has ever heard of it."""
    assert limiting.num_requeues("a") == 0


@rule(
    cites=NUM_REQUEUES,
    after=(
        "rate_limiting/a-failed-item-comes-when-its-limiter-says",
        "rate_limiting/numrequeues-begins-at-zero",
    ),
)
def numrequeues_counts_the_failures(limiting: RateLimitingQueue) -> None:
    """NumRequeues MUST be how often the item has been added with AddRateLimited."""
    limiting.add_rate_limited("a")
    limiting.until(MINUTE)
    limiting.get()

    assert limiting.num_requeues("a") == 1


@rule(
    cites=NUM_REQUEUES,
    after=(
        "rate_limiting/each-item-waits-for-its-own-failures",
        "rate_limiting/numrequeues-counts-the-failures",
    ),
)
def numrequeues_is_of_one_item(limiting: RateLimitingQueue) -> None:
    """NumRequeues MUST NOT count the failures of other items."""
    limiting.add_rate_limited("a")
    limiting.until(MINUTE)
    limiting.get()

    assert limiting.num_requeues("b") == 0


@rule(
    cites=(LIMITERS["NumRequeues"], RATE_LIMITING["NumRequeues"]),
    after="rate_limiting/numrequeues-counts-the-failures",
)
def numrequeues_only_reads(limiting: RateLimitingQueue) -> None:
    """NumRequeues MUST NOT change anything: asked again, it says the same.

    Whoever asks a limiter with When how an item is doing makes it fare worse.
    """
    limiting.add_rate_limited("a")
    limiting.until(MINUTE)
    limiting.get()

    counts = [limiting.num_requeues("a") for _ in range(3)]

    assert counts == [1, 1, 1]


@rule(
    cites=(LIMITERS["Forget"], RATE_LIMITING_TESTS["TestRateLimitingQueue"]),
    after="rate_limiting/numrequeues-counts-the-failures",
)
def forget_resets_the_count(limiting: RateLimitingQueue) -> None:
    """After Forget, NumRequeues MUST be 0."""
    limiting.add_rate_limited("a")
    limiting.until(MINUTE)
    limiting.get()

    limiting.forget("a")

    assert limiting.num_requeues("a") == 0


@rule(
    cites=(LIMITERS["Forget"], RATE_LIMITING_TESTS["TestRateLimitingQueue"]),
    after=("rate_limiting/each-failure-waits-as-the-limiter-says", "rate_limiting/forget-resets-the-count"),
)
def forget_resets_the_wait(limiting: RateLimitingQueue) -> None:
    """After Forget, the next failure MUST wait as the first did."""
    limiting.add_rate_limited("a")
    limiting.until(MINUTE)
    limiting.get()
    limiting.forget("a")
    limiting.done("a")
    failed = limiting.uptime

    limiting.add_rate_limited("a")
    limiting.until(failed + MINUTE)

    assert limiting.get() == "a"


@rule(
    cites=(LIMITERS["Forget"], RATE_LIMITING["Forget"]),
    after="rate_limiting/numrequeues-is-of-one-item",
)
def forget_is_about_one_item(limiting: RateLimitingQueue) -> None:
    """Forget MUST NOT forget the failures of other items."""
    limiting.add_rate_limited("a")
    limiting.add_rate_limited("b")
    limiting.until(MINUTE)
    limiting.get()
    limiting.get()

    limiting.forget("a")

    assert limiting.num_requeues("b") == 1


@rule(
    cites=(LIMITERS["Forget"], RATE_LIMITING["Forget"]),
    after="rate_limiting/numrequeues-begins-at-zero",
)
def an_item_that_never_failed_can_be_forgotten(limiting: RateLimitingQueue) -> None:
    """Forget of an item that has not failed MUST be harmless: it is called after every success."""
    limiting.forget("a")
    limiting.forget("a")

    assert limiting.num_requeues("a") == 0


@rule(cites=FORGET, after="rate_limiting/an-item-that-never-failed-can-be-forgotten")
def forget_is_no_done(limiting: RateLimitingQueue) -> None:
    """Forget MUST NOT finish an item that is in processing: added again, it still waits for its Done.

    Upstream says "you still have to call Done", and has no test for it.
    """
    limiting.add("a")
    limiting.get()

    limiting.forget("a")
    limiting.add("a")
    other = limiting.ask()

    assert other.waiting


@rule(cites=FORGET, after="rate_limiting/an-item-that-never-failed-can-be-forgotten")
def forget_takes_nothing_out(limiting: RateLimitingQueue) -> None:
    """Forget MUST leave an item that is queued in the queue."""
    limiting.add("a")

    limiting.forget("a")

    assert limiting.get() == "a"


@rule(cites=FORGET, after="rate_limiting/a-failed-item-comes-when-its-limiter-says")
def forget_cancels_no_retry(limiting: RateLimitingQueue) -> None:
    """Forget MUST NOT cancel a retry that waits: it comes all the same."""
    limiting.add_rate_limited("a")

    limiting.forget("a")
    limiting.until(MINUTE)

    assert limiting.get() == "a"


@rule(cites=(FORGET, QUEUE["Done"]), after="rate_limiting/numrequeues-counts-the-failures")
def done_does_not_forget(limiting: RateLimitingQueue) -> None:
    """Done MUST NOT reset the count: an item is also done that has failed.

    With every failure taken for the first, a retry never waits for longer.
    """
    limiting.add_rate_limited("a")
    limiting.until(MINUTE)
    limiting.get()

    limiting.done("a")

    assert limiting.num_requeues("a") == 1


@rule(
    cites=(LIMITERS["NumRequeues"], RATE_LIMITING["NumRequeues"]),
    after="rate_limiting/numrequeues-begins-at-zero",
)
def an_add_is_no_failure(limiting: RateLimitingQueue) -> None:
    """Add MUST NOT be counted as a failure: it is news."""
    limiting.add("a")
    limiting.get()

    assert limiting.num_requeues("a") == 0


@rule(
    cites=(LIMITERS["NumRequeues"], RATE_LIMITING["NumRequeues"]),
    after=(
        "delays/an-item-is-not-there-before-its-delay-is-over",
        "rate_limiting/numrequeues-begins-at-zero",
    ),
)
def an_addafter_is_no_failure(limiting: Annotated[RateLimitingQueue, With("delay")]) -> None:
    """AddAfter MUST NOT be counted as a failure: its caller has said how long the item is to wait."""
    limiting.add_after("a", MINUTE)
    limiting.until(MINUTE)
    limiting.get()

    assert limiting.num_requeues("a") == 0


@rule(
    cites=(DELAYING["insert"], RATE_LIMITING["AddRateLimited"]),
    after="rate_limiting/each-failure-waits-as-the-limiter-says",
)
def failures_in_a_row_are_one_retry(limiting: RateLimitingQueue) -> None:
    """An item that is added rate limited again while it waits MUST come once, at the first of its deadlines."""
    for _ in range(3):
        limiting.add_rate_limited("a")

    limiting.until(MINUTE)

    assert limiting.get() == "a"

    limiting.done("a")
    limiting.until(6 * MINUTE)

    assert limiting.runs("a") == 1


@rule(
    cites=NUM_REQUEUES,
    after=("rate_limiting/failures-in-a-row-are-one-retry", "rate_limiting/numrequeues-counts-the-failures"),
)
def failures_in_a_row_are_all_counted(limiting: RateLimitingQueue) -> None:
    """An item that is added rate limited again while it waits MUST have failed once more all the same."""
    for _ in range(3):
        limiting.add_rate_limited("a")

    limiting.until(MINUTE)
    limiting.get()

    assert limiting.num_requeues("a") == 3


@rule(cites=NUM_REQUEUES, after="rate_limiting/failures-in-a-row-are-all-counted", each=SO_OFTEN)
def however_often_it_fails_it_is_counted(limiting: RateLimitingQueue, row: Failures) -> None:
    """NumRequeues MUST be how often the item has been added with AddRateLimited, however often that is."""
    limiting.fail("a", row.failures)

    assert limiting.num_requeues("a") == row.failures


@rule(
    cites=(DELAYING["insert"], RATE_LIMITING["AddRateLimited"]),
    after=("rate_limiting/a-failed-item-comes-when-its-limiter-says", "deadlines/the-later-deadline-is-void"),
)
def a_retry_and_a_delay_are_one(limiting: Annotated[RateLimitingQueue, With("delay")]) -> None:
    """An item that waits by AddRateLimited and by AddAfter MUST come once, at the earlier deadline."""
    limiting.add_rate_limited("a")
    limiting.add_after("a", 30 * SECOND)

    limiting.until(30 * SECOND)

    assert limiting.get() == "a"

    limiting.done("a")
    limiting.until(2 * MINUTE)

    assert limiting.runs("a") == 1


@rule(
    cites=(DELAYING["ShutDown"], QUEUE["Add"]),
    after=(
        "rate_limiting/a-failed-item-does-not-come-before-its-limiter-says",
        "shutdown/get-reports-the-shutdown",
    ),
)
def a_shutdown_drops_the_retries(limiting: RateLimitingQueue) -> None:
    """ShutDown MUST drop the retries that wait."""
    limiting.add_rate_limited("a")
    limiting.shut_down()

    limiting.until(2 * MINUTE)

    assert limiting.get() is SHUTDOWN


@rule(cites=DELAYING["AddAfter after a shutdown"], after="shutdown/get-reports-the-shutdown")
def an_addratelimited_after_a_shutdown_is_ignored(limiting: RateLimitingQueue) -> None:
    """An AddRateLimited after ShutDown MUST be ignored."""
    limiting.shut_down()

    limiting.add_rate_limited("a")
    limiting.until(2 * MINUTE)

    assert limiting.get() is SHUTDOWN


@rule(
    cites=ADD_RATE_LIMITED,
    after=(
        "rate_limiting/an-addratelimited-after-a-shutdown-is-ignored",
        "rate_limiting/numrequeues-counts-the-failures",
    ),
    contested=("it is counted", "it is not counted"),
)
def whether_an_addratelimited_after_a_shutdown_is_a_failure(limiting: RateLimitingQueue) -> str:
    """An AddRateLimited after ShutDown MAY be counted as a failure, though nothing comes of it.

    client-go asks its limiter first, and only then whether there was a shutdown.
    """
    limiting.shut_down()

    limiting.add_rate_limited("a")

    return {0: "it is not counted", 1: "it is counted"}.get(limiting.num_requeues("a"), "it is counted wrong")
