"""Rate limiting: back-off.

When notes that an item has failed once more, and says how long it is to wait; Forget begins anew with an item;
NumRequeues tells how often it has failed. There are five kinds of rate limiter, and two that upstream has put
together of them. Those of this page wait longer the more often an item has failed. All that is said here is exact:
in whole nanoseconds, for every failure, and not only for the first few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract import MICROSECOND
from stingy.contract.kinds import is_a
from stingy.contract.sources import LIMITER_TESTS, LIMITERS
from stingy.guarantees.delays import CENTURIES, HOUR
from stingy.guarantees.handing_out import A_BUFFER, EQUAL, NAMES, UNEQUAL, Name, Values
from stingy.guarantees.rate_limiting import SO_OFTEN, Failures
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    AtOnce,
    Calls,
    Limiter,
    Limiters,
    Nanoseconds,
    Row,
    Small,
    With,
    format_span,
    numbers,
    programs_of,
    rule,
)

Exponential = Annotated[Limiters, With("exponential")]
FastSlow = Annotated[Limiters, With("fast_slow")]

FORGET = LIMITERS["Forget"]
NUM_REQUEUES = LIMITERS["NumRequeues"]

FAILURES = 1100
"""Enough for whatever goes wrong: a float is beyond its range after 1024 doublings, an int of 64 bits long before.

Upstream's own test stops at 1000.
"""

BEYOND_A_FLOAT = 1030
"""Failures until 2 to the power of them, less one, is beyond the range of a float."""


@dataclass(frozen=True)
class Backoff(Row):
    base: Nanoseconds
    longest: Nanoseconds

    @property
    def name(self) -> str:
        return f"{format_span(self.base)} up to {format_span(self.longest)}"

    def cells(self) -> dict[str, str]:
        return {"base delay": format_span(self.base), "max delay": format_span(self.longest)}

    @property
    def doublings(self) -> list[Nanoseconds]:
        """The waits of the first failures, as long as they are not cut short."""
        doubled = (self.base << n for n in range(FAILURES))
        return [wait for wait in doubled if wait <= self.longest]


BACKOFFS = (
    Backoff(5 * MILLISECOND, 1000 * SECOND),
    Backoff(1 * MILLISECOND, 1000 * SECOND),
    Backoff(1 * MILLISECOND, 1 * SECOND),
    Backoff(1 * SECOND, 64 * SECOND),
    Backoff(1 * MINUTE, 60_000 * MINUTE),
    Backoff(1 * SECOND, 1 * SECOND),
    Backoff(3 * MICROSECOND, 1000 * SECOND),
    Backoff(1 * MILLISECOND, 1000 * HOUR),
    Backoff(1 * SECOND, CENTURIES),
)
"""Some end beyond 2³¹ ms, and one where 64 bits of nanoseconds do."""


def doubling(exponential: Exponential) -> Limiter:
    """1 s, 2 s, 4 s and so on, up to a minute."""
    return exponential(base_delay=1 * SECOND, max_delay=1 * MINUTE)


@rule(
    cites=(
        LIMITERS["TypedItemExponentialFailureRateLimiter"],
        LIMITER_TESTS["TestItemExponentialFailureRateLimiter"],
    ),
    each=BACKOFFS,
)
def each_failure_doubles_the_wait(exponential: Exponential, row: Backoff) -> None:
    """The n-th failure of an item MUST wait for *base delay* · 2ⁿ⁻¹, as long as that does not exceed *max delay*.

    Upstream's comment once said 10ⁿ (kubernetes/kubernetes#70782). A port to Java says 1000 ms where the
    tenth failure is to wait for 512.
    """
    limiter = exponential(base_delay=row.base, max_delay=row.longest)

    waits = [limiter.when() for _ in row.doublings]

    assert waits == row.doublings, "is the failure counted before the wait is computed, or after?"


@rule(
    cites=(
        LIMITERS["TypedItemExponentialFailureRateLimiter.When"],
        LIMITER_TESTS["TestItemExponentialFailureRateLimiterOverFlow"],
    ),
    after="backoff/each-failure-doubles-the-wait",
    each=(*BACKOFFS, Backoff(10 * SECOND, 1 * SECOND)),
)
def the_longest_wait_is_for_ever(exponential: Exponential, row: Backoff) -> None:
    """Once *base delay* · 2ⁿ⁻¹ exceeds *max delay*, that and every later failure MUST wait for *max delay*.

    A wait that overflows is a hot loop (kubernetes/kubernetes#31396). A port to Java begins anew after 64 failures, and
    passes upstream's test, which looks at the 1000th alone.
    """
    limiter = exponential(base_delay=row.base, max_delay=row.longest)

    waits = limiter.when_often(FAILURES)

    assert {*waits[len(row.doublings) :]} == {row.longest}, (
        "does the power of two overflow before it is compared with the longest delay?"
    )


@rule(
    cites=LIMITERS["TypedItemExponentialFailureRateLimiter"],
    after="backoff/each-failure-doubles-the-wait",
)
def without_a_base_delay_nobody_waits(exponential: Exponential) -> None:
    """With a *base delay* of 0, an item MUST NOT be told to wait, however often it has failed.

    From the 1,025th on, 2ⁿ⁻¹ is more than a float can hold: it raises, or is infinite, and 0 times that is no number. What is
    answered then may be negative or no number, which is no wait either.
    """
    limiter = exponential(base_delay=0, max_delay=1000 * SECOND)

    waits = limiter.answer_often(BEYOND_A_FLOAT)

    assert not [wait for wait in waits if is_a(wait, int) and wait > 0], (
        "does the power of two overflow, though it is multiplied by 0?"
    )


@rule(
    cites=LIMITERS["TypedItemExponentialFailureRateLimiter"],
    after="backoff/each-failure-doubles-the-wait",
)
def with_a_longest_wait_of_0_nobody_waits(exponential: Exponential) -> None:
    """With a *longest delay* of 0, an item MUST NOT be told to wait: 0 is a limit, not the lack of one."""
    limiter = exponential(base_delay=1 * SECOND, max_delay=0)

    assert limiter.when_often(3) == [0, 0, 0]


@rule(
    cites=(LIMITERS["NumRequeues"], LIMITER_TESTS["TestItemExponentialFailureRateLimiter"]),
    after="backoff/each-failure-doubles-the-wait",
)
def each_item_fails_for_itself(exponential: Exponential) -> None:
    """The failures of an item MUST NOT make another one wait longer."""
    limiter = doubling(exponential)
    for _ in range(3):
        limiter.when("a")

    assert limiter.when("b") == 1 * SECOND
    assert limiter.when("a") == 8 * SECOND


@rule(cites=LIMITERS["NumRequeues"], after="backoff/each-item-fails-for-itself")
def of_many_items_none_is_forgotten(exponential: Exponential) -> None:
    """However many items have failed, the failures of each MUST be counted until it is forgotten.

    A cache of a thousand begins anew with the item that it has dropped: its wait never becomes long.
    """
    limiter = doubling(exponential)
    items = [f"item-{n}" for n in range(A_BUFFER)]

    limiter.when_each(items)
    limiter.when_each(items)

    assert {limiter.when(item) for item in (items[0], items[len(items) // 2], items[-1])} == {4 * SECOND}, (
        "is there a limit to the items whose failures are kept?"
    )


@rule(
    cites=LIMITERS["NumRequeues"],
    after="backoff/each-item-fails-for-itself",
    each=UNEQUAL,
)
def unequal_values_fail_for_themselves(
    exponential: Annotated[Exponential, With("values")], row: Values
) -> None:
    """The failures of an item MUST be counted for it, and not for an item that is not equal to it, of whatever type, even if their hashes or their texts are the same."""
    limiter = doubling(exponential)
    one, other = row.both
    for _ in range(3):
        limiter.when(one)

    assert limiter.when(other) == 1 * SECOND, "are items looked up by their hash or their text?"
    assert limiter.when(one) == 8 * SECOND, "are failures kept though nobody else holds the item?"


@rule(
    cites=LIMITERS["NumRequeues"],
    after="backoff/unequal-values-fail-for-themselves",
    each=EQUAL,
)
def equal_values_fail_as_one(exponential: Annotated[Exponential, With("values")], row: Values) -> None:
    """The failures of two items that are equal MUST be counted as those of one, of whatever type, even if their texts are different."""
    limiter = doubling(exponential)
    one, other = row.both
    limiter.when(one)

    assert limiter.when(other) == 2 * SECOND


@rule(cites=LIMITERS["NumRequeues"], after="backoff/each-failure-doubles-the-wait")
def each_limiter_counts_for_itself(exponential: Exponential) -> None:
    """A rate limiter MUST know nothing of the failures that another one has been told of.

    Two queues that share what is counted undo each other's backoff.
    """
    limiter = doubling(exponential)
    limiter.when("a")

    limiter.make_another()

    assert limiter.when("a") == 1 * SECOND


@rule(cites=NUM_REQUEUES, after="backoff/each-limiter-counts-for-itself", each=SO_OFTEN)
def num_requeues_counts_the_failures(exponential: Exponential, row: Failures) -> None:
    """NumRequeues MUST be the number of failures of the item, also when its wait has long been the longest.

    It is what a controller looks at to give up after so many; upstream has no test for it beyond the cap.
    """
    limiter = doubling(exponential)

    for _ in range(row.failures):
        limiter.when("a")

    assert limiter.num_requeues("a") == row.failures


@rule(cites=NUM_REQUEUES, after="backoff/num-requeues-counts-the-failures")
def to_ask_is_not_to_fail(exponential: Exponential) -> None:
    """NumRequeues MUST NOT change anything."""
    limiter = doubling(exponential)

    counts = [limiter.num_requeues("a"), limiter.num_requeues("a")]

    assert counts[0] == counts[1]
    assert limiter.when("a") == 1 * SECOND


@rule(cites=FORGET, after="backoff/to-ask-is-not-to-fail", for_all={"failures": numbers(1, 10)})
def forget_begins_anew(exponential: Exponential, failures: int) -> None:
    """After Forget an item MUST count as one that has never failed."""
    limiter = doubling(exponential)
    for _ in range(failures):
        limiter.when("a")

    limiter.forget("a")

    assert limiter.num_requeues("a") == 0
    assert limiter.when("a") == 1 * SECOND


@rule(cites=FORGET, after="backoff/forget-begins-anew")
def forget_is_about_one_item(exponential: Exponential) -> None:
    """Forget MUST NOT touch what is known of other items.

    To forget them all passes the whole of client-go's own suite.
    """
    limiter = doubling(exponential)
    limiter.when("a")
    limiter.when("b")

    limiter.forget("a")

    assert limiter.num_requeues("b") == 1
    assert limiter.when("b") == 2 * SECOND


@rule(cites=FORGET, after="backoff/forget-begins-anew")
def what_never_failed_can_be_forgotten(exponential: Exponential) -> None:
    """Forget of an item that has never failed MUST do nothing.

    A controller calls it after each success, and most items never fail.
    """
    limiter = doubling(exponential)

    limiter.forget("a")

    assert limiter.num_requeues("a") == 0
    assert limiter.when("a") == 1 * SECOND


@rule(
    cites=(LIMITERS["TypedItemExponentialFailureRateLimiter"], FORGET),
    after=("backoff/forget-is-about-one-item", "backoff/what-never-failed-can-be-forgotten"),
    each=NAMES,
)
def an_item_may_fail_whatever_it_is_called(exponential: Exponential, row: Name) -> None:
    """The failures of an item MUST be counted and forgotten as those of any other, whatever its name means elsewhere."""
    limiter = doubling(exponential)
    assert limiter.num_requeues(row.item) == 0

    limiter.when(row.item)
    limiter.when("a")

    assert limiter.when(row.item) == 2 * SECOND
    assert limiter.num_requeues(row.item) == 2

    limiter.forget(row.item)

    assert limiter.num_requeues(row.item) == 0
    assert limiter.when("a") == 2 * SECOND


@rule(cites=LIMITERS["NumRequeues"], after="backoff/to-ask-is-not-to-fail")
def failures_at_once_are_all_counted(exponential: Annotated[Exponential, AtOnce]) -> None:
    """When MUST be callable by many at once: none of the failures is lost."""
    limiter = doubling(exponential)

    limiter.together("a", callers=2)

    assert limiter.num_requeues("a") == 2
    assert limiter.when("a") == 4 * SECOND


AT_ONCE = (
    [("when", "a")] * 16,
    [("when", "a"), ("num_requeues", "a")] * 8,
    [("when", "b"), ("forget", "b")] * 8,
)
"""Calls of three workers to a limiter in the same moment, as in a controller."""
FAILED_AT_ONCE = 24
"""How often "a" has failed then."""


@rule(
    cites=(LIMITERS["NumRequeues"], LIMITERS["Forget"]),
    after=("backoff/failures-at-once-are-all-counted", "backoff/forget-is-about-one-item"),
)
def other_items_at_once_disturb_no_count(exponential: Annotated[Exponential, AtOnce]) -> None:
    """When, Forget and NumRequeues of other items at once MUST NOT disturb what is counted of an item."""
    limiter = doubling(exponential)

    limiter.at_once(*AT_ONCE)

    assert limiter.num_requeues("a") == FAILED_AT_ONCE


@rule(
    cites=(LIMITERS["Forget"], LIMITERS["NumRequeues"]),
    after="backoff/forget-begins-anew",
)
def a_failure_at_once_undoes_no_forget(exponential: Annotated[Exponential, AtOnce]) -> None:
    """When of an item that is forgotten in the same moment MUST NOT bring back the failures before it.

    A controller's worker succeeds while an object is put back by hand. Forget without the lock comes between the reading of
    the count and the writing of it, and the item is never forgotten.
    """
    limiter = doubling(exponential)
    limiter.when("a")

    limiter.at_once([("when", "a")], [("forget", "a")])

    assert limiter.num_requeues("a") in (0, 1)


@rule(
    cites=(LIMITERS["NumRequeues"], LIMITERS["Forget"]),
    after=(
        "backoff/forget-is-about-one-item",
        "backoff/what-never-failed-can-be-forgotten",
        "backoff/other-items-at-once-disturb-no-count",
        "backoff/a-failure-at-once-undoes-no-forget",
    ),
    for_all={"program": programs_of(Calls(adds=("when {}", "forget {}"), needs="when {}", hands_out=False))},
)
def no_program_of_a_few_callers_miscounts(
    exponential: Annotated[Exponential, AtOnce], program: Small
) -> None:
    """Whatever a few callers do at once, the count of an item MUST be one that some order of their calls comes to."""
    limiter = doubling(exponential)

    counts = limiter.play(program.at_once)

    assert limiter.num_requeues("a") in counts["a"]
    assert limiter.num_requeues("b") in counts["b"]


@dataclass(frozen=True)
class Edge(Row):
    base_delay: str
    nanoseconds: Nanoseconds


@rule(
    cites=LIMITERS["TypedItemExponentialFailureRateLimiter.When"],
    after="backoff/the-longest-wait-is-for-ever",
    each=[Edge("a power of two nanoseconds", 1024), Edge("nothing", 0)],
    contested=("no wait is negative", "a wait is negative", "a wait is no number"),
)
def where_64_bits_end(exponential: Exponential, row: Edge) -> str:
    """With a base delay of 0, or of a power of two nanoseconds, a wait MAY become negative, which means no wait.

    Upstream says that it never overflows. But a wait of exactly 2⁶³ ns passes its check, and so does 0 · 2¹⁰²⁴, which is
    no number; what comes of them depends on the processor, and on the language. No delay that is written in
    milliseconds ever gets there.
    """
    limiter = exponential(base_delay=row.nanoseconds, max_delay=1 * SECOND)

    waits = limiter.answer_often(FAILURES)

    if not all(is_a(wait, int) for wait in waits):
        return "a wait is no number"
    return "a wait is negative" if min(waits) < 0 else "no wait is negative"


FAST = 1 * SECOND
SLOW = 10 * MINUTE


@dataclass(frozen=True)
class Attempts(Row):
    fast: int


@rule(
    cites=(LIMITERS["TypedItemFastSlowRateLimiter"], LIMITER_TESTS["TestItemFastSlowRateLimiter"]),
    each=[Attempts(0), Attempts(1), Attempts(3), Attempts(65)],
)
def a_few_attempts_are_fast(fast_slow: FastSlow, row: Attempts) -> None:
    """The first *max fast attempts* failures of an item MUST wait for the fast delay, all later ones for the slow delay."""
    limiter = fast_slow(fast_delay=FAST, slow_delay=SLOW, max_fast_attempts=row.fast)

    waits = [limiter.when() for _ in range(row.fast + 5)]

    assert waits == [FAST] * row.fast + [SLOW] * 5

    assert {limiter.when() for _ in range(100)} == {SLOW}


def two_fast(fast_slow: FastSlow) -> Limiter:
    return fast_slow(fast_delay=FAST, slow_delay=SLOW, max_fast_attempts=2)


@rule(
    cites=(LIMITER_TESTS["TestItemFastSlowRateLimiter"], LIMITERS["TypedItemFastSlowRateLimiter"]),
    after="backoff/a-few-attempts-are-fast",
)
def each_item_has_fast_attempts_of_its_own(fast_slow: FastSlow) -> None:
    """The fast attempts of an item MUST NOT be used up by another one."""
    limiter = two_fast(fast_slow)
    for _ in range(3):
        limiter.when("a")

    assert [limiter.when("b"), limiter.when("b"), limiter.when("b")] == [FAST, FAST, SLOW]


@rule(
    cites=LIMITERS["NumRequeues"],
    after="backoff/each-item-has-fast-attempts-of-its-own",
    each=UNEQUAL,
)
def unequal_values_have_fast_attempts_of_their_own(
    fast_slow: Annotated[FastSlow, With("values")], row: Values
) -> None:
    """The fast attempts of an item MUST NOT be used up by an item that is not equal to it, of whatever type, even if their hashes or their texts are the same."""
    limiter = two_fast(fast_slow)
    one, other = row.both
    for _ in range(3):
        limiter.when(one)

    assert limiter.when(other) == FAST, "are items looked up by their hash or their text?"
    assert limiter.when(one) == SLOW


@rule(
    cites=LIMITERS["NumRequeues"],
    after="backoff/unequal-values-have-fast-attempts-of-their-own",
    each=EQUAL,
)
def equal_values_share_their_fast_attempts(
    fast_slow: Annotated[FastSlow, With("values")], row: Values
) -> None:
    """The fast attempts of two items that are equal MUST be counted as those of one, of whatever type, even if their texts are different."""
    limiter = two_fast(fast_slow)
    one, other = row.both
    for _ in range(2):
        limiter.when(one)

    assert limiter.when(other) == SLOW


@rule(cites=LIMITERS["NumRequeues"], after="backoff/each-item-has-fast-attempts-of-its-own")
def of_many_items_none_is_fast_again(fast_slow: FastSlow) -> None:
    """However many items have used up their fast attempts, each MUST be slow until it is forgotten."""
    limiter = two_fast(fast_slow)
    items = [f"item-{n}" for n in range(A_BUFFER)]

    limiter.when_each(items)
    limiter.when_each(items)

    assert {limiter.when(item) for item in (items[0], items[len(items) // 2], items[-1])} == {SLOW}, (
        "is there a limit to the items whose failures are kept?"
    )


@rule(cites=NUM_REQUEUES, after="backoff/a-few-attempts-are-fast", each=SO_OFTEN)
def slow_attempts_are_counted_too(fast_slow: FastSlow, row: Failures) -> None:
    """NumRequeues of a fast and slow limiter MUST be the number of failures of the item, be they fast or slow."""
    limiter = two_fast(fast_slow)

    for _ in range(row.failures):
        limiter.when("a")

    assert limiter.num_requeues("a") == row.failures


@rule(
    cites=FORGET,
    after=("backoff/slow-attempts-are-counted-too", "backoff/each-item-has-fast-attempts-of-its-own"),
)
def what_is_forgotten_is_fast_again(fast_slow: FastSlow) -> None:
    """After Forget an item MUST have all its fast attempts again, and no other item any more than before."""
    limiter = two_fast(fast_slow)
    for item in "aaabb":
        limiter.when(item)

    limiter.forget("a")

    assert limiter.num_requeues("a") == 0
    assert [limiter.when("a"), limiter.when("a"), limiter.when("a")] == [FAST, FAST, SLOW]
    assert limiter.when("b") == SLOW


@rule(cites=LIMITERS["NumRequeues"], after="backoff/slow-attempts-are-counted-too")
def attempts_at_once_are_all_counted(fast_slow: Annotated[FastSlow, AtOnce]) -> None:
    """When of a fast and slow limiter MUST be callable by many at once: none of the failures is lost."""
    limiter = two_fast(fast_slow)

    limiter.together("a", callers=2)

    assert limiter.num_requeues("a") == 2
    assert limiter.when("a") == SLOW


@rule(
    cites=(LIMITERS["NumRequeues"], LIMITERS["Forget"]),
    after="backoff/attempts-at-once-are-all-counted",
)
def other_items_at_once_disturb_no_attempts(fast_slow: Annotated[FastSlow, AtOnce]) -> None:
    """Calls about other items at once MUST NOT disturb what a fast and slow limiter counts of an item, either."""
    limiter = two_fast(fast_slow)

    limiter.at_once(*AT_ONCE)

    assert limiter.num_requeues("a") == FAILED_AT_ONCE
